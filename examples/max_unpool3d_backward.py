# SPDX-License-Identifier: Apache-2.0
"""The same as max_unpool3d_backward.cpp, line by line, in Python."""

from device import DeviceMemory, DeviceTensor, check, device

from aclhost import acl, aclnn


def main() -> None:
    with device() as stream:
        gradient = DeviceTensor([1, 1, 2, 3, 4], [0.25 * i for i in range(24)])
        input_ = DeviceTensor([1, 1, 1, 2, 2], [0.0] * 4)
        indices = DeviceTensor([1, 1, 1, 2, 2], [5, 0, 23, 14], "q")
        result = DeviceTensor([1, 1, 1, 2, 2], [0.0] * 4)
        output_size = aclnn.aclCreateIntArray([2, 3, 4], 3)
        stride = aclnn.aclCreateIntArray([2, 2, 2], 3)
        padding = aclnn.aclCreateIntArray([0, 0, 0], 3)

        workspace_size, executor, status = aclnn.aclnnMaxUnpool3dBackwardGetWorkspaceSize(
            gradient.handle,
            input_.handle,
            indices.handle,
            output_size,
            stride,
            padding,
            result.handle,
        )
        check(status, "aclnnMaxUnpool3dBackwardGetWorkspaceSize")
        workspace = DeviceMemory(workspace_size)
        check(
            aclnn.aclnnMaxUnpool3dBackward(workspace.address, workspace_size, executor, stream),
            "aclnnMaxUnpool3dBackward",
        )
        check(acl.rt.synchronize_stream(stream), "synchronize_stream")
        for value in result.to_host():
            print(f"{value:.9g}")

        for array in (output_size, stride, padding):
            aclnn.aclDestroyIntArray(array)
        for memory in (workspace, gradient, input_, indices, result):
            memory.free()


if __name__ == "__main__":
    main()
