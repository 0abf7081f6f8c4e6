# SPDX-License-Identifier: Apache-2.0
"""The vocabulary in which operators, products and the runtime are declared."""
