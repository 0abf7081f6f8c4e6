# SPDX-License-Identifier: Apache-2.0
"""The same as elu_backward.cpp, line by line, in Python."""

import struct

from aclhost.constants import ACL_FLOAT
from device import DeviceMemory, DeviceTensor, check, device

from aclhost import acl, aclnn


def main() -> None:
    with device() as stream:
        x = [-3.0, -1.0, -0.25, 0.0, 0.5, 2.0]
        gradient = DeviceTensor([6], [1.0] * 6)
        input_ = DeviceTensor([6], x)
        result = DeviceTensor([6], [0.0] * 6)
        alpha = aclnn.aclCreateScalar(struct.pack("f", 2.0), ACL_FLOAT)
        scale = aclnn.aclCreateScalar(struct.pack("f", 1.5), ACL_FLOAT)
        input_scale = aclnn.aclCreateScalar(struct.pack("f", 0.5), ACL_FLOAT)

        workspace_size, executor, status = aclnn.aclnnEluBackwardGetWorkspaceSize(
            gradient.handle, alpha, scale, input_scale, False, input_.handle, result.handle
        )
        check(status, "aclnnEluBackwardGetWorkspaceSize")
        workspace = DeviceMemory(workspace_size)
        check(
            aclnn.aclnnEluBackward(workspace.address, workspace_size, executor, stream),
            "aclnnEluBackward",
        )
        check(acl.rt.synchronize_stream(stream), "synchronize_stream")
        for value in result.to_host():
            print(f"{value:.9g}")

        for scalar in (alpha, scale, input_scale):
            aclnn.aclDestroyScalar(scalar)
        for memory in (workspace, gradient, input_, result):
            memory.free()


if __name__ == "__main__":
    main()
