# SPDX-License-Identifier: Apache-2.0
"""The operators of upstream's family resize, one file each."""
