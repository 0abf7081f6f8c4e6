# SPDX-License-Identifier: Apache-2.0
"""A slice of `aclhost campaign`, and the command."""
