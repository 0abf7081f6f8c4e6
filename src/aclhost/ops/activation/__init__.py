# SPDX-License-Identifier: Apache-2.0
"""The operators of upstream's family activation, by topic."""
