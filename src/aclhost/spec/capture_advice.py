# SPDX-License-Identifier: Apache-2.0
"""What leads to the status codes of captured graphs, and what to do; see error_advice.py."""

from __future__ import annotations

CAPTURE_ADVICE: dict[int, tuple[tuple[str, ...], str]] = {
    107004: (
        ("A graph is run on a stream of another context than the one it was captured in.",),
        "Run it on a stream of its own context.",
    ),
    107024: (
        ("A captured stream waits for an event that was recorded outside the capture.",),
        "Record the event on a stream of the same capture, or wait before the capture begins.",
    ),
    107025: (
        ("A stream joined the capture by an event and the first stream never waited for it.",),
        "Record an event on the other stream and let the first one wait for it before the end.",
    ),
    107026: (
        ("A graph that is still being captured is run, changed or destroyed.",),
        "End the capture first: aclmdlRICaptureEnd.",
    ),
    107027: (
        (
            "A stream that is being captured is synchronised, queried or destroyed.",
            "A second capture begins on it.",
        ),
        "End the capture first, or use another stream.",
    ),
    107028: (
        ("An event that was recorded in a capture is queried or waited for by the host.",),
        "Use an event of its own inside the capture; wait for the stream that runs the graph.",
    ),
    107029: (
        ("A function that is for captures only got an ordinary stream.",),
        "Begin a capture first: aclmdlRICaptureBegin.",
    ),
    107030: (
        ("A call that the mode of a capture forbids, an allocation for example.",),
        "Make it before the capture, or begin with ACL_MODEL_RI_CAPTURE_MODE_RELAXED.",
    ),
    107031: (
        ("A capture begins on the default stream, or work on it meets one.",),
        "Create a stream and capture that.",
    ),
    107032: (
        ("A stream waits for an event of another capture.",),
        "Keep the streams and events of two captures apart.",
    ),
    107033: (
        ("A task group is ended without a beginning, or begun twice.",),
        "Pair aclmdlRICaptureTaskGrpBegin and aclmdlRICaptureTaskGrpEnd on one stream.",
    ),
    107036: (
        ("aclmdlRICaptureEnd got another stream than aclmdlRICaptureBegin.",),
        "End the capture on the stream on which it began.",
    ),
    107038: (
        ("A capture ends in another thread than the one it began in.",),
        "End it in that thread, or begin with ACL_MODEL_RI_CAPTURE_MODE_RELAXED.",
    ),
    107041: (
        ("A copy that would have to wait is queued while a capture forbids it.",),
        "Copy pinned memory, or copy before the capture.",
    ),
    507903: (
        ("An earlier call of the same capture failed.",),
        "Look for the first failure; end the capture and begin anew.",
    ),
}
