# SPDX-License-Identifier: Apache-2.0
"""Lists of tensors, each member treated alike."""
