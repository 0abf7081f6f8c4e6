# SPDX-License-Identifier: Apache-2.0
"""Offline models, which nothing runs here, and dumps of what operators read and write."""

from __future__ import annotations

from aclhost.acl import _models
from aclhost.acl._dumps import dump_reg_callback, dump_unreg_callback, set_dump
from aclhost.acl._models import *  # noqa: F403

__all__ = ["dump_reg_callback", "dump_unreg_callback", "set_dump"]
__all__ += _models.__all__
