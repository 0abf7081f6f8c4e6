// SPDX-License-Identifier: Apache-2.0
// Rows of 16-bit floats that are widened and narrowed a few elements at a time, so that processors
// read memory while they compute: of whole rows, conversions would wait for memory first.
#pragma once

#include <algorithm>
#include <cstdint>

#include "simd/simd.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

constexpr int64_t kStoredChunk = 64;

// What is left after the last whole vector of a row, with zeros after it.
template <typename Stored>
struct LastElements {
  LastElements(const Stored* first, int64_t count) { std::copy_n(first, count, elements); }
  Stored elements[kLanes<float>] = {};
};

// The results of make(a, b, ...), which takes vectors of floats, for all elements of arrays of
// floats or 16-bit ones. They may take the place of an input.
template <typename Stored, typename Make, typename... Inputs>
void make_vectors(int64_t n, Stored* out, const Make& make, const Inputs*... in) {
  constexpr int64_t kStep = kLanes<float>;
  if (n < kStep) {
    Stored few[kStep];
    store_narrowed(few, make(load_widened(LastElements<Inputs>(in, n).elements)...));
    std::copy_n(few, n, out);
    return;
  }
  // The last vector reaches back: it is made before others take the place of what it is made of.
  const auto last = make(load_widened(in + n - kStep)...);
  for (int64_t i = 0; i + kStep <= n; i += kStep) {
    store_narrowed(out + i, make(load_widened(in + i)...));
  }
  store_narrowed(out + n - kStep, last);
}

template <typename Stored>
void widen_chunk(const Stored* from, int64_t count, float* to) {
  constexpr int64_t kStep = kLanes<float>;
  int64_t k = 0;
  for (; k + kStep <= count; k += kStep) store_vector(to + k, load_widened(from + k));
  if (k == count) return;
  store_vector(to + k, load_widened(LastElements<Stored>(from + k, count - k).elements));
}

template <typename Stored>
void narrow_chunk(const float* from, int64_t count, Stored* to) {
  constexpr int64_t kStep = kLanes<float>;
  int64_t k = 0;
  for (; k + kStep <= count; k += kStep) {
    store_narrowed(to + k, load_vector<Vector<float>>(from + k));
  }
  if (k == count) return;
  Stored last[kStep];
  store_narrowed(last, load_vector<Vector<float>>(from + k));
  std::copy_n(last, count - k, to + k);
}

// Calls make(first, count, inputs, results) with chunks of rows as floats: for functions of single
// numbers, which compilers make vectors of. What follows a shorter last chunk is of no use and does
// no harm: it may be computed, too. The results may take the place of an input.
template <int inputs, typename Stored, typename Make>
void make_chunks(const Stored* const* in, int64_t n, Stored* out, const Make& make) {
  alignas(64) float values[inputs][kStoredChunk] = {}, results[kStoredChunk] = {};
  const auto make_chunk = [&](int64_t first, int64_t count) __attribute__((always_inline)) {
    for (int k = 0; k < inputs; ++k) widen_chunk(in[k] + first, count, values[k]);
    make(first, count, values, results);
  };
  if (n < kStoredChunk) {
    make_chunk(0, n);
    return narrow_chunk(results, n, out);
  }
  // The last chunk reaches back: it is made before others take the place of what it is made of.
  // Counts are constants: loops over them have no ends to look after.
  Stored last[kStoredChunk];
  const int64_t whole = n / kStoredChunk * kStoredChunk;
  if (whole < n) {
    make_chunk(n - kStoredChunk, kStoredChunk);
    narrow_chunk(results, kStoredChunk, last);
  }
  for (int64_t i = 0; i < whole; i += kStoredChunk) {
    make_chunk(i, kStoredChunk);
    narrow_chunk(results, kStoredChunk, out + i);
  }
  if (whole < n) std::copy_n(last, kStoredChunk, out + n - kStoredChunk);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
