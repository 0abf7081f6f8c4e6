# SPDX-License-Identifier: Apache-2.0
"""Softmax and its logarithm."""
