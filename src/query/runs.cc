// SPDX-License-Identifier: Apache-2.0
#include "query/runs.h"

#include <algorithm>
#include <tuple>

namespace varve::query {

using aggregate::Points;
using model::ValueType;

bool operator<(const Number& a, const Number& b) {
  if (a.time != b.time) return a.time < b.time;
  if (a.type == ValueType::long_ && b.type == ValueType::long_) {
    return std::bit_cast<std::int64_t>(a.bits) < std::bit_cast<std::int64_t>(b.bits);
  }
  return aggregate::as_double(a.type, a.bits) < aggregate::as_double(b.type, b.bits);
}

namespace {

template <class T>
void cut(std::vector<T>& list, std::uint64_t limit, bool newest) {
  if (limit == 0 || list.size() <= limit) return;
  const auto n = static_cast<std::ptrdiff_t>(limit);
  if (newest) {
    list.erase(list.begin(), list.end() - n);
  } else {
    list.erase(list.begin() + n, list.end());
  }
}

Number number_at(const Run& run, std::size_t i) { return {run.times[i], run.bits[i], run.type_of(i)}; }

void sort_by_time(Run& run) {
  std::vector<Number> numbers;
  numbers.reserve(run.size());
  for (std::size_t i = 0; i < run.size(); ++i) numbers.push_back(number_at(run, i));
  std::ranges::sort(numbers, {}, &Number::time);
  for (std::size_t i = 0; i < run.size(); ++i) {
    run.times[i] = numbers[i].time;
    run.bits[i] = numbers[i].bits;
    if (!run.types.empty()) run.types[i] = numbers[i].type;
  }
}

Run merge_two(const Run& a, const Run& b) {
  const std::size_t n = a.size() + b.size();
  Run out;
  out.type = a.type;
  out.times.resize(n);
  out.bits.resize(n);
  if (!a.types.empty() || !b.types.empty() || a.type != b.type) out.types.resize(n);
  std::size_t in_a = 0;
  std::size_t in_b = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const bool from_b = in_a == a.size() || (in_b < b.size() && number_at(b, in_b) < number_at(a, in_a));
    const Run& from = from_b ? b : a;
    const std::size_t at = from_b ? in_b++ : in_a++;
    out.times[i] = from.times[at];
    out.bits[i] = from.bits[at];
    if (!out.types.empty()) out.types[i] = from.type_of(at);
  }
  return out;
}

}  // namespace

std::size_t bytes_of(const Run& run) {
  return run.times.capacity() * sizeof(run.times[0]) + run.bits.capacity() * sizeof(run.bits[0]) +
         run.types.capacity() * sizeof(run.types[0]);
}

void append(Run& run, ValueType type, std::span<const model::Timestamp> times, std::span<const std::uint64_t> bits) {
  if (run.times.empty()) run.type = type;
  if (run.types.empty() && type != run.type) run.types.assign(run.size(), run.type);
  if (!run.types.empty()) run.types.resize(run.size() + times.size(), type);
  run.times.insert(run.times.end(), times.begin(), times.end());
  run.bits.insert(run.bits.end(), bits.begin(), bits.end());
}

Status append_charged(Run& run, ValueType type, std::span<const model::Timestamp> times,
                      std::span<const std::uint64_t> bits, Budget& budget) {
  const std::size_t before = bytes_of(run);
  append(run, type, times, bits);
  return bytes_of(run) > before ? budget.charge(bytes_of(run) - before) : Status{};
}

void keep(Points& run, std::uint64_t limit, bool newest) {
  // Pieces of longs and of doubles of one window come one after the other, not interleaved.
  if (!std::ranges::is_sorted(run.times)) sort_by_time(run);
  cut(run.times, limit, newest);
  cut(run.types, limit, newest);
  cut(run.bits, limit, newest);
  cut(run.texts, limit, newest);
  if (run.types.empty()) return;
  run.type = run.types[0];
  if (std::ranges::count(run.types, run.type) == static_cast<std::ptrdiff_t>(run.size())) run.types.clear();
}

void keep_each_type(Run& run, std::uint64_t limit, bool newest) {
  if (limit == 0 || run.types.empty()) return keep(run, limit, newest);
  keep(run, 0, newest);
  std::vector<std::uint8_t> kept(run.size());
  std::uint64_t longs = 0;
  std::uint64_t doubles = 0;
  for (std::size_t n = 0; n < run.size(); ++n) {
    const std::size_t i = newest ? run.size() - 1 - n : n;
    kept[i] = (run.type_of(i) == ValueType::long_ ? longs : doubles)++ < limit ? 1 : 0;
  }
  run = aggregate::keep(std::move(run), kept);
}

Run merge(std::vector<Run> runs) {
  while (runs.size() > 1) {
    std::vector<Run> merged((runs.size() + 1) / 2);
    for (std::size_t i = 0; i < runs.size(); i += 2) {
      if (i + 1 == runs.size()) {
        merged[i / 2] = std::move(runs[i]);
        continue;
      }
      merged[i / 2] = merge_two(runs[i], runs[i + 1]);
      runs[i] = {};
      runs[i + 1] = {};
    }
    runs = std::move(merged);
  }
  return runs.empty() ? Run() : std::move(runs[0]);
}

Result<Run> merge_charged(std::vector<Run> runs, std::size_t charged, Budget& budget) {
  if (runs.size() < 2) return merge(std::move(runs));
  std::size_t samples = 0;
  for (const Run& run : runs) samples += run.size();
  VARVE_RETURN_IF_ERROR(budget.charge(samples * sizeof(Number)));
  Run merged = merge(std::move(runs));
  budget.release(charged);
  return merged;
}

void keep(std::vector<Text>& texts, std::uint64_t limit, bool newest) {
  if (limit != 0) {
    std::ranges::sort(
        texts, [](const Text& a, const Text& b) { return std::tie(a.series, a.time) < std::tie(b.series, b.time); });
    std::vector<Text> kept;
    for (std::size_t from = 0; from < texts.size();) {
      std::size_t to = from;
      while (to < texts.size() && texts[to].series == texts[from].series) ++to;
      const std::size_t n = std::min<std::uint64_t>(limit, to - from);
      const std::size_t first = newest ? to - n : from;
      for (std::size_t i = first; i < first + n; ++i) kept.push_back(std::move(texts[i]));
      from = to;
    }
    texts = std::move(kept);
  }
  std::ranges::sort(texts,
                    [](const Text& a, const Text& b) { return std::tie(a.time, a.text) < std::tie(b.time, b.text); });
}

Points to_points(model::ValueKind kind, std::vector<Text>&& texts) {
  Points out;
  out.type = kind == model::ValueKind::complex     ? ValueType::complex
             : kind == model::ValueKind::histogram ? ValueType::histogram
                                                   : ValueType::string;
  for (Text& t : texts) {
    out.times.push_back(t.time);
    out.texts.push_back(std::move(t.text));
  }
  return out;
}

}  // namespace varve::query
