# SPDX-License-Identifier: Apache-2.0
"""Building programs against the toolkit tree: where it lies, CMake projects, what is missing."""
