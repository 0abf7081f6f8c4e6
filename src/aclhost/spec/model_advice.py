# SPDX-License-Identifier: Apache-2.0
"""What leads to the status codes of models and aborts, and what to do; see error_advice.py."""

from __future__ import annotations

MODEL_ADVICE: dict[int, tuple[tuple[str, ...], str]] = {
    107005: (
        (
            "A task that only models have, as a label or a switch, goes to a stream of no model.",
            "A stream is bound to a model already, or is destroyed or aborted while it is.",
            "A model is completed without a stream to begin with.",
        ),
        "Call aclmdlRIBindStream first; call aclmdlRIUnbindStream, or destroy the model, to end.",
    ),
    107022: (
        ("aclrtDeviceTaskAbort dropped the tasks that were awaited.",),
        "Submit again what is still wanted; the stream can be used.",
    ),
    107023: (
        ("aclrtStreamAbort dropped the tasks that were awaited.",),
        "Submit again what is still wanted; the stream can be used.",
    ),
    507011: (
        (
            "All streams of a model stopped before one reached the task of aclmdlRIEndTask.",
            "A jump goes to a label that was not set in the model.",
            "A stream is to begin that has not stopped yet, or is no longer bound.",
        ),
        "Read aclGetRecentErrMsg() right after the failure, on the same thread: it says which.",
    ),
    507023: (
        ("aclmdlRIAbort ended the run, or the stream that ran the model was aborted.",),
        "Run the model again if it is still wanted.",
    ),
    507031: (
        ("A label is used while another context is current than the one it was created in.",),
        "Make the label's context current: aclrtSetCurrentContext.",
    ),
}
