# SPDX-License-Identifier: Apache-2.0
"""The fault walk: every allocation, mapping and thread of a sequence of calls fails once."""
