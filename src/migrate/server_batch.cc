// SPDX-License-Identifier: Apache-2.0
#include "migrate/server_batch.h"

#include <charconv>
#include <optional>
#include <utility>

#include "protocol/json/number_text.h"
#include "protocol/json/writer.h"
#include "protocol/kairosdb/values.h"

namespace varve::migrate {
namespace {

// Of "metric[3](name=m).datapoints[7].timestamp …": 3 and 7. Of a name that is in it only the last ".datapoints["
// counts.
struct Place {
  std::size_t part = 0;
  std::optional<std::size_t> point;  // nullopt: all of them
};

std::optional<std::size_t> number_at(std::string_view text, std::size_t at) {
  std::size_t number = 0;
  const auto read = std::from_chars(text.data() + at, text.data() + text.size(), number);
  if (read.ec != std::errc() || read.ptr == text.data() + text.size() || *read.ptr != ']') return std::nullopt;
  return number;
}

std::optional<Place> place_in(std::string_view error) {
  constexpr std::string_view kMetric = "metric[", kPoint = ".datapoints[";
  if (!error.starts_with(kMetric)) return std::nullopt;
  const auto part = number_at(error, kMetric.size());
  if (!part) return std::nullopt;
  const std::size_t point = error.rfind(kPoint);
  if (point == std::string_view::npos) return Place{*part, std::nullopt};
  return Place{*part, number_at(error, point + kPoint.size())};
}

// Doubles with a point or an exponent, since without they would be longs.
void append_number(std::string& out, const model::Value& value) {
  if (value.type == model::ValueType::long_) return protocol::json::append_long(out, value.as_long());
  const std::size_t at = out.size();
  protocol::json::append_double(out, value.as_double());
  if (out.find_first_of(".E", at) == std::string::npos) out += ".0";
}

std::string point_of(model::Timestamp time, const model::Value& value) {
  std::string out = "[" + std::to_string(time) + ",";
  if (model::is_number(value.type)) {
    append_number(out, value);
  } else {
    protocol::kairosdb::append_value(out, value.type, value.text);
    out += value.type == model::ValueType::string    ? R"(,"string")"
           : value.type == model::ValueType::complex ? R"(,"complex")"
                                                     : R"(,"histogram")";
  }
  return out + "]";
}

}  // namespace

void ServerBatch::begin(const SourceSeries& series) {
  if (!parts_.empty() && parts_.back().points.empty()) parts_.pop_back();
  Part& part = parts_.emplace_back(std::string(series.key), std::string(series.metric));
  protocol::json::Writer json(part.tags);
  json.begin_object();
  for (const auto& [key, value] : series.tags) json.member(key, value);
  json.end_object();
  bytes_ += part.metric.size() + part.tags.size();
}

void ServerBatch::add(model::Timestamp time, const model::Value& value) {
  bytes_ += parts_.back().points.emplace_back(point_of(time, value)).size();
  ++samples_;
}

std::string ServerBatch::body() const {
  std::string out;
  out.reserve(bytes_ + parts_.size() * 64 + samples_);
  protocol::json::Writer json(out);
  json.begin_array();
  for (const Part& part : parts_) {
    if (part.points.empty()) continue;  // the last one: the others' places stay
    json.begin_object().member("name", part.metric).key("tags").raw(part.tags).key("datapoints").begin_array();
    for (const std::string& point : part.points) json.raw(point);
    json.end_array().end_object();
  }
  json.end_array();
  return out;
}

void ServerBatch::take_out_of(Part& part, std::size_t first, std::size_t last, std::string_view why,
                              const Refused& refused) {
  const bool too_old = why.find("older than") != std::string_view::npos;
  for (std::size_t i = first; i < last; ++i) {
    if (part.points[i].empty()) continue;
    part.points[i].clear();
    --samples_;
    refused({.key = part.key, .metric = part.metric, .too_old = too_old, .why = why});
  }
}

bool ServerBatch::take_out(std::span<const std::string> errors, const Refused& refused) {
  const std::size_t before = samples_;
  for (const std::string& error : errors) {
    const auto place = place_in(error);
    if (!place || place->part >= parts_.size()) continue;
    Part& part = parts_[place->part];
    const std::size_t count = part.points.size();
    if (place->point && *place->point >= count) continue;
    take_out_of(part, place->point.value_or(0), place->point ? *place->point + 1 : count, error, refused);
  }
  for (Part& part : parts_) std::erase_if(part.points, [](const std::string& point) { return point.empty(); });
  if (parts_.size() > 1) {
    std::erase_if(parts_, [&](const Part& part) { return part.points.empty() && &part != &parts_.back(); });
  }
  return samples_ < before;
}

void ServerBatch::clear() {
  if (!parts_.empty()) {
    std::swap(parts_.front(), parts_.back());
    parts_.resize(1);
    parts_.front().points.clear();
  }
  samples_ = bytes_ = 0;
}

}  // namespace varve::migrate
