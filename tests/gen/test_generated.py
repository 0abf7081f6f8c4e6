# SPDX-License-Identifier: Apache-2.0
"""What the generator writes: the prototypes users compile against, and where to edit them."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from aclhost import gen
from aclhost.gen.__main__ import write

# Typed from the operators' documents, so that a slip in a declaration shows.
PROTOTYPES = {
    "aclnn_max_unpool3d_backward.h": "aclnnMaxUnpool3dBackwardGetWorkspaceSize("
    "const aclTensor* gradOutput, const aclTensor* self, const aclTensor* indices, "
    "const aclIntArray* outputSize, const aclIntArray* stride, const aclIntArray* padding, "
    "aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor);",
    "aclnn_max_unpool3d.h": "aclnnMaxUnpool3dGetWorkspaceSize("
    "const aclTensor* self, const aclTensor* indices, const aclIntArray* outputSize, "
    "const aclIntArray* stride, const aclIntArray* padding, aclTensor* outRef, "
    "uint64_t* workspaceSize, aclOpExecutor** executor);",
    "aclnn_upsample_nearest_3d_backward.h": "aclnnUpsampleNearest3dBackwardGetWorkspaceSize("
    "const aclTensor* gradOut, const aclIntArray* outputSize, const aclIntArray* inputSize, "
    "double scalesD, double scalesH, double scalesW, aclTensor* gradInput, "
    "uint64_t* workspaceSize, aclOpExecutor** executor);",
    "aclnn_upsample_nearest_3d.h": "aclnnUpsampleNearest3dGetWorkspaceSize("
    "const aclTensor* self, const aclIntArray* outputSize, double scalesD, double scalesH, "
    "double scalesW, aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor);",
    "aclnn_max_pool3d_with_argmax_backward.h": "aclnnMaxPool3dWithArgmaxBackwardGetWorkspaceSize("
    "const aclTensor* gradOutput, const aclTensor* self, const aclTensor* indices, "
    "const aclIntArray* kernelSize, const aclIntArray* stride, const aclIntArray* padding, "
    "const aclIntArray* dilation, bool ceilMode, aclTensor* gradInput, uint64_t* workspaceSize, "
    "aclOpExecutor** executor);",
    "aclnn_max_pool3d_with_argmax.h": "aclnnMaxPool3dWithArgmaxGetWorkspaceSize("
    "const aclTensor* self, const aclIntArray* kernelSize, const aclIntArray* stride, "
    "const aclIntArray* padding, const aclIntArray* dilation, bool ceilMode, aclTensor* out, "
    "aclTensor* indices, uint64_t* workspaceSize, aclOpExecutor** executor);",
    "aclnn_elu_backward.h": "aclnnEluBackwardGetWorkspaceSize("
    "const aclTensor* gradOutput, const aclScalar* alpha, const aclScalar* scale, "
    "const aclScalar* inputScale, bool isResult, const aclTensor* selfOrResult, "
    "aclTensor* gradInput, uint64_t* workspaceSize, aclOpExecutor** executor);",
    "aclnn_smooth_l1_loss_backward.h": "aclnnSmoothL1LossBackwardGetWorkspaceSize("
    "const aclTensor* gradOut, const aclTensor* self, const aclTensor* target, "
    "int64_t reduction, float beta, aclTensor* gradInput, uint64_t* workspaceSize, "
    "aclOpExecutor** executor);",
    "aclnn_smooth_l1_loss.h": "aclnnSmoothL1LossGetWorkspaceSize("
    "const aclTensor* self, const aclTensor* target, int64_t reduction, float beta, "
    "aclTensor* result, uint64_t* workspaceSize, aclOpExecutor** executor);",
}
ELU = (
    "aclnnEluGetWorkspaceSize(const aclTensor* self, const aclScalar* alpha, "
    "const aclScalar* scale, const aclScalar* inputScale, aclTensor* out, "
    "uint64_t* workspaceSize, aclOpExecutor** executor);",
    "aclnnInplaceEluGetWorkspaceSize(aclTensor* selfRef, const aclScalar* alpha, "
    "const aclScalar* scale, const aclScalar* inputScale, uint64_t* workspaceSize, "
    "aclOpExecutor** executor);",
)
PHASE_TWO = (
    "(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor, aclrtStream stream);"
)


@cache
def files() -> dict[str, str]:
    return dict(gen.emit_all())


def header(name: str) -> str:
    """Without line breaks inside prototypes."""
    return re.sub(r"\s+", " ", files()[f"include/aclnnop/{name}"])


@pytest.mark.parametrize(("name", "prototype"), PROTOTYPES.items(), ids=PROTOTYPES)
def test_prototypes(name: str, prototype: str) -> None:
    assert f"ACLNN_API aclnnStatus {prototype}" in header(name)
    operator = prototype.partition("GetWorkspaceSize")[0]
    assert f"ACLNN_API aclnnStatus {operator}{PHASE_TWO}" in header(name)


def test_one_header_holds_both_elus() -> None:
    for prototype in ELU:
        assert f"ACLNN_API aclnnStatus {prototype}" in header("aclnn_elu.h")


def test_generated_files_name_the_file_to_edit() -> None:
    root = Path(__file__).resolve().parents[2]
    for path, text in files().items():
        named = re.findall(r"src/aclhost/[\w/.]+", text[:400])
        assert named, path
        assert all((root / name.rstrip(".:")).exists() for name in named), path


def test_only_changes_are_written(tmp_path: Path) -> None:
    write(tmp_path, {"a/kept.h": "1", "b.h": "2"})
    before = (tmp_path / "a/kept.h").stat().st_mtime_ns
    write(tmp_path, {"a/kept.h": "1", "c.h": "3"})
    assert (tmp_path / "a/kept.h").stat().st_mtime_ns == before
    assert not (tmp_path / "b.h").exists()
    assert (tmp_path / "c.h").read_text() == "3"
