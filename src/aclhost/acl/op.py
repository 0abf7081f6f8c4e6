# SPDX-License-Identifier: Apache-2.0
"""Single operators through the graph engine: what clients call before or around aclnn works."""

from __future__ import annotations

from aclhost.acl import _capi, _single_operators
from aclhost.acl._single_operators import *  # noqa: F403

__all__ = ["set_model_dir"]
__all__ += _single_operators.__all__


def set_model_dir(model_dir: str) -> int:
    """Accepts a directory of compiled operators, of which there are none here."""
    if not isinstance(model_dir, str):
        raise TypeError("model_dir must be a str")
    return _capi.status("aclopSetModelDir", _capi.c_string(model_dir, "model_dir"))
