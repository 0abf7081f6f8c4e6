// SPDX-License-Identifier: Apache-2.0
// Connectionist temporal classification: the probability of all alignments of a target, summed in
// logarithms and in double. A path of a target with L labels has 2 L + 1 places: blanks around and
// between the labels.
#include "ops/ctc_loss.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <new>

#include "base/parallel.h"
#include "dtypes.h"
#include "engines/dense.h"
#include "kernels/creation/fill.h"
#include "kernels/loss/element.h"
#include "operator/index_error.h"
#include "ops/ctc_loss_backward.h"
#include "simd/math.h"

namespace aclhost {
inline namespace ACLHOST_ISA {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();

double add_logs(double a, double b) {
  const double most = std::max(a, b);
  if (most == kNever) return kNever;
  return most + std::log(std::exp(a - most) + std::exp(b - most));
}

// Rows of places are filled up to so many: loops leave no rest.
constexpr int64_t kPlaceGroup = 8;

int64_t whole_groups(int64_t places) {
  return (places + kPlaceGroup - 1) / kPlaceGroup * kPlaceGroup;
}

// Exponentials of x <= 0 and the logarithm of their sum, as exact as double.
struct ExactLogs {
  static double exp(double x) { return math::exp(x); }
  static double log(double sum) { return math::log(sum); }
};
// To within 3e-10, in vectors. Results of float show no more. NaN stays.
struct ShortLogs {
  static double exp(double x) {
    const double power = math::Exponential::of(math::clamp(x, -600.0, 0.0)).value();
    return x < -600 ? 0 : power;
  }
  static double log(double sum) {
    const double special = sum == 0 ? kNever : sum;
    return sum > 0 ? math::log_normal(sum) : special;
  }
};

// For a group of places: the logarithm of the sum of three, the last with a penalty, and more.
template <typename Logs>
void add_logs(const double* a, const double* b, const double* c, const double* penalties,
              const double* more, double* __restrict to) {
  for (int64_t i = 0; i < kPlaceGroup; ++i) {
    const double x = a[i], y = b[i], z = c[i] + penalties[i];
    const double two = x > y ? x : y, most = z > two ? z : two;
    const double shift = most == kNever ? 0 : most;
    const double sum = Logs::exp(x - shift) + Logs::exp(y - shift) + Logs::exp(z - shift);
    to[i] = shift + Logs::log(sum) + more[i];
  }
}

// A tensor of three dimensions, element by element; a missing middle one has length 1.
struct Cube {
  explicit Cube(const TensorView& view) : dtype(view.dtype) {
    const int64_t size = data_type_bits(dtype) / 8;
    start = static_cast<char*>(view.data) + view.offset * size;
    const bool flat = view.rank == 2;
    const int last = view.rank - 1;
    const int64_t all[] = {view.strides[0], flat ? 0 : view.strides[1], view.strides[last]};
    for (int i = 0; i < 3; ++i) strides[i] = all[i] * size;
    lengths[0] = view.shape[0];
    lengths[1] = flat ? 1 : view.shape[1];
    lengths[2] = view.shape[last];
  }

  char* at(int64_t i, int64_t j, int64_t k) const {
    return start + i * strides[0] + j * strides[1] + k * strides[2];
  }
  double get(int64_t i, int64_t j, int64_t k) const { return load_real(at(i, j, k), dtype); }
  void set(int64_t i, int64_t j, int64_t k, double value) const {
    store_real(at(i, j, k), dtype, value);
  }

  aclDataType dtype;
  char* start;
  int64_t strides[3];  // bytes
  int64_t lengths[3];
};

// The labels of one sample and the logarithms of their probabilities.
struct Sample {
  const Cube& logs;
  int64_t number;
  int64_t times;
  const int64_t* labels;
  int64_t count;
  int64_t blank;

  int64_t places() const { return 2 * count + 1; }
  int64_t label(int64_t place) const { return place % 2 == 0 ? blank : labels[place / 2]; }
  // Whether a path may leave out the blank between two places.
  bool skips(int64_t place, int64_t other) const { return label(place) != label(other); }
  // A label that does not exist is never there.
  double log(int64_t time, int64_t place) const {
    const int64_t number_of = label(place);
    const bool exists = number_of >= 0 && number_of < logs.lengths[2];
    return exists ? logs.get(time, number, number_of) : kNever;
  }
};

// Where the labels of each sample are.
class Labels {
 public:
  Status take(const TensorView& view, const IntArrayView& lengths) {
    lengths_ = lengths;
    row_ = view.rank == 2 ? view.shape[1] : 0;
    total_ = view.elements();
    return labels_.take(view, ACL_INT64);
  }

  // Lengths that reach outside of the tensor are cut.
  Sample sample(const Cube& logs, int64_t number, int64_t times, int64_t blank) const {
    int64_t begin = number * row_;
    for (int64_t i = 0; row_ == 0 && i < number; ++i) begin += lengths_.at(i);
    begin = std::clamp<int64_t>(begin, 0, total_);
    const int64_t most = row_ == 0 ? total_ - begin : std::min(row_, total_ - begin);
    const int64_t count = std::clamp<int64_t>(lengths_.at(number), 0, most);
    return {logs,
            number,
            std::clamp<int64_t>(times, 0, logs.lengths[0]),
            labels_.as<int64_t>() + begin,
            count,
            blank};
  }

  // The first label that does not exist.
  BadIndex bad(const Sample& sample) const {
    for (int64_t i = 0; i < sample.count; ++i) {
      const int64_t label = sample.labels[i];
      if (label < 0 || label >= sample.logs.lengths[2]) {
        return {sample.labels + i - labels_.as<int64_t>(), label};
      }
    }
    return {};
  }

 private:
  DenseArray labels_;
  IntArrayView lengths_;
  int64_t row_ = 0;
  int64_t total_ = 0;
};

// Rows of a number for each place, with at least two impossible places before and behind.
class PlaceRows {
 public:
  PlaceRows(double* memory, int64_t places)
      : memory_(memory), padded_(whole_groups(places)), length_(padded_ + 4) {
    std::fill_n(memory, kRows * length_, kNever);
  }

  static int64_t numbers(int64_t places) { return kRows * (whole_groups(places) + 4); }

  // From the row before: paths come from the place itself, one step and two steps further.
  void add_step(int64_t step, aclDataType dtype) {
    const double *const from = before(), *const penalty = penalties(), *const more = logs();
    double* const to = now();
    auto* const add = dtype == ACL_DOUBLE ? add_logs<ExactLogs> : add_logs<ShortLogs>;
    for (int64_t s = 0; s < padded_; s += kPlaceGroup) {
      add(from + s, from + s + step, from + s + 2 * step, penalty + s, more + s, to + s);
    }
  }

  double* before() { return row(turn_); }
  double* now() { return row(1 - turn_); }
  void turn() { turn_ = 1 - turn_; }
  double* logs() { return row(2); }
  double* penalties() { return row(3); }

 private:
  static constexpr int kRows = 4;

  double* row(int number) { return memory_ + number * length_ + 2; }

  double* memory_;
  int64_t padded_;
  int64_t length_;
  int turn_ = 0;
};

// 0 where a path may leave out the blank between a place and the one two steps further.
void fill_penalties(const Sample& sample, int64_t step, double* penalties) {
  for (int64_t s = 0; s < sample.places(); ++s) {
    const int64_t other = s + 2 * step;
    const bool exists = other >= 0 && other < sample.places();
    penalties[s] = exists && sample.skips(s, other) ? 0 : kNever;
  }
}

void read_logs(const Sample& sample, int64_t time, double* logs) {
  for (int64_t s = 0; s < sample.places(); ++s) logs[s] = sample.log(time, s);
}

// Fills the sample's alphas and gives the logarithm of the target's probability.
double forward(const Sample& sample, const Cube& alphas, double* memory) {
  const int64_t places = sample.places();
  for (int64_t time = 0; time < alphas.lengths[1]; ++time) {
    for (int64_t s = 0; s < alphas.lengths[2]; ++s) alphas.set(sample.number, time, s, kNever);
  }
  if (sample.times == 0) return sample.count == 0 ? 0 : kNever;
  PlaceRows rows(memory, places);
  fill_penalties(sample, -1, rows.penalties());
  for (int64_t time = 0; time < sample.times; ++time) {
    double* const now = rows.now();
    read_logs(sample, time, rows.logs());
    if (time == 0) {
      std::copy_n(rows.logs(), std::min<int64_t>(places, 2), now);
    } else {
      rows.add_step(-1, sample.logs.dtype);
    }
    for (int64_t s = 0; s < std::min(places, alphas.lengths[2]); ++s) {
      alphas.set(sample.number, time, s, now[s]);
    }
    rows.turn();
  }
  const double* const last = rows.before() + places - 1;
  return places == 1 ? last[0] : add_logs(last[0], last[-1]);
}

// Adds the logarithms of all paths through each class at a time to a row of classes.
void add_paths(const Sample& sample, const Cube& alphas, int64_t time, const double* ends,
               double* classes) {
  for (int64_t s = 0; s < std::min(sample.places(), alphas.lengths[2]); ++s) {
    const int64_t label = sample.label(s);
    if (label < 0 || label >= sample.logs.lengths[2]) continue;
    classes[label] = add_logs(classes[label], alphas.get(sample.number, time, s) + ends[s]);
  }
}

// Whether no path leads to the end.
bool is_impossible(const Sample& sample, const Cube& alphas) {
  if (sample.times == 0) return sample.count > 0;
  const int64_t last = sample.places() - 1;
  for (int64_t s = std::max<int64_t>(last - 1, 0); s <= last && s < alphas.lengths[2]; ++s) {
    if (alphas.get(sample.number, sample.times - 1, s) != kNever) return false;
  }
  return true;
}

// The out tensor is zero.
void gradient(const Sample& sample, const Cube& alphas, const Cube& out, double loss, double factor,
              double* memory) {
  const int64_t places = sample.places(), classes = out.lengths[2];
  PlaceRows rows(memory, places);
  fill_penalties(sample, 1, rows.penalties());
  double *const sums = memory + PlaceRows::numbers(places), *const logs = sums + classes;
  for (int64_t time = sample.times - 1; time >= 0; --time) {
    double* const now = rows.now();
    read_logs(sample, time, rows.logs());
    if (time + 1 == sample.times) {
      const int64_t first = std::max<int64_t>(places - 2, 0);
      std::copy(rows.logs() + first, rows.logs() + places, now + first);
    } else {
      rows.add_step(1, sample.logs.dtype);
    }
    std::fill_n(sums, classes, kNever);
    add_paths(sample, alphas, time, now, sums);
    rows.turn();
    for (int64_t c = 0; c < classes; ++c) logs[c] = sample.logs.get(time, sample.number, c);
    for (int64_t c = 0; c < classes; ++c) {
      sums[c] = (math::exp(logs[c]) - math::exp(sums[c] + loss - logs[c])) * factor;
    }
    for (int64_t c = 0; c < classes; ++c) out.set(time, sample.number, c, sums[c]);
  }
}

// Calls body(sample, memory) for every sample, with room for so many numbers.
template <typename Body>
Status for_each_sample(int64_t samples, int64_t numbers, const Body& body) {
  std::atomic<bool> enough_memory{true};
  parallel_for(samples, 1, [&](int64_t begin, int64_t end) {
    const std::unique_ptr<double[]> memory(new (std::nothrow) double[numbers]);
    if (memory == nullptr) {
      enough_memory = false;
      return;
    }
    for (int64_t i = begin; i < end; ++i) body(i, memory.get());
  });
  return enough_memory ? Status{} : no_memory_for_copy();
}

int64_t most_places(const TensorView& targets) {
  return 2 * (targets.rank == 2 ? targets.shape[1] : targets.elements()) + 1;
}

}  // namespace

Status run(const CtcLossArgs& args) {
  const Cube logs(args.logProbs), alphas(args.logAlphaOut);
  Labels targets;
  Status status = targets.take(args.targets, args.targetlengths);
  if (!status.ok()) return status;
  const int64_t samples = logs.lengths[1], places = most_places(args.targets);
  const std::unique_ptr<double[]> losses(new (std::nothrow) double[samples]);
  if (losses == nullptr) return no_memory_for_copy();
  FirstBadIndex bad;
  status = for_each_sample(samples, PlaceRows::numbers(places), [&](int64_t i, double* memory) {
    const Sample sample = targets.sample(logs, i, args.inputLengths.at(i), args.blank);
    bad.add(targets.bad(sample));
    const double loss = -forward(sample, alphas, memory);
    losses[i] = args.zeroInfinity && std::isinf(loss) ? 0 : loss;
  });
  if (!status.ok()) return status;
  status = deliver(losses.get(), ACL_DOUBLE, args.logProbs.dtype, args.negLogLikelihoodOut);
  if (!status.ok() || bad.get().position < 0) return status;
  return class_out_of_range(args.kOperator, "targets", args.targets, bad.get(), logs.lengths[2]);
}

Status run(const CtcLossBackwardArgs& args) {
  const Cube logs(args.logProbs), alphas(args.logAlpha), out(args.out);
  Labels targets;
  DenseArray losses, factors;
  Status status = targets.take(args.targets, args.targetLengths);
  if (status.ok()) status = losses.take(args.negLogLikelihood, ACL_DOUBLE);
  if (status.ok()) status = factors.take(args.gradOut, ACL_DOUBLE);
  if (status.ok()) status = fill_with_zero(args.out);
  if (!status.ok()) return status;
  const int64_t samples = logs.lengths[1], places = most_places(args.targets);
  FirstBadIndex bad;
  const int64_t numbers = PlaceRows::numbers(places) + 2 * logs.lengths[2];
  status = for_each_sample(samples, numbers, [&](int64_t i, double* memory) {
    const Sample sample = targets.sample(logs, i, args.inputLengths.at(i), args.blank);
    bad.add(targets.bad(sample));
    const double loss = losses.as<double>()[i];
    if (args.zeroInfinity && (std::isinf(loss) || is_impossible(sample, alphas))) return;
    gradient(sample, alphas, out, loss, factors.as<double>()[i], memory);
  });
  if (!status.ok() || bad.get().position < 0) return status;
  return class_out_of_range(args.kOperator, "targets", args.targets, bad.get(), logs.lengths[2]);
}

}  // namespace ACLHOST_ISA
}  // namespace aclhost
