# SPDX-License-Identifier: Apache-2.0
"""C functions of models from bound streams, of labels, and of what ends work early."""

from __future__ import annotations

from aclhost.spec.enums import ACL_RT
from aclhost.spec.functions import functions

MODELS = functions(
    ACL_RT,
    ("aclError aclmdlRIBuildBegin(aclmdlRI* modelRI, uint32_t flag)", "Begins a model."),
    (
        "aclError aclmdlRIBindStream(aclmdlRI modelRI, aclrtStream stream, uint32_t flag)",
        "Keeps the tasks of a stream for a model.",
    ),
    (
        "aclError aclmdlRIEndTask(aclmdlRI modelRI, aclrtStream stream)",
        "The task that ends each run of a model.",
    ),
    ("aclError aclmdlRIBuildEnd(aclmdlRI modelRI, void* reserve)", "Completes a model."),
    (
        "aclError aclmdlRIUnbindStream(aclmdlRI modelRI, aclrtStream stream)",
        "Takes a stream out of a model.",
    ),
    ("aclError aclmdlRIAbort(aclmdlRI modelRI)", "Ends the run of a model that is under way."),
    (
        "aclError aclrtActiveStream(aclrtStream activeStream, aclrtStream stream)",
        "Lets a stream of a model begin, beside the one that says so.",
    ),
    (
        "aclError aclrtSwitchStream(void* leftValue, aclrtCondition cond, void* rightValue,"
        " aclrtCompareDataType dataType, aclrtStream trueStream, aclrtStream falseStream,"
        " aclrtStream stream)",
        "Goes on with another stream of a model, if a comparison holds.",
    ),
)

LABELS = functions(
    ACL_RT,
    ("aclError aclrtCreateLabel(aclrtLabel* label)", "Creates a label."),
    ("aclError aclrtSetLabel(aclrtLabel label, aclrtStream stream)", "Its place in a model."),
    ("aclError aclrtDestroyLabel(aclrtLabel label)", "Ends a label."),
    (
        "aclError aclrtCreateLabelList(aclrtLabel* labels, size_t num, aclrtLabelList* labelList)",
        "Labels to choose from.",
    ),
    ("aclError aclrtDestroyLabelList(aclrtLabelList labelList)", "Ends a list of labels."),
    (
        "aclError aclrtSwitchLabelByIndex(void* ptr, uint32_t maxValue, aclrtLabelList labelList,"
        " aclrtStream stream)",
        "Goes on at the label that a number in device memory names.",
    ),
)

ENDINGS = functions(
    ACL_RT,
    (
        "aclError aclrtStreamAbort(aclrtStream stream)",
        "Drops what has not begun, and waits for what runs.",
    ),
    ("aclError aclrtStreamStop(aclrtStream stream)", "Ends a wait that is under way."),
    (
        "aclError aclrtDeviceTaskAbort(int32_t deviceId, uint32_t timeout)",
        "Drops the tasks of all streams of a device.",
    ),
)

FUNCTIONS = (*MODELS, *LABELS, *ENDINGS)
