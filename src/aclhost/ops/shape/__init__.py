# SPDX-License-Identifier: Apache-2.0
"""Elements moved: joined, cut, repeated, reordered."""
