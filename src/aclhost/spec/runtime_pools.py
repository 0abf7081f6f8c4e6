# SPDX-License-Identifier: Apache-2.0
"""C functions of memory pools and of advice for managed memory."""

from __future__ import annotations

from aclhost.spec.enums import ACL_RT
from aclhost.spec.functions import functions

ACL_RT_MEMORY_SOMA = "acl/acl_rt_memory_soma.h"

POOLS = functions(
    ACL_RT_MEMORY_SOMA,
    (
        "aclError aclrtMemPoolCreate(aclrtMemPool* memPool, const aclrtMemPoolProps* poolProps)",
        "Creates a pool of device memory.",
    ),
    ("aclError aclrtMemPoolDestroy(const aclrtMemPool memPool)", "Ends a pool."),
    (
        "aclError aclrtMemPoolSetAttr(aclrtMemPool memPool, aclrtMemPoolAttr attr, void* value)",
        "Changes how a pool uses memory again.",
    ),
    (
        "aclError aclrtMemPoolGetAttr(aclrtMemPool memPool, aclrtMemPoolAttr attr, void* value)",
        "How a pool uses memory again, and how much it has.",
    ),
    (
        "aclError aclrtMemPoolMallocAsync(void** ptr, size_t size, aclrtMemPool memPool,"
        " aclrtStream stream)",
        "Takes memory for the next tasks of a stream.",
    ),
    (
        "aclError aclrtMemPoolFreeAsync(void* ptr, aclrtStream stream)",
        "Gives memory back behind the tasks of a stream.",
    ),
    (
        "aclError aclrtMemPoolTrimTo(aclrtMemPool memPool, size_t minBytesToKeep)",
        "Gives idle memory back to the device.",
    ),
)

MANAGED = functions(
    ACL_RT,
    (
        "aclError aclrtMemManagedAdvise(const void* const ptr, uint64_t size,"
        " aclrtMemManagedAdviseType advise, aclrtMemManagedLocation location)",
        "Keeps advice for managed memory.",
    ),
    (
        "aclError aclrtMemManagedGetAttr(aclrtMemManagedRangeAttribute attribute, const void* ptr,"
        " size_t size, void* data, size_t dataSize)",
        "The advice that all of a range has.",
    ),
    (
        "aclError aclrtMemManagedGetAttrs(aclrtMemManagedRangeAttribute* attributes,"
        " size_t numAttributes, const void* ptr, size_t size, void** data, size_t* dataSizes)",
        "Several pieces of advice at once.",
    ),
    (
        "aclError aclrtMemManagedPrefetchAsync(const void* ptr, size_t size,"
        " aclrtMemManagedLocation location, uint32_t flags, aclrtStream stream)",
        "Notes where managed memory is wanted next.",
    ),
    (
        "aclError aclrtMemManagedPrefetchBatchAsync(const void** ptrs, size_t* sizes,"
        " size_t count, aclrtMemManagedLocation* prefetchLocs, size_t* prefetchLocIdxs,"
        " size_t numPrefetchLocs, uint64_t flags, aclrtStream stream)",
        "The same for several ranges.",
    ),
)

FUNCTIONS = (*POOLS, *MANAGED)
