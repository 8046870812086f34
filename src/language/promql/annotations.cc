// SPDX-License-Identifier: Apache-2.0
#include "language/promql/annotations.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <functional>

#include "model/instant.h"

namespace varve::language::promql {
namespace {

std::string special_number(double value) { return std::isnan(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf"; }

// 1:7; lines and bytes are counted from 1.
std::string place_of(std::string_view text, std::size_t at) {
  const std::string_view before = text.substr(0, at);
  const std::size_t line = 1 + static_cast<std::size_t>(std::ranges::count(before, '\n'));
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 = 0
  return std::to_string(line) + ":" + std::to_string(at - line_start + 1);
}

std::string instant_of(std::int64_t ms) { return model::instant((ms - (ms % 1000 + 1000) % 1000)); }

std::string two_digits(double value) {
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::general, 2);
  return {buffer.data(), end.ptr};
}

// The shortest digits that are read as a number, which is 0.DIGITS · 10^point.
struct ShortestDigits {
  bool negative = false;
  std::string digits;
  int point = 0;
};

ShortestDigits digits_of(double value) {
  std::array<char, 32> buffer{};
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), std::fabs(value), std::chars_format::scientific);
  const std::string_view text(buffer.data(), static_cast<std::size_t>(end.ptr - buffer.data()));
  const std::size_t e = text.find('e');
  ShortestDigits out{std::signbit(value), std::string(text.substr(0, 1)), 0};
  if (e > 2) out.digits += text.substr(2, e - 2);
  std::string_view exponent = text.substr(e + 1);
  if (exponent.starts_with('+')) exponent.remove_prefix(1);
  std::from_chars(exponent.data(), exponent.data() + exponent.size(), out.point);
  ++out.point;
  return out;
}

}  // namespace

std::string text_of_number(double value) {
  if (!std::isfinite(value)) return special_number(value);
  const ShortestDigits of = digits_of(value);
  if (of.point > -4 && of.point <= 6) return plain_text_of_number(value);
  std::string out = (of.negative ? "-" : "") + of.digits.substr(0, 1);
  if (of.digits.size() > 1) out += "." + of.digits.substr(1);
  const int exponent = std::abs(of.point - 1);
  return out + (of.point < 1 ? "e-" : "e+") + (exponent < 10 ? "0" : "") + std::to_string(exponent);
}

std::string plain_text_of_number(double value) {
  if (!std::isfinite(value)) return special_number(value);
  const ShortestDigits of = digits_of(value);
  std::string out = of.negative ? "-" : "";
  if (of.point <= 0) return out + "0." + std::string(static_cast<std::size_t>(-of.point), '0') + of.digits;
  const auto whole = static_cast<std::size_t>(of.point);
  if (of.digits.size() <= whole) {
    out += of.digits + std::string(whole - of.digits.size(), '0');
    return out;
  }
  return out + of.digits.substr(0, whole) + "." + of.digits.substr(whole);
}

void Annotations::add(List& list, std::string_view kind, std::string_view what, Span at) const {
  // A query may warn at each step: no more than this is done for each.
  if (list.texts.size() == kListedMax) {
    const std::string key = std::to_string(at.from) + std::string(what);
    if (!list.known.contains(key) && list.omitted.size() < kOmittedMax) {
      list.omitted.insert(std::hash<std::string>()(key));
    }
    return;
  }
  if (!list.known.insert(std::to_string(at.from) + std::string(what)).second) return;
  list.texts.push_back(std::string(kind) + std::string(what) + " (" + place_of(text_, at.from) + ")");
}

std::vector<std::string> Annotations::taken(List& list, std::string_view kind) {
  if (!list.omitted.empty()) {
    list.texts.push_back(std::to_string(list.omitted.size()) + " more " + std::string(kind) + " annotations omitted");
  }
  return std::move(list.texts);
}

void Annotations::repaired(const MonotonicityRepair& repair, std::int64_t time_ms, Span at) {
  auto found = std::ranges::find_if(repairs_, [&](const Repairs& one) { return one.at.from == at.from; });
  if (found == repairs_.end()) found = repairs_.insert(found, {at, repair, 0, time_ms, time_ms});
  found->repair.lowest_bound = std::min(found->repair.lowest_bound, repair.lowest_bound);
  found->repair.highest_bound = std::max(found->repair.highest_bound, repair.highest_bound);
  found->repair.largest_difference = std::max(found->repair.largest_difference, repair.largest_difference);
  found->first_ms = std::min(found->first_ms, time_ms);
  found->last_ms = std::max(found->last_ms, time_ms);
  ++found->samples;
}

std::vector<std::string> Annotations::take_infos() {
  for (const Repairs& one : repairs_) {
    inform(
        "input to histogram_quantile needed to be fixed for monotonicity (see "
        "https://prometheus.io/docs/prometheus/latest/querying/functions/#histogram_quantile), from buckets " +
            text_of_number(one.repair.lowest_bound) + " to " + text_of_number(one.repair.highest_bound) +
            ", with a max diff of " + two_digits(one.repair.largest_difference) + ", over " +
            std::to_string(one.samples) + " samples from " + instant_of(one.first_ms) + " to " +
            instant_of(one.last_ms),
        one.at);
  }
  repairs_.clear();
  return taken(infos_, "info");
}

}  // namespace varve::language::promql
