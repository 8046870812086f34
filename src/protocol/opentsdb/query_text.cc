// SPDX-License-Identifier: Apache-2.0
// The texts inside of queries: durations, downsampling, rate options, and the m= form that puts all in one line.
#include <algorithm>
#include <charconv>
#include <optional>

#include "protocol/opentsdb/query.h"
#include "protocol/opentsdb/query_duration.h"
#include "protocol/opentsdb/query_error.h"

namespace varve::protocol::opentsdb {

namespace {

using model::Duration;

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> out;
  for (;;) {
    const std::size_t at = text.find(separator);
    out.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return out;
    text.remove_prefix(at + 1);
  }
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// What stands before the next ':' outside of braces, or all.
std::string_view token(std::string_view text) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '{') ++depth;
    if (text[i] == '}') --depth;
    if (text[i] == ':' && depth == 0) return text.substr(0, i);
  }
  return text;
}

Result<std::int64_t> whole(std::string_view text, std::int64_t otherwise, std::string_view spec) {
  if (text.empty()) return otherwise;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) {
    return invalid("'" + std::string(text) + "' is not a whole number in the rate options: " + std::string(spec));
  }
  return value;
}

// rate, rate{counter}, rate{dropcounter,65535}, rate{counter,,1000}
Result<RateOptions> parse_rate(std::string_view text) {
  RateOptions out;
  if (text == "rate") return out;
  if (!text.starts_with("rate{") || !text.ends_with('}')) {
    return invalid("Invalid rate options specification: " + std::string(text));
  }
  const auto parts = split(text.substr(5, text.size() - 6), ',');
  if (parts.size() > 3) {
    return invalid(
        "Incorrect number of values in rate options specification, must be "
        "counter[,counter max value,reset value], received: " +
        std::to_string(parts.size()) + " parts");
  }
  if (!parts[0].empty() && parts[0] != "counter" && parts[0] != "dropcounter") {
    return invalid("Invalid rate options specification: " + std::string(text));
  }
  out.counter = !parts[0].empty();
  out.drop_resets = parts[0] == "dropcounter";
  if (parts.size() > 1) {
    VARVE_ASSIGN_OR_RETURN(out.counter_max, whole(parts[1], out.counter_max, text));
  }
  if (parts.size() > 2) {
    VARVE_ASSIGN_OR_RETURN(out.reset_value, whole(parts[2], 0, text));
  }
  return out;
}

bool is_modifier(std::string_view part) {
  return part == "rate" || part.starts_with("rate{") || part == "explicit_tags" ||
         (!part.empty() && is_digit(part[0]) && part.find('-') != std::string_view::npos);
}

}  // namespace

Result<Duration> parse_duration(std::string_view text) {
  const auto out = model::parse_duration(text);
  if (!out) {
    return invalid("Invalid duration '" + std::string(text) +
                   "': it must be a whole number and one of ms, s, m, h, d, w, n, y");
  }
  const std::int64_t most = model::fixed_ms(out->unit) == 0 ? 1'000'000 : 1'000'000'000;
  if (out->count <= 0 || out->count > most) {
    const std::string_view unit = text.substr(text.find_first_not_of("-0123456789"));
    return invalid("Invalid duration '" + std::string(text) + "': it must be greater than 0, and not over " +
                   std::to_string(most) + std::string(unit));
  }
  return *out;
}

Result<Downsample> parse_downsample(std::string_view text) {
  const auto parts = split(text, '-');
  if (parts.size() < 2 || parts.size() > 3) {
    return invalid("Invalid downsampling specifier '" + std::string(text) +
                   "': it must be interval-function or interval-function-fill, as 1m-avg-zero");
  }
  Downsample out;
  out.text = text;
  if (parts[0] != "0all") {
    std::string_view interval = parts[0];
    if (interval.ends_with('c')) {
      out.calendar = true;
      interval.remove_suffix(1);
    }
    VARVE_ASSIGN_OR_RETURN(const Duration width, parse_duration(interval));
    out.count = width.count;
    out.unit = width.unit;
  }
  out.function = parts[1];
  if (parts.size() == 2 || parts[2] == "none") return out;
  if (parts[2] == "zero") {
    out.fill = Downsample::Fill::zero;
  } else if (parts[2] == "nan" || parts[2] == "null") {
    out.fill = Downsample::Fill::nan;
  } else {
    return invalid("Unrecognized fill policy: " + std::string(parts[2]) + ", must be none, nan, null or zero");
  }
  return out;
}

Result<SubQuery> parse_m(std::string_view text) {
  SubQuery out;
  out.aggregator = token(text);
  if (out.aggregator.empty() || out.aggregator.size() == text.size()) {
    return invalid("Invalid parameter m=" + std::string(text) +
                   ": it must be aggregator:[downsample:][rate:][explicit_tags:]metric{tags}");
  }
  std::string_view rest = text.substr(out.aggregator.size() + 1);
  // The last part is the metric, whatever it looks like.
  for (std::string_view part = token(rest); part.size() < rest.size() && is_modifier(part); part = token(rest)) {
    if (part.starts_with("rate")) {
      VARVE_ASSIGN_OR_RETURN(out.rate, parse_rate(part));
    } else if (part == "explicit_tags") {
      out.explicit_tags = true;
    } else {
      VARVE_ASSIGN_OR_RETURN(out.downsample, parse_downsample(part));
    }
    rest.remove_prefix(part.size() + 1);
  }
  VARVE_ASSIGN_OR_RETURN(auto metric, parse_metric(rest));
  if (metric.metric.empty()) return invalid("Invalid parameter m=" + std::string(text) + ": it names no metric");
  out.metric = metric.metric;
  out.filters = std::move(metric.filters);
  return out;
}

}  // namespace varve::protocol::opentsdb
