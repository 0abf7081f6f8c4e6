# SPDX-License-Identifier: Apache-2.0
"""Random calls of every operator, compared with the goldens and with torch: `make campaign`."""
