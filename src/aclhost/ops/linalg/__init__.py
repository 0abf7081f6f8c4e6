# SPDX-License-Identifier: Apache-2.0
"""Linear algebra of small matrices: inverses, determinants, equations, factors."""
