# SPDX-License-Identifier: Apache-2.0
"""Elements in order, and what follows from their order."""
