# SPDX-License-Identifier: Apache-2.0
"""Random calls of the operators against their goldens and, where it is installed, torch."""
