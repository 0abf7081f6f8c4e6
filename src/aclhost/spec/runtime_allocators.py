# SPDX-License-Identifier: Apache-2.0
"""C functions that register allocators of the program."""

from __future__ import annotations

from aclhost.spec.functions import functions

ACL_RT_ALLOCATOR = "acl/acl_rt_allocator.h"

FUNCTIONS = functions(
    ACL_RT_ALLOCATOR,
    ("aclrtAllocatorDesc aclrtAllocatorCreateDesc()", "Describes an allocator."),
    (
        "aclError aclrtAllocatorDestroyDesc(aclrtAllocatorDesc allocatorDesc)",
        "Ends the description.",
    ),
    (
        "aclError aclrtAllocatorSetObjToDesc(aclrtAllocatorDesc allocatorDesc,"
        " aclrtAllocator allocator)",
        "The allocator itself.",
    ),
    (
        "aclError aclrtAllocatorSetAllocFuncToDesc(aclrtAllocatorDesc allocatorDesc,"
        " aclrtAllocatorAllocFunc func)",
        "How it allocates.",
    ),
    (
        "aclError aclrtAllocatorSetFreeFuncToDesc(aclrtAllocatorDesc allocatorDesc,"
        " aclrtAllocatorFreeFunc func)",
        "How it frees.",
    ),
    (
        "aclError aclrtAllocatorSetAllocAdviseFuncToDesc(aclrtAllocatorDesc allocatorDesc,"
        " aclrtAllocatorAllocAdviseFunc func)",
        "How it allocates at a wanted address.",
    ),
    (
        ""
        "aclError aclrtAllocatorSetGetAddrFromBlockFuncToDesc(aclrtAllocatorDesc allocatorDesc,"
        " aclrtAllocatorGetAddrFromBlockFunc func)",
        "Where its blocks are.",
    ),
    (
        "aclError aclrtAllocatorRegister(aclrtStream stream, aclrtAllocatorDesc allocatorDesc)",
        "Gives an allocator to a stream.",
    ),
    ("aclError aclrtAllocatorUnregister(aclrtStream stream)", "Takes it away again."),
    (
        "aclError aclrtAllocatorGetByStream(aclrtStream stream,"
        " aclrtAllocatorDesc* allocatorDesc, aclrtAllocator* allocator,"
        " aclrtAllocatorAllocFunc* allocFunc, aclrtAllocatorFreeFunc* freeFunc,"
        " aclrtAllocatorAllocAdviseFunc* allocAdviseFunc,"
        " aclrtAllocatorGetAddrFromBlockFunc* getAddrFromBlockFunc)",
        "The allocator of a stream.",
    ),
)
