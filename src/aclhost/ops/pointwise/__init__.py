# SPDX-License-Identifier: Apache-2.0
"""Operators that compute every element by itself, as Python functions."""
