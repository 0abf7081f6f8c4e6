# SPDX-License-Identifier: Apache-2.0
"""Pieces of goldens that several operators share."""
