# SPDX-License-Identifier: Apache-2.0
"""Products of matrices and vectors."""
