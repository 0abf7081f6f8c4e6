// SPDX-License-Identifier: Apache-2.0
// Note [Sums in float]
// Values take turns in kFloatLanes lanes. kFloatSteps values of a lane are added in float, by twos,
// before they become double: what that loses is far below the rounding of the result. Where fewer
// turns are left, lanes are added in float, too, so that at most as many values come together; the
// last values, less than a turn, become double in the last lanes. Where float is too narrow for
// it, a sum is not finite, and values have to be added in double.
#pragma once

#include <cstdint>
#include <cstring>
#include <utility>

#include "engines/lane_sums.h"

namespace aclhost {
inline namespace ACLHOST_ISA {

constexpr int kFloatLanes = 16;
constexpr int kFloatSteps = 8;
constexpr int64_t kFloatBlock = kFloatLanes * kFloatSteps;

namespace reduce_detail {

// Of arrays that are read from one end to the other, what comes a few pages after some elements:
// processors foresee the lines of a page, but not the next page.
template <int64_t count, typename T>
void prefetch_far(const T* elements) {
  constexpr int64_t kFar = 16 << 10;
  const auto later = reinterpret_cast<uintptr_t>(elements) + kFar;
  for (int64_t byte = 0; byte < count * int64_t{sizeof(T)}; byte += kLineBytes) {
    __builtin_prefetch(reinterpret_cast<const void*>(later + byte));
  }
}

// Adds neighbours until one number, or one vector, is left; memory is then read in its order.
template <typename Number>
void fold_neighbours(Number* numbers, int count) {
  for (; count > 1; count /= 2) {
    for (int i = 0; i < count / 2; ++i) numbers[i] = numbers[2 * i] + numbers[2 * i + 1];
  }
}

// What is left after the last whole block.
struct FloatRest {
  explicit FloatRest(int64_t n)
      : turns(static_cast<uint32_t>(n) % uint32_t{kFloatBlock} / kFloatLanes),
        values(static_cast<uint32_t>(n) % kFloatLanes) {}

  // Calls body with a power of two that is no less than the number of turns, unless that is 0.
  template <typename Body>
  void visit(const Body& body) const {
    if (turns > 4) return body(std::integral_constant<uint32_t, 8>{});
    if (turns > 2) return body(std::integral_constant<uint32_t, 4>{});
    if (turns > 0) body(std::integral_constant<uint32_t, 2>{});
  }

  uint32_t turns;   // whole ones
  uint32_t values;  // after these
};

// How many lanes of so many turns become double.
constexpr int lanes_of(uint32_t steps) {
  return kFloatLanes * static_cast<int>(steps) / kFloatSteps;
}

// Some lanes of a vector from one on, zeros after the last.
template <int first, typename V, int... lane>
auto lanes_from(V lanes, std::integer_sequence<int, lane...>) {
  constexpr int kCount = sizeof(V) / sizeof(Element<V>);
  return __builtin_shufflevector(lanes, V{}, (first + lane < kCount ? first + lane : kCount)...);
}

// The upper half of lanes added to the lower one.
template <typename V>
auto add_halves(V lanes) {
  constexpr int kHalf = sizeof(V) / sizeof(Element<V>) / 2;
  using Lanes = std::make_integer_sequence<int, kHalf>;
  return lanes_from<0>(lanes, Lanes()) + lanes_from<kHalf>(lanes, Lanes());
}

template <typename V>
Element<V> sum_of_lanes(V lanes) {
  if constexpr (sizeof(V) == 2 * sizeof(Element<V>)) {
    return lanes[0] + lanes[1];
  } else {
    return sum_of_lanes(add_halves(lanes));
  }
}

// The last turn of values, with zeros before those of short arrays.
template <typename T>
struct LastTurn {
  LastTurn(const T* values, int64_t n) : turn(values + n - kFloatLanes) {
    if (n >= kFloatLanes) return;
    std::memset(few, 0, sizeof few);
    std::memcpy(few + kFloatLanes - n, values, n * sizeof(T));
    turn = few;
  }
  LastTurn(const LastTurn&) = delete;
  const T* turn;
  T few[kFloatLanes];
};

// Bits that are set where such a turn has values that no whole turn has.
inline const uint32_t* last_turn_mask(int64_t n) {
  return kStepMask<float>.bits + kSumLanes - kFloatLanes + (n & (kFloatLanes - 1));
}

// The sum of what a function makes of floats, or of 16-bit ones, that lie side by side, and of
// those at the same places of other arrays.
template <typename T>
class FloatSum {
 public:
  template <typename Point, typename... Others>
  static double of(const Point& point, const T* values, int64_t n, const Others*... others) {
    Vector<double> sums[kParts * kSumVectors<float>] = {};
    int64_t i = 0;
    for (; i + kFloatBlock <= n; i += kFloatBlock) {
      prefetch_far<kFloatBlock>(values + i);
      (prefetch_far<kFloatBlock>(others + i), ...);
      add_turns<kFloatSteps>(point, kFloatSteps, sums, values + i, (others + i)...);
    }
    const FloatRest rest(n);
    rest.visit([&](auto steps) __attribute__((always_inline)) {
      add_turns<decltype(steps)::value>(point, rest.turns, sums, values + i, (others + i)...);
    });
    if (rest.values > 0) {
      add_last(point, n, sums, LastTurn<T>(values, n), LastTurn<Others>(others, n)...);
    }
    fold(sums, kFloatLanes / kLanes<double>);
    return sum_of_lanes(sums[0]);
  }

  // Of rows that follow each other, each a turn or more, but less than a block.
  static void of_rows(const T* values, int64_t rows, int64_t n, double* to) {
    const auto same = [](auto x) { return x; };
    const FloatRest rest(n);
    rest.visit([&](auto steps) {
      for (const T* const end = values + rows * n; values != end; values += n) {
        Vector<double> sums[kParts * kSumVectors<float>] = {};
        for (uint32_t s = 0; s < rest.turns; ++s)
          prefetch_far<kFloatLanes>(values + s * kFloatLanes);
        add_turns<decltype(steps)::value>(same, rest.turns, sums, values);
        if (rest.values > 0) add_last(same, n, sums, LastTurn<T>(values, n));
        fold(sums, kFloatLanes / kLanes<double>);
        *to++ = sum_of_lanes(sums[0]);
      }
    });
  }

 private:
  using Floats = Vector<float>;
  static constexpr int kParts = kFloatLanes / kLanes<float>;

  // So many turns, the others being zeros.
  template <uint32_t steps, typename Point, typename... Values>
  static __attribute__((always_inline)) void add_turns(const Point& point, uint32_t turns,
                                                       Vector<double>* sums,
                                                       const Values*... values) {
    Floats lanes[kParts];
    for (int part = 0; part < kParts; ++part) {
      Floats turn[steps];
      for (uint32_t s = 0; s < steps; ++s) {
        const int64_t at = s * kFloatLanes + part * kLanes<float>;
        turn[s] = s < turns ? point(load_widened(values + at)...) : Floats{};
      }
      fold_neighbours(turn, steps);
      lanes[part] = turn[0];
    }
    if constexpr (steps < kFloatSteps) {
      return add_lanes<kFloatLanes, lanes_of(steps)>(load_vector<Vector<float, kFloatLanes>>(lanes),
                                                     sums);
    }
    for (int part = 0; part < kParts; ++part) {
      add_to(sums + part * kSumVectors<float>, lanes[part]);
    }
  }

  // Adds the upper half of lanes to the lower one until so many are left.
  template <int count, int left>
  static __attribute__((always_inline)) void add_lanes(Vector<float, count> lanes,
                                                       Vector<double>* sums) {
    if constexpr (count > left) {
      add_lanes<count / 2, left>(add_halves(lanes), sums);
    } else {
      add_doubles<0>(cast_vector<double, left>(lanes), sums);
    }
  }

  // To a sum for each, as many as a vector has at a time.
  template <int first, typename V>
  static __attribute__((always_inline)) void add_doubles(V wide, Vector<double>* sums) {
    constexpr int kCount = kLanes<double>;
    sums[first / kCount] += lanes_from<first>(wide, std::make_integer_sequence<int, kCount>());
    if constexpr ((first + kCount) * sizeof(double) < sizeof(V)) {
      add_doubles<first + kCount>(wide, sums);
    }
  }

  // What is less than a turn, at the end.
  template <typename Point, typename... Turns>
  static __attribute__((always_inline)) void add_last(const Point& point, int64_t n,
                                                      Vector<double>* sums, const Turns&... last) {
    const uint32_t* const mask = last_turn_mask(n);
    for (int part = 0; part < kParts; ++part) {
      using Bits = Vector<uint32_t>;
      const int place = part * kLanes<float>;
      const auto found = bit_cast<Bits>(point(load_widened(last.turn + place)...));
      add_to(sums + part * kSumVectors<float>,
             bit_cast<Floats>(found & load_vector<Bits>(mask + place)));
    }
  }
};

// The sums of as many columns as a vector of floats has lanes, in the order of FloatSum. T may be
// of 16 bits.
template <typename T>
class FloatColumns {
 public:
  FloatColumns(const T* first, int64_t step, int64_t n)
      : first_(first), step_(step), n_(n), rest_(n) {
    if (n == kFloatBlock) rest_.turns = kFloatSteps;
  }

  // Of no more than a block of rows.
  __attribute__((flatten)) void sum(double* sums) const {
    const FloatColumns own = *this;  // on the stack, what it holds stays in registers
    if (rest_.turns == 0) {
      const Sums total = own.tree<0, true, 0, 1>();
      std::memcpy(sums, total.vectors, sizeof total);
      return;
    }
    rest_.visit([&](auto count) {
      constexpr uint32_t steps = decltype(count)::value;
      const Sums total =
          own.rest_.values > 0 ? own.tree<steps, true, 0, 1>() : own.tree<steps, false, 0, 1>();
      std::memcpy(sums, total.vectors, sizeof total);
    });
  }

  // Lanes of more rows, which do not fit in registers. Blocks are added one after the other, the
  // last of which may have less rows; then it looks back at what came before it.
  struct Lanes;
  __attribute__((flatten)) void add_block(Lanes& to) const {
    const FloatColumns own = *this;
    rest_.visit([&](auto count) {
      constexpr uint32_t steps = decltype(count)::value;
      own.template add_lanes<steps>(std::make_integer_sequence<int, lanes_of(steps)>(), to.sums);
    });
    for (int lane = kFloatLanes - static_cast<int>(rest_.values); lane < kFloatLanes; ++lane) {
      add_to(to.sums[lane].vectors, load_widened(row(n_ - kFloatLanes + lane)));
    }
  }
  // A lane of a whole block, whose rows begin with its first one.
  static void add_lane(const T* rows, int64_t step, int lane, Lanes& to) {
    Floats turn[kFloatSteps];
    for (int s = 0; s < kFloatSteps; ++s) {
      const T* const row = rows + s * kFloatLanes * step;
      turn[s] = load_widened(row);
    }
    fold_neighbours(turn, kFloatSteps);
    add_to(to.sums[lane].vectors, turn[0]);
  }
  static void store(Lanes& lanes, double* sums) {
    fold(lanes.sums, kFloatLanes);
    std::memcpy(sums, lanes.sums, sizeof lanes.sums[0]);
  }

 private:
  using Floats = Vector<float>;
  struct Sums {
    Vector<double> vectors[kSumVectors<float>] = {};

    void operator+=(const Sums& other) {
      for (int i = 0; i < kSumVectors<float>; ++i) vectors[i] += other.vectors[i];
    }
  };

  template <uint32_t steps, int... lane>
  void add_lanes(std::integer_sequence<int, lane...>, Sums* lanes) const {
    (add_to(lanes[lane].vectors, turns<steps, lane, sizeof...(lane)>()), ...);
  }

  // The sum of lanes `lane`, lane + distance, lane + 2 distance and so on.
  template <uint32_t steps, bool has_last, int lane, int distance>
  Sums tree() const {
    if constexpr (distance == (has_last ? kFloatLanes : lanes_of(steps))) {
      Sums sums = {};
      if constexpr (lane < lanes_of(steps)) {
        add_to(sums.vectors, turns<steps, lane, lanes_of(steps)>());
      }
      if (has_last && lane >= kFloatLanes - static_cast<int>(rest_.values)) {
        add_to(sums.vectors, load_widened(row(n_ - kFloatLanes + lane)));
      }
      return sums;
    } else {
      Sums sums = tree<steps, has_last, lane, 2 * distance>();
      const Sums other = tree<steps, has_last, lane + distance, 2 * distance>();
      sums += other;
      return sums;
    }
  }

  // The same in float, without the last values.
  template <uint32_t steps, int lane, int distance>
  Floats turns() const {
    if constexpr (distance == kFloatLanes) {
      static constexpr T kZeros[kLanes<float>] = {};
      Floats turn[steps];
      for (uint32_t s = 0; s < steps; ++s) {
        turn[s] = load_widened(s < rest_.turns ? row(s * kFloatLanes + lane) : kZeros);
      }
      fold_neighbours(turn, steps);
      return turn[0];
    } else {
      return turns<steps, lane, 2 * distance>() + turns<steps, lane + distance, 2 * distance>();
    }
  }

  const T* row(int64_t number) const { return first_ + number * step_; }

  const T* first_;
  int64_t step_, n_;
  FloatRest rest_;
};

template <typename T>
struct FloatColumns<T>::Lanes {
  Sums sums[kFloatLanes];
};

}  // namespace reduce_detail
}  // namespace ACLHOST_ISA
}  // namespace aclhost
