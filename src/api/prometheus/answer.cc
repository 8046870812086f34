// SPDX-License-Identifier: Apache-2.0
#include "api/prometheus/answer.h"

#include <cmath>
#include <cstdlib>

#include "language/promql/annotations.h"

namespace varve::api {
namespace {

namespace promql = language::promql;
using protocol::json::Writer;

constexpr std::size_t kBytesOfPoint = 32;

// Of a sample as text: numbers that are very large or very small have up to 340 digits.
std::size_t bytes_of_sample(double value) {
  if (!std::isfinite(value) || value == 0) return kBytesOfPoint;
  constexpr double kDigitsOfBit = 0.302;
  const auto bits = static_cast<double>(std::abs(std::ilogb(value)));
  return kBytesOfPoint + (bits > 53 ? static_cast<std::size_t>(bits * kDigitsOfBit) : 0);
}
constexpr std::size_t kBytesOfSeries = 64;

std::string sample_of(std::int64_t ms, double value) {
  std::string out = "[";
  append_prometheus_time(out, ms);
  out += ",\"";
  out += promql::plain_text_of_number(value);
  out += "\"]";
  return out;
}

void write_labels(Writer& json, const promql::Labels& labels) {
  json.begin_object();
  for (const auto& [name, value] : labels) json.member(name, value);
  json.end_object();
}

void write_strings(Writer& json, std::string_view name, const std::vector<std::string>& texts) {
  if (texts.empty()) return;
  json.key(name).begin_array();
  for (const std::string& text : texts) json.value(text);
  json.end_array();
}

// A scalar over the steps of a range is one series without labels.
void write_column(Writer& json, const promql::Labels& labels, const promql::Column& points,
                  const promql::Steps& steps) {
  json.begin_object().key("metric");
  write_labels(json, labels);
  json.key("values").begin_array();
  points.each([&](std::size_t step) { json.raw(sample_of(steps.at(step), points[step])); });
  json.end_array().end_object();
}

void write_matrix(Writer& json, const promql::Answer& answer, const promql::Steps& steps) {
  json.member("resultType", "matrix").key("result").begin_array();
  if (answer.type == promql::ValueType::scalar) write_column(json, {}, answer.scalar, steps);
  for (const promql::Series& series : answer.series) write_column(json, series.labels, series.points, steps);
  for (const promql::RangeSeries& series : answer.ranges) {
    json.begin_object().key("metric");
    write_labels(json, series.labels);
    json.key("values").begin_array();
    for (std::size_t i = 0; i < series.times.size(); ++i) json.raw(sample_of(series.times[i], series.values[i]));
    json.end_array().end_object();
  }
  json.end_array();
}

}  // namespace

std::string prometheus_success(const std::function<void(Writer&)>& data, const PrometheusNotes& notes) {
  std::string body;
  Writer json(body);
  json.begin_object().member("status", "success").key("data");
  data(json);
  write_strings(json, "warnings", notes.warnings);
  write_strings(json, "infos", notes.infos);
  json.end_object();
  return body;
}

void append_prometheus_time(std::string& out, std::int64_t ms) {
  const std::uint64_t size = ms < 0 ? 0 - static_cast<std::uint64_t>(ms) : static_cast<std::uint64_t>(ms);
  if (ms < 0) out += '-';
  out += std::to_string(size / 1000);
  const auto rest = static_cast<unsigned>(size % 1000);
  if (rest == 0) return;
  out += '.';
  for (unsigned left = rest, place = 100; place != 0 && left != 0; left %= place, place /= 10) {
    out += static_cast<char>('0' + left / place);
  }
}

std::size_t prometheus_bytes_of(const promql::Answer& answer) {
  std::size_t bytes = answer.text.size() + kBytesOfPoint * answer.scalar.size();
  const auto add = [&](const promql::Labels& labels) {
    bytes += kBytesOfSeries;
    for (const auto& [name, value] : labels) bytes += name.size() + value.size() + 6;
  };
  for (const promql::Series& series : answer.series) {
    series.points.each([&](std::size_t step) { bytes += bytes_of_sample(series.points[step]); });
    add(series.labels);
  }
  for (const promql::RangeSeries& series : answer.ranges) {
    for (const double value : series.values) bytes += bytes_of_sample(value);
    add(series.labels);
  }
  return bytes;
}

bool limit_series(promql::Answer& answer, std::size_t limit) {
  if (limit == 0 || (answer.series.size() <= limit && answer.ranges.size() <= limit)) return false;
  const auto cut = [limit](auto& list) {
    if (list.size() > limit) list.erase(list.begin() + static_cast<std::ptrdiff_t>(limit), list.end());
  };
  cut(answer.series);
  cut(answer.ranges);
  return true;
}

void write_prometheus_result(Writer& json, const promql::Answer& answer, const promql::Steps& steps, bool instant) {
  using promql::ValueType;
  if (answer.type == ValueType::string) {
    std::string pair = "[";
    append_prometheus_time(pair, steps.end_ms);
    pair += ',';
    Writer(pair).value(answer.text);
    pair += ']';
    json.member("resultType", "string").key("result").raw(pair);
  } else if (!instant || answer.type == ValueType::matrix) {
    write_matrix(json, answer, steps);
  } else if (answer.type == ValueType::scalar) {
    json.member("resultType", "scalar").key("result").raw(sample_of(steps.start_ms, answer.scalar[0]));
  } else {
    json.member("resultType", "vector").key("result").begin_array();
    for (const promql::Series& series : answer.series) {
      json.begin_object().key("metric");
      write_labels(json, series.labels);
      json.key("value").raw(sample_of(steps.start_ms, series.points[0])).end_object();
    }
    json.end_array();
  }
}

}  // namespace varve::api
