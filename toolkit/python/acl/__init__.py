# SPDX-License-Identifier: Apache-2.0
"""Lets programs written for pyACL say `import acl`; the code is in aclhost.acl."""

import sys

from aclhost import acl
from aclhost.acl import op, rt, util

sys.modules[__name__] = acl
sys.modules[f"{__name__}.op"] = op
sys.modules[f"{__name__}.rt"] = rt
sys.modules[f"{__name__}.util"] = util
