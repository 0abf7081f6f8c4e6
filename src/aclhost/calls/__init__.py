# SPDX-License-Identifier: Apache-2.0
"""Described calls made real: their arrays, both ways in, and what should come out."""
