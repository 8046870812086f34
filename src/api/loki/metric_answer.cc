// SPDX-License-Identifier: Apache-2.0
#include "api/loki/metric_answer.h"

#include <array>
#include <charconv>
#include <cmath>

namespace varve::api {
namespace {

namespace logql = language::logql;
using protocol::json::Writer;

constexpr std::int64_t kNsOfMs = 1'000'000;
constexpr std::int64_t kMsOfSecond = 1000;

void write_point(Writer& json, std::int64_t ns, double value) {
  json.begin_array().raw(loki_seconds(ns)).value(loki_number(value)).end_array();
}

void write_scalar(Writer& json, double value, const logql::Steps& steps, bool instant) {
  json.member("resultType", instant ? "scalar" : "matrix").key("result");
  if (instant) return write_point(json, steps.start_ns, value);
  json.begin_array().begin_object().key("metric").raw("{}").key("values").begin_array();
  for (std::uint32_t step = 0; step < steps.count(); ++step) write_point(json, steps.at(step), value);
  json.end_array().end_object().end_array();
}

}  // namespace

std::string loki_seconds(std::int64_t ns) {
  const std::int64_t ms = ns / kNsOfMs;
  std::string out = std::to_string(ms / kMsOfSecond);
  if (const std::int64_t rest = ms % kMsOfSecond; rest > 0) out += "." + std::to_string(kMsOfSecond + rest).substr(1);
  return out;
}

std::string loki_number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  std::array<char, 400> text;  // the longest decimal of a double, and its sign and point
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed).ptr;
  return {text.data(), end};
}

void write_metric(Writer& json, const logql::MetricValue& value, const logql::Steps& steps, bool instant) {
  if (value.is_scalar) return write_scalar(json, value.scalar, steps, instant);
  json.member("resultType", instant ? "vector" : "matrix").key("result").begin_array();
  for (const logql::Series& series : value.series) {
    json.begin_object().key("metric").object(series.labels).key(instant ? "value" : "values");
    if (instant) {
      write_point(json, steps.start_ns, series.points[0].value);
    } else {
      json.begin_array();
      for (const logql::Point& point : series.points) write_point(json, steps.at(point.step), point.value);
      json.end_array();
    }
    json.end_object();
  }
  json.end_array();
}

}  // namespace varve::api
