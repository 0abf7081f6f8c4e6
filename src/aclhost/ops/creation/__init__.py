# SPDX-License-Identifier: Apache-2.0
"""Operators that write values which depend on places rather than on tensors."""
