# SPDX-License-Identifier: Apache-2.0
"""Functions that succeed and do nothing, the setters' old names, and that none goes untested."""

import re
from pathlib import Path

import pytest

from aclhost.acl import _capi
from aclhost.spec import runtime_api, unsupported_api

TESTS = Path(__file__).parents[1]


def test_nothing_to_do():
    assert _capi.status("aclnnInit", None) == 0
    assert _capi.status("aclnnInit", b"/no/such/file") == 0
    assert _capi.status("aclnnFinalize") == 0
    assert _capi.status("aclnnReselectStaticKernel") == 0
    assert _capi.status("aclnnReselectStaticKernelWithPath", None) == 0
    assert _capi.status("aclDumpOpTensors", None, None, None, 0, 0, None) == 0


@pytest.mark.parametrize("prefix", ["aclSet", "AclSet"])
@pytest.mark.parametrize("kind", ["Input", "Output", ""])
def test_address_setters_without_an_executor(prefix, kind):
    assert _capi.status(f"{prefix}{kind}TensorAddr", None, 0, None, None) == 561103
    assert _capi.status(f"{prefix}Dynamic{kind}TensorAddr", None, 0, 0, None, None) == 561103


# Named in tests with a part in braces: f"aclCreate{name}".
ASSEMBLED = re.compile(
    r"[aA]clSet(Dynamic)?(Input|Output)?TensorAddr"
    r"|acl(Create|Destroy|Get)(Int|Float|Bool)Array(Size)?"
    r"|acl(Create|Destroy|Get)(Tensor|Scalar)List(Size)?"
    r"|acl(rt|tdt)(Alloc|Free|Get|Set|Append|Copy)Buf\w*"
    r"|aclrtDeviceGet(Host|P2P)AtomicCapabilities"
    r"|aclrtSnapShotProcess(Backup|Lock|Restore|Unlock)"
)


def test_every_function_is_tested():
    texts = [
        path.read_text()
        for path in TESTS.rglob("*")
        if path.suffix in (".py", ".cpp", ".h") and path.name != "c_library.py"
    ]
    named = set(re.findall(r"\w+", " ".join(texts)))
    functions = set(runtime_api.FUNCTIONS) - set(unsupported_api.FUNCTIONS)
    untested = {f.name for f in functions} - named
    assert {name for name in untested if not ASSEMBLED.fullmatch(name)} == set()
