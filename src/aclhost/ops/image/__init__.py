# SPDX-License-Identifier: Apache-2.0
"""Images and volumes seen through windows and grids."""
