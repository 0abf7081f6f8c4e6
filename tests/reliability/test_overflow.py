# SPDX-License-Identifier: Apache-2.0
"""Absurd shapes overflow nothing: the headers, compiled with a sanitizer."""

from __future__ import annotations

from pathlib import Path

from support.programs import run

from aclhost import _toolkit

NATIVE = Path(__file__).parents[2] / "native"
PROGRAM = """
#include "operator/views.h"

int main() {
  aclhost::Shape shape;
  shape.rank = 3;
  for (int i = 0; i < 3; ++i) shape.dims[i] = int64_t{1} << 62;
  const aclhost::TensorView view = aclhost::row_major_view(shape, ACL_FLOAT);
  return view.elements() == 0 ? 0 : 1;
}
"""


def test_dense_views_of_absurd_shapes(tmp_path: Path) -> None:
    source, program = tmp_path / "views.cpp", tmp_path / "views"
    source.write_text(PROGRAM)
    checks = ["-fsanitize=undefined", "-fno-sanitize-recover=all"]
    flags = ["-std=c++17", f"-I{NATIVE}", *_toolkit.cflags(), *checks]
    run(["g++", source, "-o", program, *flags])
    run([program])
