// SPDX-License-Identifier: Apache-2.0
#include "aggregate/reducer.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace varve::aggregate {

namespace {

struct Named {
  std::string_view name;
  double quantile = 0;
};

// In order of the enumeration.
constexpr std::array<Named, 32> kNamed = {
    {{"none"},        {"sum"},           {"avg"},        {"min"},         {"max"},        {"dev"},
     {"count"},       {"mult"},          {"first"},      {"last"},        {"median"},     {"zimsum"},
     {"mimmin"},      {"mimmax"},        {"p50", .5},    {"p75", .75},    {"p90", .9},    {"p95", .95},
     {"p99", .99},    {"p999", .999},    {"ep50r3", .5}, {"ep75r3", .75}, {"ep90r3", .9}, {"ep95r3", .95},
     {"ep99r3", .99}, {"ep999r3", .999}, {"ep50r7", .5}, {"ep75r7", .75}, {"ep90r7", .9}, {"ep95r7", .95},
     {"ep99r7", .99}, {"ep999r7", .999}}};
static_assert(kNamed.size() == static_cast<std::size_t>(Reducer::ep999r7) + 1);

const Named& named(Reducer reducer) { return kNamed[static_cast<std::size_t>(reducer)]; }

double percentile(Reducer reducer, std::span<double> values) {
  const double p = named(reducer).quantile;
  const auto n = static_cast<double>(values.size());
  if (reducer <= Reducer::p999) return at_position(values, p * (n + 1));
  if (reducer <= Reducer::ep999r3) return at_position(values, std::nearbyint(p * n));
  return at_position(values, p * (n - 1) + 1);
}

double sum_of(std::span<const double> values) {
  double sum = 0;
  for (const double v : values) sum += v;
  return sum;
}

double deviation(std::span<const double> values) {
  double mean = 0;
  double squares = 0;
  double n = 0;
  for (const double v : values) {  // Welford's way: no difference of large numbers
    ++n;
    const double before = v - mean;
    mean += before / n;
    squares += before * (v - mean);
  }
  return std::sqrt(squares / n);
}

}  // namespace

std::optional<Reducer> reducer_of(std::string_view name) {
  const auto* found = std::ranges::find(kNamed, name, &Named::name);
  if (found == kNamed.end()) return std::nullopt;
  return static_cast<Reducer>(found - kNamed.begin());
}

std::vector<std::string_view> reducer_names() {
  std::vector<std::string_view> out;
  out.reserve(kNamed.size());
  for (const Named& n : kNamed) out.push_back(n.name);
  std::ranges::sort(out);
  return out;
}

bool interpolates(Reducer reducer) {
  switch (reducer) {
    case Reducer::none:
    case Reducer::count:
    case Reducer::first:
    case Reducer::last:
    case Reducer::zimsum:
    case Reducer::mimmin:
    case Reducer::mimmax: return false;
    default: return true;
  }
}

Place place_of(double position, std::uint64_t n) {
  const double clamped = std::clamp(position, 1.0, static_cast<double>(n));
  return {static_cast<std::uint64_t>(clamped) - 1, clamped - std::floor(clamped)};
}

double at_place(std::span<double> values, Place place) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(place.below);
  std::ranges::nth_element(values, at);
  if (place.part == 0) return *at;
  const double next = *std::min_element(at + 1, values.end());
  return *at + place.part * (next - *at);
}

double reduce(Reducer reducer, std::span<double> values) {
  switch (reducer) {
    case Reducer::sum:
    case Reducer::zimsum: return sum_of(values);
    case Reducer::avg: return sum_of(values) / static_cast<double>(values.size());
    case Reducer::min:
    case Reducer::mimmin: return *std::ranges::min_element(values);
    case Reducer::max:
    case Reducer::mimmax: return *std::ranges::max_element(values);
    case Reducer::dev: return deviation(values);
    case Reducer::count: return static_cast<double>(values.size());
    case Reducer::mult: {
      double product = 1;
      for (const double v : values) product *= v;
      return product;
    }
    case Reducer::none:
    case Reducer::first: return values.front();
    case Reducer::last: return values.back();
    case Reducer::median: {
      const std::size_t upper = values.size() / 2 + 1;
      return at_position(values, static_cast<double>(upper));
    }
    default: return percentile(reducer, values);
  }
}

std::optional<std::int64_t> reduce_longs(Reducer reducer, std::span<const std::int64_t> values) {
  switch (reducer) {
    case Reducer::sum:
    case Reducer::zimsum: {
      std::int64_t sum = 0;
      for (const std::int64_t v : values) {
        if (__builtin_add_overflow(sum, v, &sum)) return std::nullopt;
      }
      return sum;
    }
    case Reducer::min:
    case Reducer::mimmin: return *std::ranges::min_element(values);
    case Reducer::max:
    case Reducer::mimmax: return *std::ranges::max_element(values);
    case Reducer::count: return static_cast<std::int64_t>(values.size());
    case Reducer::none:
    case Reducer::first: return values.front();
    case Reducer::last: return values.back();
    default: return std::nullopt;
  }
}

}  // namespace varve::aggregate
