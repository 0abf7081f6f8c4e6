# SPDX-License-Identifier: Apache-2.0
"""Many values to one: sums, products, extremes, norms."""
