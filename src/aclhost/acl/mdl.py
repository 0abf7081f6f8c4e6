# SPDX-License-Identifier: Apache-2.0
"""Offline models: names that clients look up. Nothing runs them here."""

from __future__ import annotations

from aclhost.acl import _models
from aclhost.acl._models import *  # noqa: F403

__all__ = _models.__all__
