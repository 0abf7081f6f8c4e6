# SPDX-License-Identifier: Apache-2.0
"""Convolutions along one to three axes and their gradients."""
