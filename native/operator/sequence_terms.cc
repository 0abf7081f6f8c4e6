// SPDX-License-Identifier: Apache-2.0
// The terms of src/aclhost/spec/sequences.py.
#include <algorithm>

#include "operator/terms.h"

namespace aclhost {
namespace {

IntArrayView ends_of(const Frame& frame, const TermCode* code) {
  return frame.args.int_array(static_cast<int>(code[1]));
}

int64_t length_of(const IntArrayView& ends, int64_t position) {
  if (position < 0 || static_cast<uint64_t>(position) >= ends.size) return 0;
  const int64_t start = position == 0 ? 0 : ends.values[position - 1];
  return std::max<int64_t>(saturated(__int128{ends.values[position]} - start), 0);
}

// Stops where visit() gives false.
template <typename Visit>
void for_each_sequence(const Frame& frame, const TermCode* code, const Visit& visit) {
  const auto count = static_cast<int64_t>(ends_of(frame, code).size);
  for (int64_t position = 0; position < count; ++position) {
    if (!visit(Frame{frame.args, frame.member, position})) return;
  }
}

bool every_sequence(const Frame& frame, const TermCode* code) {
  bool holds = true;
  for_each_sequence(frame, code,
                    [&](const Frame& each) { return holds = evaluate(each, code[2]) != 0; });
  return holds;
}

int64_t sum_of_sequences(const Frame& frame, const TermCode* code) {
  int64_t total = 0;
  for_each_sequence(frame, code, [&](const Frame& each) {
    total = saturated(__int128{total} + evaluate(each, code[2]));
    return true;
  });
  return total;
}

int64_t longest_sequence(const Frame& frame, const TermCode* code) {
  const IntArrayView ends = ends_of(frame, code);
  int64_t longest = 0;
  for_each_sequence(frame, code, [&](const Frame& each) {
    longest = std::max(longest, length_of(ends, each.position));
    return true;
  });
  return longest;
}

}  // namespace

int64_t evaluate_sequence_test(const Frame& frame, const TermCode* code) {
  switch (static_cast<TermKind>(code[0])) {
    case TermKind::kSequenceLength:
      return length_of(ends_of(frame, code), frame.position);
    case TermKind::kEverySequence:
      return every_sequence(frame, code);
    case TermKind::kSumOfSequences:
      return sum_of_sequences(frame, code);
    case TermKind::kLongestSequence:
      return longest_sequence(frame, code);
    default:
      return 0;
  }
}

}  // namespace aclhost
