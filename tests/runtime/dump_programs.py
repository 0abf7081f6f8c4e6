# SPDX-License-Identifier: Apache-2.0
"""What programs that dump begin and end with, and where their files are."""

from pathlib import Path

START = """
import json, os
from aclhost.acl import _capi
from capturing import *
folder = sys.argv[2]
def configure(**members):
    path = folder + "/acl.json"
    dump = {"dump_path": folder, "dump_list": [{}], "dump_op_switch": "on", **members}
    open(path, "w").write(json.dumps({"dump": dump}))
    return path.encode()
assert lib.aclInit(None) == 0
assert lib.aclrtSetDevice(0) == 0
stream, x = c_void_p(), c_void_p()
assert lib.aclrtCreateStream(stream) == 0
assert lib.aclrtMalloc(x, 64, 0) == lib.aclrtMemset(x, 64, 0, 64) == 0
increment = Increment(x)
"""
END = """
assert lib.aclrtFree(x) == 0
assert lib.aclrtDestroyStream(stream) == 0
assert lib.aclrtResetDevice(0) == 0
assert lib.aclFinalize() == 0
"""


def files(folder: Path) -> list[Path]:
    """Below FOLDER/TIME/DEVICE."""
    return sorted(folder.glob("2*/0/*"), key=lambda path: path.name.split(".")[4])
