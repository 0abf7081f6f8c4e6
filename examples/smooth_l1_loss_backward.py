# SPDX-License-Identifier: Apache-2.0
"""The same as smooth_l1_loss_backward.cpp, line by line, in Python."""

from device import DeviceMemory, DeviceTensor, check, device

from aclhost import acl, aclnn


def main() -> None:
    with device() as stream:
        gradient = DeviceTensor([1], [6.0])
        input_ = DeviceTensor([2, 3], [-3.0, 0.75, 0.0, 0.25, 2.0, 1.0])
        target = DeviceTensor([3], [0.0, 1.0, 1.0])
        result = DeviceTensor([2, 3], [0.0] * 6)
        mean = 1
        beta = 0.5

        workspace_size, executor, status = aclnn.aclnnSmoothL1LossBackwardGetWorkspaceSize(
            gradient.handle, input_.handle, target.handle, mean, beta, result.handle
        )
        check(status, "aclnnSmoothL1LossBackwardGetWorkspaceSize")
        workspace = DeviceMemory(workspace_size)
        check(
            aclnn.aclnnSmoothL1LossBackward(workspace.address, workspace_size, executor, stream),
            "aclnnSmoothL1LossBackward",
        )
        check(acl.rt.synchronize_stream(stream), "synchronize_stream")
        for value in result.to_host():
            print(f"{value:.9g}")

        for memory in (workspace, gradient, input_, target, result):
            memory.free()


if __name__ == "__main__":
    main()
