# SPDX-License-Identifier: Apache-2.0
"""The aclnn functions as C has them, so that a C++ program translates line by line.

workspace_size, executor, status = aclnn.aclnnEluGetWorkspaceSize(x, alpha, scale, one, out)
status = aclnn.aclnnElu(0, workspace_size, executor, stream)  # Elu asks for no workspace
"""

from aclhost.aclnn.objects import *  # noqa: F403
from aclhost.aclnn.operators import *  # noqa: F403
