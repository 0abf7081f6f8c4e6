# SPDX-License-Identifier: Apache-2.0
"""What usually leads to a status code, and what to do; for those that aclhost itself returns."""

from __future__ import annotations

from dataclasses import dataclass

from aclhost.spec.capture_advice import CAPTURE_ADVICE
from aclhost.spec.model_advice import MODEL_ADVICE


@dataclass(frozen=True)
class Advice:
    """Usual causes, most frequent first, and the way out."""

    causes: tuple[str, ...]
    remedy: str


_TEXT = "Read aclGetRecentErrMsg() right after the failure, on the same thread"

ADVICE: dict[int, Advice] = {
    100000: Advice(
        (
            "A pointer argument is null.",
            "A size is 0, or an enum value is outside its range.",
            "aclInit is called again with another configuration than the first time.",
        ),
        f"{_TEXT}: it names the parameter and the value.",
    ),
    100001: Advice(
        ("A dump is begun before aclInit was called.",),
        "Call aclInit first.",
    ),
    100002: Advice(
        ("Two libraries of one process both call aclInit.",),
        "Harmless: treat it as success. The call is counted for aclFinalizeReference.",
    ),
    100003: Advice(
        ("The path given to aclInit does not exist for the current directory.",),
        "Pass an absolute path, or a null pointer for no configuration.",
    ),
    100006: Advice(
        ("The configuration file is empty or not a JSON object.",),
        'Write at least "{}" into it.',
    ),
    100009: Advice(
        (
            "The dump section names no directory, or one that does not exist.",
            "A key of it has a value that upstream does not know.",
        ),
        f"{_TEXT}: it names the key and what it may hold.",
    ),
    100037: Advice(
        ("aclFinalize is called twice, or without aclInit.",),
        "Finalize once, at the end of the process.",
    ),
    100045: Advice(
        ("aclmdlSetDump or aclmdlFinalizeDump comes before aclmdlInitDump.",),
        "Call aclmdlInitDump first, after aclInit.",
    ),
    107000: Advice(
        (
            "aclrtFree, aclrtMemcpy or aclrtMemset got an address that is not, or no longer, one "
            "of aclrtMalloc's.",
            "A copy is longer than the allocation, or than destMax.",
            "A context is used after it was destroyed.",
        ),
        f"{_TEXT}: it tells which address and which limit.",
    ),
    107001: Advice(
        ("aclrtSetDevice names a device that is not there.", "ASCEND_RT_VISIBLE_DEVICES hides it."),
        "Count devices from 0; ACLHOST_DEVICES sets how many aclhost shows.",
    ),
    107002: Advice(
        (
            "aclrtSetDevice was never called on this thread: a context is current per thread.",
            "aclrtResetDevice or aclrtDestroyContext ended the context before.",
        ),
        "Call aclrtSetDevice, or aclrtSetCurrentContext, at the start of each thread.",
    ),
    107003: Advice(
        ("A stream made in one context is used while another one is current.",),
        "Call aclrtSetCurrentContext with the stream's context first.",
    ),
    107017: Advice(
        ("The stream was destroyed before, or the pointer never was a stream.",),
        "Destroy a stream once, after the last synchronisation on it.",
    ),
    107021: Advice(
        ("aclrtCtxGetSysParamOpt asks for an option nobody set in this context.",),
        "Call aclrtCtxSetSysParamOpt first, or take the error as `default`.",
    ),
    200000: Advice(("The host is out of memory.",), "Free memory, or use smaller tensors."),
    207001: Advice(
        ("The size is wrong by a factor, often bytes against elements.", "Memory is never freed."),
        "Check the size in the text; aclhost's limit is this machine's memory.",
    ),
    207005: Advice(
        ("Millions of contexts were created and never destroyed.",),
        "Destroy contexts when they are no longer needed.",
    ),
    207007: Advice(
        ("Millions of events were created and never destroyed.",),
        "Destroy events when they are no longer needed.",
    ),
    207008: Advice(
        ("Streams are created in a loop and never destroyed.",),
        "Reuse streams, or destroy each with aclrtDestroyStream.",
    ),
    207009: Advice(
        ("Notifies are created in a loop and never destroyed.",),
        "Destroy them with aclrtDestroyNotify, or use them again.",
    ),
    361001: Advice(
        ("Phase 2 got a stream that was destroyed, or null while the thread has no context.",),
        "Call aclrtSetDevice on this thread and pass a live stream.",
    ),
    500000: Advice(
        ("ACLHOST_SOC names no known SoC.",),
        "Use a name like Ascend910B1; the support matrix has one for each product.",
    ),
    107006: Advice(
        ("An event has no time stamp, or has not happened yet.",),
        "Create it with aclrtCreateEvent or ACL_EVENT_TIME_LINE, record it, and synchronise it.",
    ),
    107009: Advice(
        ("A file to be written, such as a graph's description, is in no directory that exists.",),
        "Create the directory first, or name another file.",
    ),
    107010: Advice(
        ("The disk is full, or the file may not be written.",),
        "Free space, or name another file.",
    ),
    107011: Advice(
        ("A stream is subscribed twice, or unsubscribed without a subscription.",),
        "Pair aclrtSubscribeReport and aclrtUnSubscribeReport for each stream.",
    ),
    107012: Advice(
        (
            "aclrtProcessReport runs on a thread that no stream was subscribed for.",
            "aclrtUnSubscribeReport names another thread than the subscription.",
        ),
        "Pass the id of the serving thread (pthread_self) to aclrtSubscribeReport.",
    ),
    107015: Advice(
        ("aclrtLaunchCallback comes before aclrtSubscribeReport.",),
        "Subscribe a thread for the stream first, or use aclrtLaunchHostFunc.",
    ),
    107016: Advice(
        ("aclrtGetMemInfo gets a number that is no aclrtMemAttr.",),
        "Pass ACL_HBM_MEM (1).",
    ),
    207000: Advice(
        (
            "A function that aclhost does not provide; its text says why.",
            "aclrtMemcpyAsync between host and host, or an event of the wrong kind.",
        ),
        "Take the way that the text names; clients usually have a simpler one to fall back to.",
    ),
    507012: Advice(
        ("No callback arrived while aclrtProcessReport waited.",),
        "Usually harmless: call it again in a loop.",
    ),
    507033: Advice(
        ("The process was forked from one that had set a device.",),
        'Fork before the first aclrtSetDevice, or start children with exec (Python: "spawn").',
    ),
    507046: Advice(
        (
            "Work takes longer than the timeout.",
            "The stream waits for an event that nobody records.",
        ),
        "Raise the timeout, or look for the missing aclrtRecordEvent.",
    ),
    507047: Advice(
        ("The event's stream has not got to it in time.",),
        "Raise the timeout, or look at what its stream waits for.",
    ),
    507000: Advice(
        ("A task of the stream ran out of memory or met an internal error.",),
        f"{_TEXT}; if it is not about memory, report a bug.",
    ),
    507007: Advice(
        ("aclrtResetDevice is called more often than aclrtSetDevice.",),
        "Pair the calls; a context is destroyed once.",
    ),
    507018: Advice(
        ("A matrix that is to be inverted is singular.",),
        "It is reported at synchronisation. Pass matrices of full rank.",
    ),
    207013: Advice(
        ("Nothing was put into the queue, or sent through the channel, in time.",),
        "Wait longer, for ever with -1, or see that another thread sends.",
    ),
    200006: Advice(
        (
            "Items are added to a set of tensors that was received.",
            "A channel without a capacity is asked how full it is.",
        ),
        "Make a set of your own; create the channel by acltdtCreateChannelWithCapacity.",
    ),
    500001: Advice(
        ("A queue or a channel is full, empty or stopped, or has a route already.",),
        "The message tells which; wait longer, take something out, or create another one.",
    ),
    207014: Advice(
        ("Nobody has taken anything out of the queue or the channel in time.",),
        "Wait longer, for ever with -1, take out more often, or create it with more room.",
    ),
    507906: Advice(
        ("aclrtSnapShotProcessLock is called while the process is locked or backed up.",),
        "Call aclrtSnapShotProcessUnlock in between.",
    ),
    507907: Advice(
        ("aclrtSnapShotProcessUnlock is called while the process is running.",),
        "Call aclrtSnapShotProcessLock first.",
    ),
    507908: Advice(
        ("aclrtSnapShotProcessBackup is called while the process is running.",),
        "Call aclrtSnapShotProcessLock first.",
    ),
    507909: Advice(
        ("aclrtSnapShotProcessRestore is called before aclrtSnapShotProcessBackup.",),
        "Lock the process and back it up first.",
    ),
    507912: Advice(
        ("A function of aclrtSnapShotCallbackRegister returned something else than 0.",),
        "Look at that function; the message tells the stage and what it returned.",
    ),
    507913: Advice(
        ("aclrtSnapShotCallbackRegister got a function that the stage has already.",),
        "Register each function once for a stage, or unregister it first.",
    ),
    507910: Advice(
        ("aclrtHostRegister is called twice for the same memory.",),
        "Register memory once, or call aclrtHostUnregister in between.",
    ),
    507911: Advice(
        ("aclrtHostUnregister or aclrtHostGetDevicePointer got memory that is not registered.",),
        "Call aclrtHostRegister first, with the same address.",
    ),
    507015: Advice(
        (
            "A tensor was created with a null device address, or with a host address.",
            "Device memory was freed before the stream was synchronised.",
            "An index tensor holds values outside the volume it points into.",
        ),
        "It is reported at synchronisation, after the call that caused it. "
        f"{_TEXT}: it names the operator and the tensor.",
    ),
    107019: Advice(
        ("A wait with a limit, for a notify or a value, was not answered in time.",),
        "Check that the other stream or process sets it; allow more time, or 0 for no limit.",
    ),
    107039: Advice(
        ("The array for an answer has fewer places than the answer has members.",),
        "Ask for the number first, with a null array, then pass one that is long enough.",
    ),
    161001: Advice(
        (
            "A tensor, scalar or array was never created, or its creation failed and returned "
            "null.",
            "workspaceSize or executor is null, or phase 2 got the executor of a failed phase 1.",
            "Phase 2 got no workspace although phase 1 asked for one.",
        ),
        "Check the result of each aclCreate... call, and the status of phase 1 before phase 2; "
        "allocate what phase 1 writes to workspaceSize.",
    ),
    161002: Advice(
        (
            "A dtype that this product does not have: BF16 outside Atlas A2, A3 and Ascend 950 is "
            "a common one.",
            "Shapes or dtypes of two tensors that have to agree do not.",
            "A handle was destroyed before phase 1.",
            "The workspace of phase 2 is smaller than phase 1 asked for.",
        ),
        f"{_TEXT}: it names parameter, rule and value. `aclhost explain NAME ARG=...` checks a "
        "call without running it, on every product.",
    ),
    561000: Advice(
        (
            "An executor ran already: it lives for one phase 2 unless it was made repeatable.",
            "ACLHOST_SOC names no known SoC.",
        ),
        "Run phase 1 again, or call aclSetAclOpExecutorRepeatable right after it.",
    ),
    561101: Advice(
        ("Phase 1 is called over and over without phase 2, so that executors pile up.",),
        "Run or destroy each executor.",
    ),
    561002: Advice(
        ("Shapes that the operator only compares when it divides the work do not fit.",),
        f"{_TEXT}: it names the tensor and the shape that is wanted.",
    ),
    561103: Advice(
        (
            "The operator does not exist on this product.",
            "A strided tensor reaches outside the storage it was created with.",
            "The output's dtype is one that no conversion can deliver.",
            "aclhost does not compute the operator; `aclhost scan PATH` lists such operators.",
        ),
        "aclhost keeps the reason: "
        f"{_TEXT[0].lower()}{_TEXT[1:]}, or use `aclhost explain NAME ARG=...`.",
    ),
}
for _others in (CAPTURE_ADVICE, MODEL_ADVICE):
    ADVICE.update({code: Advice(*advice) for code, advice in _others.items()})
