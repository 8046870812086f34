// SPDX-License-Identifier: Apache-2.0
#include "aggregate/rank_search.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "aggregate/reducer.h"

namespace varve::aggregate {

namespace {

constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
constexpr std::uint64_t kKeyMax = ~std::uint64_t{0};
constexpr int kInValues = -1;

// Doubles are sign and magnitude.
std::uint64_t key_of(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  return (bits & kSign) != 0 ? ~bits : bits | kSign;
}
double value_of(std::uint64_t key) { return std::bit_cast<double>((key & kSign) != 0 ? key & ~kSign : ~key); }

// With its memory, which assigning {} would keep.
template <class T>
void empty(std::vector<T>& list) {
  std::vector<T>().swap(list);
}

}  // namespace

RankSearch::RankSearch(std::vector<double> values) {
  start_pass({0, kKeyMax});
  kept_ = std::move(values);
  inside_ = kept_.size();
  count_instead();
}

void RankSearch::count_instead() {
  constexpr std::size_t kBucketsMax = std::size_t{1} << 15;
  const std::size_t n = std::min(kBucketsMax, std::bit_floor(kept_.size() / 2));
  const auto [min, max] = std::ranges::minmax(kept_);
  buckets_ = divides_range_ ? range_ : Range{key_of(min), key_of(max)};
  const std::uint64_t width = buckets_.last - buckets_.first;
  const bool in_values = !divides_range_ && min != max && std::isfinite(max - min);
  shift_ = in_values ? kInValues : std::max(0, static_cast<int>(std::bit_width(width)) - std::countr_zero(n));
  counts_.assign(in_values ? n : (width >> shift_) + 1, 0);
  under_ = 0;
  least_ = buckets_.first, greatest_ = buckets_.last;
  for (const double value : kept_) count(key_of(value));
  empty(kept_);
}

// Never less for a greater key.
std::size_t RankSearch::bucket_of(std::uint64_t key) const {
  if (shift_ != kInValues) return (key - buckets_.first) >> shift_;
  const double first = value_of(buckets_.first);
  const double part = (value_of(key) - first) / (value_of(buckets_.last) - first);
  return std::min(counts_.size() - 1, static_cast<std::size_t>(part * static_cast<double>(counts_.size())));
}

// Of those of the buckets that lie in `bucket` or behind it.
std::uint64_t RankSearch::first_key(std::size_t bucket) const {
  std::uint64_t low = buckets_.first;
  std::uint64_t high = buckets_.last;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (bucket_of(middle) < bucket) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

void RankSearch::count(std::uint64_t key) {
  if (key < buckets_.first) {
    ++under_;
    least_ = std::min(least_, key);
  } else if (key > buckets_.last) {
    greatest_ = std::max(greatest_, key);
  } else {
    ++counts_[bucket_of(key)];
  }
}

void RankSearch::add(std::span<const double> values, std::size_t room) {
  const std::size_t most = kept_.size() + values.size();
  if (counts_.empty() && most > kept_.capacity() && kept_.size() >= kValuesMin) {
    const std::size_t grown = std::max(most, 2 * kept_.capacity());
    if ((grown - kept_.capacity()) * sizeof(double) > room) count_instead();
  }
  for (const double value : values) {
    const std::uint64_t key = key_of(value);
    if (key < range_.first) {
      ++below_;
      next_below_ = std::max(next_below_, key);
    } else if (key > range_.last) {
      ++above_;
      next_above_ = std::min(next_above_, key);
    } else {
      ++inside_;
      counts_.empty() ? kept_.push_back(value) : count(key);
    }
  }
}

bool RankSearch::are_outside(double min, double max) const {
  return key_of(max) < range_.first || key_of(min) > range_.last;
}

void RankSearch::add_outside(double min, double max, std::uint64_t count) {
  if (key_of(max) < range_.first) {
    below_ += count;
    next_below_ = std::max(next_below_, key_of(max));
  } else {
    above_ += count;
    next_above_ = std::min(next_above_, key_of(min));
  }
}

// Of counted values. `rank`: from 1, inside of range_.
RankSearch::Range RankSearch::range_of(std::uint64_t rank) const {
  std::uint64_t before = below_ + under_;
  if (rank <= before) return {least_, buckets_.first - 1};
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    before += counts_[i];
    if (rank <= before) return {first_key(i), i + 1 == counts_.size() ? buckets_.last : first_key(i + 1) - 1};
  }
  return {buckets_.last + 1, greatest_};
}

void RankSearch::start_pass(Range range) {
  range_ = range;
  below_ = inside_ = above_ = 0;
  next_below_ = 0, next_above_ = kKeyMax;
  empty(kept_);
  empty(counts_);
}

bool RankSearch::end_pass(double fraction, std::vector<double>& found) {
  found.clear();
  const std::uint64_t n = below_ + inside_ + above_;
  if (n == 0) return true;
  const Place place = place_of(fraction * static_cast<double>(n + 1), n);
  const std::uint64_t first = place.below + 1;
  const std::uint64_t last = place.part == 0 ? first : first + 1;
  const auto found_between = [&](std::uint64_t a, std::uint64_t b) {
    std::vector<double> two = {value_of(a), value_of(b)};
    found.push_back(at_place(two, {0, place.part}));
    return true;
  };
  if (range_.empty() && first == below_ && last <= n) return found_between(next_below_, next_above_);
  if (first <= below_ || last > below_ + inside_) {  // it was inside before others came or went
    start_pass({0, kKeyMax});
    return false;
  }
  if (counts_.empty()) {
    found.push_back(at_place(kept_, {place.below - below_, place.part}));
    return true;
  }
  const Range of_first = range_of(first);
  const Range of_last = range_of(last);
  const bool are_known = of_first.first == of_first.last && of_last.first == of_last.last;
  if (are_known) return found_between(of_first.first, of_last.first);
  const bool are_outside = of_first.last < buckets_.first || of_first.first > buckets_.last;
  divides_range_ = !divides_range_ && (are_outside || counts_[bucket_of(of_first.first)] > inside_ / 16);
  const bool are_together = of_first.first == of_last.first;
  start_pass(are_together ? of_first : Range{of_first.last + 1, of_first.last});
  return false;
}

std::size_t RankSearch::bytes() const {
  return sizeof *this + kept_.capacity() * sizeof kept_[0] + counts_.capacity() * sizeof counts_[0];
}

}  // namespace varve::aggregate
