# SPDX-License-Identifier: Apache-2.0
"""Absurd shapes overflow nothing: the headers, compiled with a sanitizer."""

from __future__ import annotations

from pathlib import Path

from support.programs import run

from aclhost.building import toolkit

NATIVE = Path(__file__).parents[2] / "native"
VIEWS = """
#include "operator/views.h"

int main() {
  aclhost::Shape shape;
  shape.rank = 3;
  for (int i = 0; i < 3; ++i) shape.dims[i] = int64_t{1} << 62;
  const aclhost::TensorView view = aclhost::row_major_view(shape, ACL_FLOAT);
  return view.elements() == 0 ? 0 : 1;
}
"""
# Pools of 2 in planes whose rows share vectors; what no lane needs holds the largest numbers.
PACKED_POOL = """
#include <cstdlib>
#include <cstring>
#include <vector>

#include "kernels/pooling/max_pool3d_packed.h"

using namespace aclhost;

template <typename T>
void pool() {
  constexpr int64_t kSize = sizeof(T), kDepth = 4, kHeight = 6, kWidth = 6;
  std::vector<T> input(kDepth * kHeight * kWidth);
  const Slab slab = {reinterpret_cast<char*>(input.data()),
                     {kDepth, kHeight, kWidth},
                     {kHeight * kWidth * kSize, kWidth * kSize, kSize}};
  const int64_t numbers[] = {2, 0, 1};
  const IntArrayView two{true, 1, numbers}, none{true, 1, numbers + 1}, one{true, 1, numbers + 2};
  const Window window(two, two, none, one, false);
  const int64_t bytes = PackedMaxima<T>::memory(slab, window, kHeight / 2, kWidth / 2);
  char* const memory = static_cast<char*>(std::aligned_alloc(64, (bytes + 127) / 64 * 64));
  std::memset(memory, 0x7f, bytes);
  PackedMaxima<T> maxima(window, slab, kHeight / 2, kWidth / 2, memory);
  for (int64_t d = 0; d < kDepth / 2; ++d) maxima.compute({2 * d, 1, 2});
  std::free(memory);
}

int main() {
  pool<float>();
  pool<Half>();
}
"""


def run_sanitized(source: str, directory: Path, *others: Path) -> None:
    file, program = directory / "program.cpp", directory / "program"
    file.write_text(source)
    checks = ["-fsanitize=undefined", "-fno-sanitize-recover=all"]
    flags = ["-std=c++17", f"-I{NATIVE}", *toolkit.cflags(), *checks]
    run(["g++", file, *others, "-o", program, *flags])
    run([program])


def test_dense_views_of_absurd_shapes(tmp_path: Path) -> None:
    run_sanitized(VIEWS, tmp_path)


def test_lanes_that_nobody_uses(tmp_path: Path) -> None:
    run_sanitized(PACKED_POOL, tmp_path, NATIVE / "operator/shapes.cc")
