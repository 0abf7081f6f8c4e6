# SPDX-License-Identifier: Apache-2.0
"""C functions of notifies, which order streams of one or several processes."""

from __future__ import annotations

from aclhost.spec.enums import ACL_RT
from aclhost.spec.functions import functions

NOTIFIES = functions(
    ACL_RT,
    ("aclError aclrtCreateNotify(aclrtNotify* notify, uint64_t flag)", "Makes a notify."),
    ("aclError aclrtDestroyNotify(aclrtNotify notify)", "Ends a notify."),
    (
        "aclError aclrtRecordNotify(aclrtNotify notify, aclrtStream stream)",
        "Sets a notify when the stream gets there.",
    ),
    (
        "aclError aclrtWaitAndResetNotify(aclrtNotify notify, aclrtStream stream,"
        " uint32_t timeout)",
        "Holds the stream until a notify is set, and clears it.",
    ),
    (
        "aclError aclrtGetNotifyId(aclrtNotify notify, uint32_t* notifyId)",
        "The number of a notify.",
    ),
    (
        "aclError aclrtNotifyBatchReset(aclrtNotify* notifies, size_t num)",
        "Clears notifies at once.",
    ),
    (
        "aclError aclrtNotifyGetExportKey(aclrtNotify notify, char* key, size_t len,"
        " uint64_t flags)",
        "A name of a notify for other processes.",
    ),
    (
        "aclError aclrtNotifySetImportPid(aclrtNotify notify, int32_t* pid, size_t num)",
        "Checks the notify; the system decides who may open a key.",
    ),
    (
        "aclError aclrtNotifyImportByKey(aclrtNotify* notify, const char* key, uint64_t flags)",
        "The notify of another process.",
    ),
)

COUNTERS = functions(
    ACL_RT,
    (
        "aclError aclrtCntNotifyCreate(aclrtCntNotify* cntNotify, uint64_t flag)",
        "Makes a notify that counts.",
    ),
    ("aclError aclrtCntNotifyDestroy(aclrtCntNotify cntNotify)", "Ends it."),
    (
        "aclError aclrtCntNotifyRecord(aclrtCntNotify cntNotify, aclrtStream stream,"
        " aclrtCntNotifyRecordInfo* info)",
        "Changes its count when the stream gets there.",
    ),
    (
        "aclError aclrtCntNotifyWaitWithTimeout(aclrtCntNotify cntNotify, aclrtStream stream,"
        " aclrtCntNotifyWaitInfo* info)",
        "Holds the stream until the count is as asked for.",
    ),
    (
        "aclError aclrtCntNotifyReset(aclrtCntNotify cntNotify, aclrtStream stream)",
        "Sets the count to 0 when the stream gets there.",
    ),
    ("aclError aclrtCntNotifyGetId(aclrtCntNotify cntNotify, uint32_t* notifyId)", "Its number."),
)

FUNCTIONS = (*NOTIFIES, *COUNTERS)
