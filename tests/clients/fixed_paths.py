# SPDX-License-Identifier: Apache-2.0
"""As frameworks with fixed paths do: libraries by place, optional functions by presence.

fixed_paths.py ROOT: where the tree is, for example /usr/local/Ascend/cann-9.1.0
"""

import ctypes
import sys

root = sys.argv[1]
sys.path.insert(0, f"{root}/python/site-packages")

import acl  # noqa: E402

libraries = [
    ctypes.CDLL(f"{root}/{directory}/lib{name}.so", mode=ctypes.RTLD_GLOBAL)
    for directory in ("lib64", "aarch64-linux/lib64")
    for name in ("ascendcl", "nnopbase", "opapi_math", "opapi_nn", "opapi", "aclnn_ops_infer")
]
GATE = (
    "Add Adds InplaceAdds Mul Muls Sub Subs Div Divs InplaceFillScalar Matmul Relu ReduceSum Cast"
)
RUNTIME = (
    "CreateStream DestroyStream SynchronizeStream StreamWaitEvent CreateEvent DestroyEvent"
    " RecordEvent QueryEvent SynchronizeEvent EventElapsedTime SynchronizeDevice Memcpy"
)
CAPTURE = "CaptureBegin CaptureEnd CaptureGetInfo CaptureThreadExchangeMode ExecuteAsync Destroy"
COLLECTIVES = (
    "GetRootInfo CommInitAll CommInitRootInfo CommInitRootInfoConfig CommInitClusterInfo"
    " CommInitClusterInfoConfig CreateSubCommConfig CommDestroy GetErrorString AllReduce AllGather"
    " ReduceScatter Reduce Broadcast Scatter AlltoAll AlltoAllV Send Recv Barrier"
)
OPTIONAL = "PTAFindExecCache InitPTACacheThreadLocal aclnnNoSuchOperator"


def symbol(name):
    for library in libraries:
        if hasattr(library, name):
            return getattr(library, name)
    return None


def ok(ret):
    assert ret == 0, acl.get_recent_err_msg()


for name in GATE.split():
    assert symbol(f"aclnn{name}"), name
    assert symbol(f"aclnn{name}GetWorkspaceSize"), name
assert all(symbol(f"aclrt{name}") for name in RUNTIME.split())
assert all(symbol(f"aclmdlRI{name}") for name in (*CAPTURE.split(), "SetName", "GetName"))
# What is absent makes a client go another way; what is present is called.
assert not any(symbol(name) for name in OPTIONAL.split())

ok(acl.init())
ok(acl.rt.set_device(0))
assert acl.rt.get_mem_info(1)[-1] == 0
stream, ret = acl.rt.create_stream_with_config(0, 1)
ok(ret)
for library in libraries:  # one state behind all names
    if hasattr(library, "aclnnInit"):
        ok(library.aclnnInit(None))
event, ret = acl.rt.create_event_ex_with_flag(8)
ok(ret)
ok(acl.rt.record_event(event, stream))
ok(acl.rt.synchronize_event(event))
assert acl.rt.query_event_status(event) == (1, 0)
ok(acl.rt.destroy_event(event))

# A world of one process.
hccl = ctypes.CDLL(f"{root}/lib64/libhccl.so")
assert all(hasattr(hccl, f"Hccl{name}") for name in COLLECTIVES.split())
info, comm = ctypes.create_string_buffer(4108), ctypes.c_void_p()
ok(hccl.HcclGetRootInfo(info))
ok(hccl.HcclCommInitRootInfo(ctypes.c_uint32(1), info, ctypes.c_uint32(0), ctypes.byref(comm)))
values, ret = acl.rt.malloc(16, 0)
ok(ret)
ok(acl.rt.memset(values, 16, 1, 16))
count, address = ctypes.c_uint64(4), ctypes.c_void_p(values)
ok(hccl.HcclAllReduce(address, address, count, 4, 0, comm, ctypes.c_void_p(stream)))
ok(hccl.HcclBarrier(comm, ctypes.c_void_p(stream)))
ok(hccl.HcclCommDestroy(comm))
ok(acl.rt.synchronize_stream(stream))
payload = bytes(16)
ok(acl.rt.memcpy(acl.util.bytes_to_ptr(payload), 16, values, 16, 2))
assert payload == b"\1" * 16

ok(acl.rt.free(values))
ok(acl.rt.destroy_stream(stream))
ok(acl.rt.reset_device(0))
ok(acl.finalize())
print("ok")
