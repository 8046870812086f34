// SPDX-License-Identifier: Apache-2.0
#include "aggregate/split.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace varve::aggregate {

namespace {

using model::Timestamp;
using model::TimeUnit;
using model::ValueType;

// The numbers of one split among those of others.
struct Column {
  std::int64_t* first;
  std::size_t stride;
  std::int64_t& operator[](std::size_t i) const { return first[i * stride]; }
};

// Downwards: samples may lie before the start.
std::int64_t modulo(std::int64_t a, std::int64_t b) { return a - model::window_start(a, b); }

void number(const TimeSplit& split, Timestamp start, const Points& in, const Column& out) {
  if (split.size.unit == TimeUnit::months) {
    const Timestamp first = model::calendar_start(start, TimeUnit::months);
    for (std::size_t i = 0; i < in.size(); ++i) {
      out[i] = modulo(model::units_between(first, in.times[i], TimeUnit::months), split.count);
    }
    return;
  }
  constexpr std::int64_t kWeekMs = 604'800'000;
  const std::int64_t unit = split.size.unit == TimeUnit::years ? 52 * kWeekMs : model::fixed_ms(split.size.unit);
  const std::int64_t width = split.size.value > INT64_MAX / unit ? INT64_MAX : split.size.value * unit;
  // Neighbours mostly lie in one stretch, and dividing is slow.
  Timestamp begin = 1;
  Timestamp end = 0;
  std::int64_t number = 0;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const Timestamp t = in.times[i];
    if (t < begin || t >= end) {
      const std::int64_t stretch = model::window_start(t - start, width) / width;
      const bool endless = width > model::kTimestampMax;  // one on each side of the start
      begin = endless ? (stretch < 0 ? -model::kTimestampMax - 1 : start) : start + stretch * width;
      end = endless ? (stretch < 0 ? start : model::kTimestampMax + 1) : begin + width;
      number = modulo(stretch, split.count);
    }
    out[i] = number;
  }
}

std::int64_t whole(double value) {
  if (std::isnan(value)) return 0;
  if (value >= 0x1p63) return INT64_MAX;
  return value < -0x1p63 ? INT64_MIN : static_cast<std::int64_t>(value);
}

void number(const ValueSplit& split, Timestamp /*start*/, const Points& in, const Column& out) {
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (in.in_text()) {
      out[i] = -1;
    } else {
      const bool is_long = in.type_of(i) == ValueType::long_;
      out[i] = (is_long ? std::bit_cast<std::int64_t>(in.bits[i]) : whole(in.number(i))) / split.size;
    }
  }
}

// Of bounds in no order, the first two neighbours that the value lies between count.
std::int64_t bin_of(const std::vector<double>& bounds, bool ascending, double value) {
  if (ascending && bounds.size() <= 16) {
    std::int64_t passed = 0;
    for (const double bound : bounds) passed += value < bound ? 0 : 1;
    return passed;
  }
  if (ascending) return std::ranges::upper_bound(bounds, value) - bounds.begin();
  if (value < bounds[0]) return 0;
  for (std::size_t i = 0; i + 1 < bounds.size(); ++i) {
    if (value >= bounds[i] && value < bounds[i + 1]) return static_cast<std::int64_t>(i) + 1;
  }
  return static_cast<std::int64_t>(bounds.size());
}

void number(const BinSplit& split, Timestamp /*start*/, const Points& in, const Column& out) {
  const bool ascending = std::ranges::is_sorted(split.bounds);
  for (std::size_t i = 0; i < in.size(); ++i) {
    out[i] = in.in_text() ? -1 : bin_of(split.bounds, ascending, in.number(i));
  }
}

// The part of each sample; appends the parts, in order of their first sample.
std::vector<std::uint32_t> parts_of(std::span<const std::int64_t> numbers, std::size_t width, const Points& in,
                                    std::vector<Part>& parts) {
  std::vector<std::uint32_t> out(in.size());
  // Groups by one number are mostly few: a table of them, and a map for what is beyond it.
  constexpr std::int64_t kDense = 1024;
  std::vector<std::uint32_t> dense(width == 1 ? kDense : 0, UINT32_MAX);
  std::map<SplitKey, std::uint32_t> sparse;
  SplitKey key(width);
  for (std::size_t i = 0; i < in.size(); ++i) {
    const auto from = numbers.begin() + static_cast<std::ptrdiff_t>(i * width);
    const bool in_table = width == 1 && *from >= 0 && *from < kDense;
    if (in_table && dense[static_cast<std::size_t>(*from)] != UINT32_MAX) {
      out[i] = dense[static_cast<std::size_t>(*from)];
      continue;
    }
    std::copy_n(from, width, key.begin());
    const auto next = static_cast<std::uint32_t>(parts.size());
    out[i] = in_table ? next : sparse.try_emplace(key, next).first->second;
    if (in_table) dense[static_cast<std::size_t>(*from)] = next;
    if (out[i] == next) parts.emplace_back(key).points.type = in.type;
  }
  return out;
}

void reserve_like(const Points& in, std::size_t size, Points& out) {
  out.times.reserve(size);
  if (!in.types.empty()) out.types.reserve(size);
  if (!in.bits.empty()) out.bits.reserve(size);
  if (!in.texts.empty()) out.texts.reserve(size);
}

// Appends sample i of `in`, which gives away its text.
void move_sample(Points& in, std::size_t i, Points& out) {
  out.times.push_back(in.times[i]);
  if (!in.types.empty()) out.types.push_back(in.types[i]);
  if (!in.bits.empty()) out.bits.push_back(in.bits[i]);
  if (!in.texts.empty()) out.texts.push_back(std::move(in.texts[i]));
}

}  // namespace

std::vector<std::int64_t> split_numbers(std::span<const Split> splits, Timestamp query_start, const Points& in) {
  std::vector<std::int64_t> out(in.size() * splits.size());
  for (std::size_t s = 0; s < splits.size() && in.size() > 0; ++s) {
    std::visit([&](const auto& split) { number(split, query_start, in, {out.data() + s, splits.size()}); }, splits[s]);
  }
  return out;
}

std::vector<Part> split(std::span<const Split> splits, Timestamp query_start, Points in) {
  const std::vector<std::int64_t> numbers = split_numbers(splits, query_start, in);
  std::vector<Part> parts;
  const std::vector<std::uint32_t> part_of = parts_of(numbers, splits.size(), in, parts);
  std::vector<std::size_t> sizes(parts.size());
  for (const std::uint32_t part : part_of) ++sizes[part];
  for (std::size_t p = 0; p < parts.size(); ++p) reserve_like(in, sizes[p], parts[p].points);
  for (std::size_t i = 0; i < in.size(); ++i) move_sample(in, i, parts[part_of[i]].points);
  return parts;
}

}  // namespace varve::aggregate
