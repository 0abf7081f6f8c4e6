# SPDX-License-Identifier: Apache-2.0
"""C functions of shared buffers, queues of them, and channels of tensors."""

from __future__ import annotations

from aclhost.spec.enums import ACL_RT
from aclhost.spec.functions import functions

ACL_TDT = "acl/acl_tdt.h"
ACL_TDT_QUEUE = "acl/acl_tdt_queue.h"

BUFFERS = functions(
    ACL_RT,
    (
        "aclError aclrtAllocBuf(aclrtMbuf* buf, size_t size)",
        "Takes device memory for a queue to carry.",
    ),
    ("aclError aclrtFreeBuf(aclrtMbuf buf)", "Ends a buffer, or a chain by its head."),
    (
        "aclError aclrtGetBufData(const aclrtMbuf buf, void** dataPtr, size_t* size)",
        "Where the memory of a buffer is, and how large.",
    ),
    (
        "aclError aclrtSetBufDataLen(aclrtMbuf buf, size_t len)",
        "How much of it the program has written.",
    ),
    ("aclError aclrtGetBufDataLen(aclrtMbuf buf, size_t* len)", "How much of it was written."),
    (
        "aclError aclrtAppendBufChain(aclrtMbuf headBuf, aclrtMbuf buf)",
        "Puts a buffer at the end of a chain.",
    ),
    (
        "aclError aclrtGetBufChainNum(aclrtMbuf headBuf, uint32_t* num)",
        "Buffers of a chain, with its head.",
    ),
    (
        "aclError aclrtGetBufFromChain(aclrtMbuf headBuf, uint32_t index, aclrtMbuf* buf)",
        "One buffer of a chain; the head is 0.",
    ),
    (
        "aclError aclrtGetBufUserData(const aclrtMbuf buf, void* dataPtr, size_t size, size_t"
        " offset)",
        "Reads the program's own bytes of a buffer.",
    ),
    (
        "aclError aclrtSetBufUserData(aclrtMbuf buf, const void* dataPtr, size_t size, size_t"
        " offset)",
        "Writes the program's own bytes of a buffer.",
    ),
    (
        "aclError aclrtCopyBufRef(const aclrtMbuf buf, aclrtMbuf* newBuf)",
        "Another buffer on the same memory.",
    ),
)

QUEUES = functions(
    ACL_TDT_QUEUE,
    (
        "aclError acltdtAllocBuf(size_t size, uint32_t type, acltdtBuf* buf)",
        "Takes device memory for a queue to carry.",
    ),
    ("aclError acltdtFreeBuf(acltdtBuf buf)", "Ends a buffer, or a chain by its head."),
    (
        "aclError acltdtGetBufData(const acltdtBuf buf, void** dataPtr, size_t* size)",
        "Where the memory of a buffer is, and how large.",
    ),
    (
        "aclError acltdtSetBufDataLen(acltdtBuf buf, size_t len)",
        "How much of it the program has written.",
    ),
    ("aclError acltdtGetBufDataLen(acltdtBuf buf, size_t* len)", "How much of it was written."),
    (
        "aclError acltdtAppendBufChain(acltdtBuf headBuf, acltdtBuf buf)",
        "Puts a buffer at the end of a chain.",
    ),
    (
        "aclError acltdtGetBufChainNum(acltdtBuf headBuf, uint32_t* num)",
        "Buffers of a chain, with its head.",
    ),
    (
        "aclError acltdtGetBufFromChain(acltdtBuf headBuf, uint32_t index, acltdtBuf* buf)",
        "One buffer of a chain; the head is 0.",
    ),
    (
        "aclError acltdtGetBufUserData(const acltdtBuf buf, void* dataPtr, size_t size, size_t"
        " offset)",
        "Reads the program's own bytes of a buffer.",
    ),
    (
        "aclError acltdtSetBufUserData(acltdtBuf buf, const void* dataPtr, size_t size, size_t"
        " offset)",
        "Writes the program's own bytes of a buffer.",
    ),
    (
        "aclError acltdtCopyBufRef(const acltdtBuf buf, acltdtBuf* newBuf)",
        "Another buffer on the same memory.",
    ),
    ("acltdtQueueAttr* acltdtCreateQueueAttr()", "Describes a queue."),
    ("aclError acltdtDestroyQueueAttr(const acltdtQueueAttr* attr)", "Ends the description."),
    (
        "aclError acltdtSetQueueAttr(acltdtQueueAttr* attr, acltdtQueueAttrType type, size_t"
        " len, const void* param)",
        "Name or depth.",
    ),
    (
        "aclError acltdtGetQueueAttr(const acltdtQueueAttr* attr, acltdtQueueAttrType type,"
        " size_t len, size_t* paramRetSize, void* param)",
        "Name or depth.",
    ),
    (
        "aclError acltdtCreateQueue(const acltdtQueueAttr* attr, uint32_t* qid)",
        "Creates a queue; null for one of depth 8 without a name.",
    ),
    ("aclError acltdtDestroyQueue(uint32_t qid)", "Ends a queue without routes."),
    (
        "aclError acltdtEnqueue(uint32_t qid, acltdtBuf buf, int32_t timeout)",
        "Gives a buffer to a queue; waits while it is full.",
    ),
    (
        "aclError acltdtDequeue(uint32_t qid, acltdtBuf* buf, int32_t timeout)",
        "Takes the first buffer of a queue; waits for one.",
    ),
    (
        "aclError acltdtEnqueueData(uint32_t qid, const void* data, size_t dataSize, const"
        " void* userData, size_t userDataSize, int32_t timeout, uint32_t rsv)",
        "Copies bytes into a queue; waits while it is full.",
    ),
    (
        "aclError acltdtDequeueData(uint32_t qid, void* data, size_t dataSize, size_t*"
        " retDataSize, void* userData, size_t userDataSize, int32_t timeout)",
        "Copies the first bytes out of a queue; waits for some.",
    ),
    (
        "acltdtQueueRoute* acltdtCreateQueueRoute(uint32_t srcId, uint32_t dstId)",
        "Describes a route between queues.",
    ),
    ("aclError acltdtDestroyQueueRoute(const acltdtQueueRoute* route)", "Ends the description."),
    (
        "aclError acltdtGetQueueRouteParam(const acltdtQueueRoute* route,"
        " acltdtQueueRouteParamType type, size_t len, size_t* paramRetSize, void* param)",
        "Source, target or status of a route.",
    ),
    ("acltdtQueueRouteList* acltdtCreateQueueRouteList()", "Makes a list of routes."),
    (
        "aclError acltdtDestroyQueueRouteList(const acltdtQueueRouteList* routeList)",
        "Ends a list of routes.",
    ),
    (
        "aclError acltdtAddQueueRoute(acltdtQueueRouteList* routeList, const acltdtQueueRoute*"
        " route)",
        "Copies a route into a list.",
    ),
    (
        "aclError acltdtGetQueueRoute(const acltdtQueueRouteList* routeList, size_t index,"
        " acltdtQueueRoute* route)",
        "Copies a route out of a list.",
    ),
    ("size_t acltdtGetQueueRouteNum(const acltdtQueueRouteList* routeList)", "Routes of a list."),
    (
        "acltdtQueueRouteQueryInfo* acltdtCreateQueueRouteQueryInfo()",
        "Makes a question about routes.",
    ),
    (
        "aclError acltdtDestroyQueueRouteQueryInfo(const acltdtQueueRouteQueryInfo* info)",
        "Ends a question.",
    ),
    (
        "aclError acltdtSetQueueRouteQueryInfo(acltdtQueueRouteQueryInfo* param,"
        " acltdtQueueRouteQueryInfoParamType type, size_t len, const void* value)",
        "Mode, source or target of a question.",
    ),
    (
        "aclError acltdtBindQueueRoutes(acltdtQueueRouteList* qRouteList)",
        "Lets queues pass on what they get.",
    ),
    ("aclError acltdtUnbindQueueRoutes(acltdtQueueRouteList* qRouteList)", "Ends routes."),
    (
        "aclError acltdtQueryQueueRoutes(const acltdtQueueRouteQueryInfo* queryInfo,"
        " acltdtQueueRouteList* qRouteList)",
        "Adds the routes that answer a question to a list.",
    ),
)

CHANNELS = functions(
    ACL_TDT,
    (
        "acltdtDataItem* acltdtCreateDataItem(acltdtTensorType tdtType, const int64_t* dims,"
        " size_t dimNum, aclDataType dataType, void* data, size_t size)",
        "Describes memory as a tensor, or the end of a sequence.",
    ),
    ("aclError acltdtDestroyDataItem(acltdtDataItem* dataItem)", "Ends the description only."),
    (
        "acltdtTensorType acltdtGetTensorTypeFromItem(const acltdtDataItem* dataItem)",
        "What the item is.",
    ),
    ("aclDataType acltdtGetDataTypeFromItem(const acltdtDataItem* dataItem)", "Element type."),
    ("void* acltdtGetDataAddrFromItem(const acltdtDataItem* dataItem)", "Where its memory is."),
    ("size_t acltdtGetDataSizeFromItem(const acltdtDataItem* dataItem)", "Bytes of its memory."),
    ("size_t acltdtGetDimNumFromItem(const acltdtDataItem* dataItem)", "Rank."),
    (
        "aclError acltdtGetDimsFromItem(const acltdtDataItem* dataItem, int64_t* dims, size_t"
        " dimNum)",
        "Shape.",
    ),
    (
        "aclError acltdtGetSliceInfoFromItem(const acltdtDataItem* dataItem, size_t* sliceNum,"
        " size_t* sliceId)",
        "Which part of a cut tensor it is: none is cut here.",
    ),
    ("acltdtDataset* acltdtCreateDataset()", "Makes an empty set of items."),
    (
        "aclError acltdtDestroyDataset(acltdtDataset* dataset)",
        "Ends a set, and its items if they were received.",
    ),
    (
        "aclError acltdtAddDataItem(acltdtDataset* dataset, acltdtDataItem* dataItem)",
        "Adds an item to a set.",
    ),
    (
        "acltdtDataItem* acltdtGetDataItem(const acltdtDataset* dataset, size_t index)",
        "One item of a set.",
    ),
    ("size_t acltdtGetDatasetSize(const acltdtDataset* dataset)", "Items of a set."),
    (
        "const char* acltdtGetDatasetName(const acltdtDataset* dataset)",
        "Name that the sender gave: none here.",
    ),
    (
        "acltdtChannelHandle* acltdtCreateChannel(uint32_t deviceId, const char* name)",
        "Opens a channel by name, to send or (TF_RECEIVE_...) to receive.",
    ),
    (
        "acltdtChannelHandle* acltdtCreateChannelWithCapacity(uint32_t deviceId, const char*"
        " name, size_t capacity)",
        "Opens a channel that gives back what it was sent.",
    ),
    ("aclError acltdtDestroyChannel(acltdtChannelHandle* handle)", "Closes a channel."),
    ("aclError acltdtStopChannel(acltdtChannelHandle* handle)", "Ends the waits of a receiver."),
    ("aclError acltdtCleanChannel(acltdtChannelHandle* handle)", "Drops what was not received."),
    (
        "aclError acltdtSendTensor(const acltdtChannelHandle* handle, const acltdtDataset*"
        " dataset, int32_t timeout)",
        "Copies a set into a channel; waits while it is full.",
    ),
    (
        "aclError acltdtReceiveTensor(const acltdtChannelHandle* handle, acltdtDataset*"
        " dataset, int32_t timeout)",
        "Takes a set out of a channel; waits for one.",
    ),
    (
        "aclError acltdtQueryChannelSize(const acltdtChannelHandle* handle, size_t* size)",
        "Sets that were not received yet.",
    ),
)

FUNCTIONS = (*BUFFERS, *QUEUES, *CHANNELS)
