# SPDX-License-Identifier: Apache-2.0
"""C functions about the life of the process: functions of the program at its stages, snapshots."""

from __future__ import annotations

from aclhost.spec.enums import ACL_RT
from aclhost.spec.functions import functions

FUNCTIONS = functions(
    ACL_RT,
    (
        "aclError aclInitCallbackRegister(aclRegisterCallbackType type, aclInitCallbackFunc"
        " cbFunc, void* userData)",
        "Has aclInit call a function; at once if it was called.",
    ),
    (
        "aclError aclInitCallbackUnRegister(aclRegisterCallbackType type, aclInitCallbackFunc"
        " cbFunc)",
        "Takes the function back.",
    ),
    (
        "aclError aclFinalizeCallbackRegister(aclRegisterCallbackType type,"
        " aclFinalizeCallbackFunc cbFunc, void* userData)",
        "Has aclFinalize call a function.",
    ),
    (
        "aclError aclFinalizeCallbackUnRegister(aclRegisterCallbackType type,"
        " aclFinalizeCallbackFunc cbFunc)",
        "Takes the function back.",
    ),
    (
        "aclError aclrtSnapShotProcessLock(int pid, void* reserve)",
        "Waits for all streams and holds the calls of other threads.",
    ),
    ("aclError aclrtSnapShotProcessUnlock(int pid, void* reserve)", "Lets them go on."),
    (
        "aclError aclrtSnapShotProcessBackup(int pid, aclrtSnapShotBackupArgs* args)",
        "A backup, which needs nothing here.",
    ),
    (
        "aclError aclrtSnapShotProcessRestore(int pid, aclrtSnapShotRestoreArgs* args)",
        "Goes back to locked after a backup.",
    ),
    (
        "aclError aclrtSnapShotCallbackRegister(aclrtSnapShotStage stage,"
        " aclrtSnapShotCallBack callback, void* args)",
        "Has a stage of snapshots call a function.",
    ),
    (
        "aclError aclrtSnapShotCallbackUnregister(aclrtSnapShotStage stage,"
        " aclrtSnapShotCallBack callback)",
        "Takes the function back.",
    ),
)
