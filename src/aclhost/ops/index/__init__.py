# SPDX-License-Identifier: Apache-2.0
"""Reading and writing at places that indices name."""
