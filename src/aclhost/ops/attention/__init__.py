# SPDX-License-Identifier: Apache-2.0
"""Attention, and the rotation of positions that goes before it."""
