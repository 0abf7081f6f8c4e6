# SPDX-License-Identifier: Apache-2.0
"""The hostile campaign: random handles, sizes, enums and orders, addresses without access."""
