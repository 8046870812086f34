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

}  // namespace

void keep(Run& run, std::uint64_t limit, bool newest) {
  // Pieces of longs and of doubles of one window come one after the other, not interleaved.
  const auto by_time = [](const Number& a, const Number& b) { return a.time < b.time; };
  if (!std::ranges::is_sorted(run, by_time)) std::ranges::sort(run, by_time);
  cut(run, limit, newest);
}

Run merge(std::vector<Run> runs) {
  while (runs.size() > 1) {
    std::vector<Run> merged((runs.size() + 1) / 2);
    for (std::size_t i = 0; i < runs.size(); i += 2) {
      Run& out = merged[i / 2];
      if (i + 1 == runs.size()) {
        out = std::move(runs[i]);
        continue;
      }
      out.reserve(runs[i].size() + runs[i + 1].size());
      std::merge(runs[i].begin(), runs[i].end(), runs[i + 1].begin(), runs[i + 1].end(), std::back_inserter(out));
      runs[i] = {};
      runs[i + 1] = {};
    }
    runs = std::move(merged);
  }
  return runs.empty() ? Run() : std::move(runs[0]);
}

std::uint64_t keep(std::vector<Text>& texts, std::uint64_t limit, bool newest) {
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
  const std::uint64_t read = texts.size();
  std::ranges::sort(texts,
                    [](const Text& a, const Text& b) { return std::tie(a.time, a.text) < std::tie(b.time, b.text); });
  cut(texts, limit, newest);
  return read;
}

Points to_points(const Run& run) {
  Points out;
  if (run.empty()) return out;
  out.type = run[0].type;
  const bool mixed = std::ranges::any_of(run, [&](const Number& n) { return n.type != out.type; });
  out.times.reserve(run.size());
  out.bits.reserve(run.size());
  if (mixed) out.types.reserve(run.size());
  for (const Number& n : run) {
    out.times.push_back(n.time);
    out.bits.push_back(n.bits);
    if (mixed) out.types.push_back(n.type);
  }
  return out;
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
