# SPDX-License-Identifier: Apache-2.0
"""The same as max_pool3d_with_argmax_backward.cpp, line by line, in Python."""

from aclhost.constants import ACL_FORMAT_ND, ACL_INT32
from device import DeviceMemory, DeviceTensor, check, device

from aclhost import acl, aclnn


def main() -> None:
    with device() as stream:
        whole, pooled = [1, 1, 2, 3, 3], [1, 1, 1, 2, 2]
        input_ = DeviceTensor(whole, [i * 7 % 18 for i in range(18)])
        output = DeviceTensor(pooled, [0.0] * 4)
        indices_memory = DeviceMemory(4 * 4)
        indices = aclnn.aclCreateTensor(
            pooled, 5, ACL_INT32, None, 0, ACL_FORMAT_ND, pooled, 5, indices_memory.address
        )
        kernel_size = aclnn.aclCreateIntArray([2], 1)
        stride = aclnn.aclCreateIntArray([1], 1)
        padding = aclnn.aclCreateIntArray([0], 1)
        dilation = aclnn.aclCreateIntArray([1], 1)
        window = (kernel_size, stride, padding, dilation, False)

        workspace_size, executor, status = aclnn.aclnnMaxPool3dWithArgmaxGetWorkspaceSize(
            input_.handle, *window, output.handle, indices
        )
        check(status, "aclnnMaxPool3dWithArgmaxGetWorkspaceSize")
        workspace = DeviceMemory(workspace_size)
        check(
            aclnn.aclnnMaxPool3dWithArgmax(workspace.address, workspace_size, executor, stream),
            "aclnnMaxPool3dWithArgmax",
        )

        gradient = DeviceTensor(pooled, [1.0, 0.5, 0.25, 0.125])
        result = DeviceTensor(whole, [0.0] * 18)
        workspace_size, executor, status = aclnn.aclnnMaxPool3dWithArgmaxBackwardGetWorkspaceSize(
            gradient.handle, input_.handle, indices, *window, result.handle
        )
        check(status, "aclnnMaxPool3dWithArgmaxBackwardGetWorkspaceSize")
        backward_workspace = DeviceMemory(workspace_size)
        check(
            aclnn.aclnnMaxPool3dWithArgmaxBackward(
                backward_workspace.address, workspace_size, executor, stream
            ),
            "aclnnMaxPool3dWithArgmaxBackward",
        )
        check(acl.rt.synchronize_stream(stream), "synchronize_stream")
        for value in output.to_host() + result.to_host():
            print(f"{value:.9g}")

        aclnn.aclDestroyTensor(indices)
        for array in (kernel_size, stride, padding, dilation):
            aclnn.aclDestroyIntArray(array)
        for memory in (workspace, backward_workspace, indices_memory):
            memory.free()
        for tensor in (input_, output, gradient, result):
            tensor.free()


if __name__ == "__main__":
    main()
