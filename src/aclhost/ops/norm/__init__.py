# SPDX-License-Identifier: Apache-2.0
"""Layer, group, batch, instance and root mean square norms."""
