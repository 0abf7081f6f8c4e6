# SPDX-License-Identifier: Apache-2.0
"""C functions that let launched operators write their tensors, and what they are."""

from __future__ import annotations

from aclhost.spec.enums import ACL_RT
from aclhost.spec.functions import functions

ACL_DUMP = "acl/acl_dump.h"

FUNCTIONS = (
    *functions(
        ACL_RT,
        ("aclError aclmdlInitDump()", "Allows dumps."),
        ("aclError aclmdlSetDump(const char* dumpCfgPath)", "Begins dumps as a file says."),
        ("aclError aclmdlFinalizeDump()", "Ends dumps, and says whether all are whole."),
    ),
    *functions(
        ACL_DUMP,
        (
            "aclError acldumpRegCallback(acldumpMessageCallback messageCallback, int32_t flag)",
            "A function that gets dumps instead of files.",
        ),
        ("void acldumpUnregCallback()", "Dumps go into files again."),
        (
            "aclError aclopStartDumpArgs(uint32_t dumpType, const char* path)",
            "Notes which operators are launched with which tensors and attributes.",
        ),
        ("aclError aclopStopDumpArgs(uint32_t dumpType)", "Writes what was noted."),
        ("const char* acldumpGetPath(acldumpType dumpType)", "The directory of dumps."),
        (
            "aclError acldumpSaveExceptionInfo(const char* fileName, const char* userTag,"
            " const acldumpTensorInfo* tensors, size_t tensorCount)",
            "Writes tensors beside those of operators that failed.",
        ),
        (
            "aclError acldumpGetExceptionInfoPath(char* path, size_t maxLen)",
            "The directory of operators that failed.",
        ),
    ),
)
