// SPDX-License-Identifier: Apache-2.0
// RankSearch: the value at a position in the sorted order of more numbers than can be kept; exact. All of them are read
// in several passes. A pass keeps those in the range where the value lies, or counts them in buckets if they are too
// many: then the range of the next pass is that of one bucket. Buckets divide the range of the first values into equal
// parts. Where the position turned out to be outside of that, or in a bucket that has many of the values, those of the
// next pass divide the doubles that are left, so that it makes the range 32 times narrower whatever the values are. A
// position between two buckets takes a pass that looks for the values next to it on both sides.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace varve::aggregate {

class RankSearch {
 public:
  // Fewer values than these are rather kept than counted.
  static constexpr std::size_t kValuesMin = 64;

  // In the middle of the first pass, after these values: at least kValuesMin.
  explicit RankSearch(std::vector<double> values);

  // Finite values. More than `room` bytes are not taken for them, if it can be avoided.
  void add(std::span<const double> values, std::size_t room);
  // Of values between these that are all outside of the range, so that only their number matters?
  [[nodiscard]] bool are_outside(double min, double max) const;
  void add_outside(double min, double max, std::uint64_t count);

  // The end of a pass. False: all values have to be added again. True: `found` is the value at position
  // fraction * (n + 1), from 1, of n, interpolated as by at_position(); or nothing, if there were no values. Values may
  // come and go between the passes: the answer is that of the last pass.
  bool end_pass(double fraction, std::vector<double>& found);

  [[nodiscard]] std::size_t bytes() const;

 private:
  // Of keys, which are in order of the values; both inclusive.
  struct Range {
    std::uint64_t first, last;
    [[nodiscard]] bool empty() const { return first > last; }
  };

  void count_instead();
  [[nodiscard]] std::size_t bucket_of(std::uint64_t key) const;
  [[nodiscard]] std::uint64_t first_key(std::size_t bucket) const;
  void count(std::uint64_t key);
  [[nodiscard]] Range range_of(std::uint64_t rank) const;
  void start_pass(Range range);

  Range range_;  // that has the value; empty: between two of them lies the position
  // Values in this pass, by where they lie, and the nearest ones outside.
  std::uint64_t below_, inside_, above_;
  std::uint64_t next_below_, next_above_;
  std::vector<double> kept_;  // those inside, unless they are counted
  std::vector<std::uint64_t> counts_;
  Range buckets_{0, 0};         // which they divide
  int shift_ = 0;               // from a key there to its bucket; or kInValues
  bool divides_range_ = false;  // buckets_ are range_, not that of the values which came first
  // Those inside of range_ but not of buckets_.
  std::uint64_t under_ = 0;
  std::uint64_t least_, greatest_;
};

}  // namespace varve::aggregate
