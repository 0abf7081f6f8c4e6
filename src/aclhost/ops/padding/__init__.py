# SPDX-License-Identifier: Apache-2.0
"""Tensors that become longer at their ends, and the gradients of that."""
