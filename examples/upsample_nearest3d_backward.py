# SPDX-License-Identifier: Apache-2.0
"""The same as upsample_nearest3d_backward.cpp, line by line, in Python."""

from device import DeviceMemory, DeviceTensor, check, device

from aclhost import acl, aclnn


def main() -> None:
    with device() as stream:
        gradient = DeviceTensor([1, 1, 2, 3, 7], [0.25 * i for i in range(42)])
        result = DeviceTensor([1, 1, 1, 2, 3], [0.0] * 6)
        output_size = aclnn.aclCreateIntArray([2, 3, 7], 3)
        input_size = aclnn.aclCreateIntArray([1, 1, 1, 2, 3], 5)

        # Scales of 0 leave the ratio to the sizes.
        workspace_size, executor, status = aclnn.aclnnUpsampleNearest3dBackwardGetWorkspaceSize(
            gradient.handle, output_size, input_size, 0.0, 0.0, 0.0, result.handle
        )
        check(status, "aclnnUpsampleNearest3dBackwardGetWorkspaceSize")
        workspace = DeviceMemory(workspace_size)
        check(
            aclnn.aclnnUpsampleNearest3dBackward(
                workspace.address, workspace_size, executor, stream
            ),
            "aclnnUpsampleNearest3dBackward",
        )
        check(acl.rt.synchronize_stream(stream), "synchronize_stream")
        for value in result.to_host():
            print(f"{value:.9g}")

        for array in (output_size, input_size):
            aclnn.aclDestroyIntArray(array)
        for memory in (workspace, gradient, result):
            memory.free()


if __name__ == "__main__":
    main()
