# SPDX-License-Identifier: Apache-2.0
"""C functions of graphs: tasks of streams that are captured once and run many times."""

from __future__ import annotations

from aclhost.spec.enums import ACL_RT
from aclhost.spec.functions import functions

CAPTURES = functions(
    ACL_RT,
    (
        "aclError aclmdlRICaptureBegin(aclrtStream stream, aclmdlRICaptureMode mode)",
        "Keeps the tasks of a stream for a graph.",
    ),
    (
        "aclError aclmdlRICaptureToModelRIBegin(aclrtStream stream, aclmdlRI modelRI,"
        " aclmdlRICaptureMode mode)",
        "The same for a graph inside of another one.",
    ),
    (
        "aclError aclmdlRICaptureGetInfo(aclrtStream stream, aclmdlRICaptureStatus* status,"
        " aclmdlRI* modelRI)",
        "Whether a stream is captured, and into which graph.",
    ),
    ("aclError aclmdlRICaptureEnd(aclrtStream stream, aclmdlRI* modelRI)", "Completes a graph."),
    (
        "aclError aclmdlRICaptureThreadExchangeMode(aclmdlRICaptureMode* mode)",
        "What captures forbid this thread.",
    ),
    (
        "aclError aclmdlRICaptureTaskGrpBegin(aclrtStream stream)",
        "The next captured tasks can be exchanged.",
    ),
    (
        "aclError aclmdlRICaptureTaskGrpEnd(aclrtStream stream, aclrtTaskGrp* handle)",
        "The handle of those tasks.",
    ),
    (
        "aclError aclmdlRICaptureTaskUpdateBegin(aclrtStream stream, aclrtTaskGrp handle)",
        "The next tasks of the stream replace those of a group.",
    ),
    (
        "aclError aclmdlRICaptureTaskUpdateEnd(aclrtStream stream)",
        "Replaces them when the stream gets here.",
    ),
)

RUNS = functions(
    ACL_RT,
    (
        "aclError aclmdlRIExecuteAsync(aclmdlRI modelRI, aclrtStream stream)",
        "Queues all tasks of a graph.",
    ),
    (
        "aclError aclmdlRIExecute(aclmdlRI modelRI, int32_t timeout)",
        "Runs a graph and waits for it.",
    ),
    ("aclError aclmdlRIDestroy(aclmdlRI modelRI)", "Ends a graph."),
    (
        "aclError aclmdlRIDestroyRegisterCallback(aclmdlRI modelRI, aclrtCallback func,"
        " void* userData)",
        "A function to call when a graph ends.",
    ),
    (
        "aclError aclmdlRIDestroyUnregisterCallback(aclmdlRI modelRI, aclrtCallback func)",
        "Forgets that function.",
    ),
    ("aclError aclmdlRISetName(aclmdlRI modelRI, const char* name)", "Names a graph."),
    (
        "aclError aclmdlRIGetName(aclmdlRI modelRI, uint32_t maxLen, char* name)",
        "The name of a graph, empty at first.",
    ),
    ("aclError aclmdlRIGetId(aclmdlRI modelRI, uint32_t* modelRIId)", "The number of a graph."),
    (
        "aclError aclmdlRIGetStreams(aclmdlRI modelRI, aclrtStream* streams, uint32_t* numStreams)",
        "The streams whose tasks a graph holds.",
    ),
    (
        "aclError aclmdlRIDebugPrint(aclmdlRI modelRI)",
        "Checks the handle; there is no log to print to.",
    ),
    (
        "aclError aclmdlRIDebugJsonPrint(aclmdlRI modelRI, const char* path, uint32_t flags)",
        "Writes a graph for chrome://tracing.",
    ),
)

TASKS = functions(
    ACL_RT,
    (
        "aclError aclmdlRIGetTasksByStream(aclrtStream stream, aclmdlRITask* tasks,"
        " uint32_t* numTasks)",
        "Tasks of a graph by the stream that was captured.",
    ),
    (
        "aclError aclmdlRITaskGetSeqId(aclmdlRITask task, uint32_t* id)",
        "The place of a task in its graph.",
    ),
    (
        "aclError aclmdlRITaskGetType(aclmdlRITask task, aclmdlRITaskType* type)",
        "What kind of task it is.",
    ),
    (
        "aclError aclmdlRITaskGetParams(aclmdlRITask task, aclmdlRITaskParams* params)",
        "What a task works on.",
    ),
    (
        "aclError aclmdlRITaskSetParams(aclmdlRITask task, aclmdlRITaskParams* params)",
        "Another value to write or to wait for.",
    ),
    ("aclError aclmdlRITaskDisable(aclmdlRITask task)", "Leaves a task out of all later runs."),
    ("aclError aclmdlRIUpdate(aclmdlRI modelRI)", "Changes of tasks count without it, too."),
)

EVENTS = functions(
    ACL_RT,
    (
        "aclError aclrtRecordEventWithFlag(aclrtEvent event, aclrtStream stream, uint32_t flag)",
        "Records an event, in a graph also for streams outside of it.",
    ),
    (
        "aclError aclrtStreamWaitEventWithFlag(aclrtStream stream, aclrtEvent event,"
        " uint32_t timeout, uint32_t flag)",
        "Waits for an event, in a graph also for one from outside.",
    ),
    (
        "aclError aclrtStreamWaitEventWithTimeout(aclrtStream stream, aclrtEvent event,"
        " int32_t timeout)",
        "Waits for an event for so many seconds.",
    ),
    (
        "aclError aclrtValueWrite(void* devAddr, uint64_t value, uint32_t flag,"
        " aclrtStream stream)",
        "Writes 64 bits when the stream gets there.",
    ),
    (
        "aclError aclrtValueWait(void* devAddr, uint64_t value, uint32_t flag, aclrtStream stream)",
        "Holds the stream until 64 bits have a value.",
    ),
)

CONDITIONS = functions(
    ACL_RT,
    (
        "aclError aclmdlRICondHandleCreate(aclmdlRI modelRI, uint32_t defaultLaunchValue,"
        " aclmdlRICondHandleFlag flag, aclmdlRICondHandle* handle)",
        "A number in device memory that decides over graphs.",
    ),
    (
        "aclError aclmdlRICondHandleGetCondPtr(aclmdlRICondHandle handle, uint64_t** ptr)",
        "Where that number is.",
    ),
    (
        "aclError aclmdlRIAddCondTask(aclmdlRICondTaskParams params, aclrtStream stream,"
        " uint32_t flags)",
        "Graphs that run, or are repeated, by that number.",
    ),
)

FUNCTIONS = (*CAPTURES, *RUNS, *TASKS, *EVENTS, *CONDITIONS)
