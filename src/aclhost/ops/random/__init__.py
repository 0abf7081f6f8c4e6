# SPDX-License-Identifier: Apache-2.0
"""Random numbers: all follow from a seed and an offset."""
