# SPDX-License-Identifier: Apache-2.0
"""The errors of the mathematical functions over all floats: `make sweep`."""
