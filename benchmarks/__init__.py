# SPDX-License-Identifier: Apache-2.0
"""Measurements for those who work on aclhost: `make bench`, or `python -m benchmarks.cold` alone.

The operators are measured by `aclhost bench`. Here is what its table cannot show, and the targets.
"""
