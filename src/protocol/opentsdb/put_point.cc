// SPDX-License-Identifier: Apache-2.0
#include "protocol/opentsdb/put_point.h"

#include <cmath>

#include "model/instant.h"
#include "protocol/json/text.h"

namespace varve::protocol::opentsdb {
namespace {

using json::Element;
using json::Kind;
using json::Number;
using json::skip_space;

enum Field : unsigned { kMetric = 1, kTags = 2, kTime = 4, kValue = 8, kAll = 15 };

// `at` stands at the opening quote of a field's name. Moves it behind the closing one; 0: some other field.
unsigned field_at(const char*& at) {
  const auto is = [&]<std::size_t n>(const char(&quoted)[n], unsigned field) -> unsigned {
    if (std::memcmp(at, quoted, n - 1) != 0) return 0;
    at += n - 1;
    return field;
  };
  switch (at[1]) {
    case 'm': return is("\"metric\"", kMetric);
    case 'v': return is("\"value\"", kValue);
    case 't': return at[2] == 'a' ? is("\"tags\"", kTags) : is("\"timestamp\"", kTime);
    default: return 0;
  }
}

// A number, perhaps in quotes. Returns its end; nullptr: neither.
const char* scan_quotable(const char* at, Number& number, std::string_view& text) {
  const bool quoted = *at == '"';
  const char* const begin = at + (quoted ? 1 : 0);
  const char* const end = scan_number(begin, number);
  if (number.kind == Number::Kind::none || (quoted && *end != '"')) return nullptr;
  text = {begin, static_cast<std::size_t>(end - begin)};
  return end + (quoted ? 1 : 0);
}

// A `tenant` key written plainly in a tags object. One written with escapes is seen only where tags are parsed.
bool has_tenant_key(std::string_view tags) {
  for (std::size_t at = 0; (at = tags.find("\"tenant\"", at)) != std::string_view::npos;) {
    at = tags.find_first_not_of(" \t\r\n", at + 8);
    if (at != std::string_view::npos && tags[at] == ':') return true;
  }
  return false;
}

bool is_scalar(const Element& e) { return e.kind == Kind::string || e.kind == Kind::number || e.kind == Kind::boolean; }

// As clients of Ceres write them.
constexpr model::InstantForm kInstants{.any_year = true, .short_offset = true};

// Seconds or milliseconds; a fraction makes it seconds. Or an instant.
std::optional<std::int64_t> time_of(const Element& e) {
  if (e.kind != Kind::number && e.kind != Kind::string) return {};
  std::optional<std::int64_t> time = json::to_long(e.text);
  if (time) {
    if (*time > model::kTimestampMax) return {};
    time = to_milliseconds(*time);
  } else {
    const auto seconds = json::to_double(e.text);
    if (seconds && !(std::abs(*seconds) < 1e12)) return {};
    time = seconds ? std::llround(*seconds * 1000) : model::parse_instant(e.text, kInstants);
    if (!time) return {};
  }
  if (*time <= 0 || *time > model::kTimestampMax) return {};
  return time;
}

std::optional<model::Value> value_of(std::string_view text) {
  if (text.find_first_of(".eE") == std::string_view::npos) {
    const auto whole = json::to_long(text);
    return whole ? std::optional(model::Value::of_long(*whole)) : std::nullopt;
  }
  const auto real = json::to_double(text);
  return real && std::isfinite(*real) ? std::optional(model::Value::of_double(*real)) : std::nullopt;
}

}  // namespace

const char* FastPoints::read_metric(const char* at) {
  if (*at != '"' || at[1] == '"') return nullptr;
  const char* end = json::skip_string(at + 1, end_);
  if (end != nullptr) key_.name = {at, static_cast<std::size_t>(end - at)};
  return end;
}

const char* FastPoints::read_tags(const char* at, Point& point) {
  if (*at != '{') return nullptr;
  if (auto* guess = route_.guess(); guess != nullptr && key_.take_tags(at, end_, *guess)) {
    point.group = guess;
    return at + key_.tags.size();
  }
  const char* end = json::skip_strings(at, end_);
  if (end != nullptr) key_.tags = {at, static_cast<std::size_t>(end - at)};
  return end;
}

const char* FastPoints::field(const char* at, Point& point) {
  if (end_ - at < 2) return nullptr;
  const unsigned which = field_at(at);
  if (which == 0 || (point.seen & which) != 0) return nullptr;
  point.seen |= which;
  at = skip_space(at, end_);
  if (*at != ':') return nullptr;
  at = skip_space(at + 1, end_);
  if (at >= end_) return nullptr;
  switch (which) {
    case kMetric: return read_metric(at);
    case kTags: return read_tags(at, point);
    case kValue: return scan_quotable(at, point.value, point.text);
    default: {
      Number number;
      std::string_view text;
      at = scan_quotable(at, number, text);
      if (number.kind != Number::Kind::whole || number.mantissa <= 0 || number.mantissa > model::kTimestampMax) {
        return nullptr;
      }
      point.time = to_milliseconds(number.mantissa);
      return at;
    }
  }
}

bool FastPoints::finish(Point& point) {
  if (point.seen != kAll || !route_.takes([&] { return has_tenant_key(key_.tags); })) return false;
  auto* group = point.group;
  if (group == nullptr) {
    auto* guess = route_.guess();
    group = guess != nullptr && key_.is_of(*guess) ? guess : route_.find(key_.joined());
    if (group == nullptr) return false;
  }
  if (point.time < route_.batch().kept_from(*group)) return false;
  if (!add_number(route_.batch(), *group, point.time, point.value, point.text)) return false;
  route_.step(group);
  return true;
}

const char* FastPoints::read(const char* at) {
  Point point;
  key_.name = key_.tags = {};
  for (++at;; ++at) {
    at = skip_space(at, end_);
    if (*at != '"') return nullptr;
    at = field(at, point);
    if (at == nullptr) return nullptr;
    at = skip_space(at, end_);
    if (at >= end_) return nullptr;
    if (*at == '}') return finish(point) ? at + 1 : nullptr;
    if (*at != ',') return nullptr;
  }
}

void PointReader::read_tags(const Element& e, Point& point) {
  point.tags.clear();
  point.bad_tags.clear();
  point.has_tags = false;
  if (e.kind != Kind::object) {
    if (e.kind != Kind::null) point.bad_tags = "tags must be an object";
    return reader_.skip(e);
  }
  bool first = true;
  for (std::string_view key; reader_.next_name(first, key);) {
    const Element value = reader_.value();
    reader_.skip(value);
    if (!is_scalar(value)) {
      point.bad_tags = "the value of tag '" + std::string(key) + "' must be text";
    } else if (point.tags.size() == 1024) {
      point.bad_tags = "more than 1024 tags";
    } else {
      point.tags.push_back({key, value.text});
    }
  }
  point.has_tags = !point.tags.empty();
  point.tags_key = {e.begin, static_cast<std::size_t>(reader_.at() - e.begin)};
}

void PointReader::field(std::string_view name, Point& point) {
  const Element e = reader_.value();
  if (name == "tags") return read_tags(e, point);
  reader_.skip(e);
  if (name == "metric") {
    point.metric = e;
    point.metric_end = reader_.at();
  } else if (name == "timestamp") {
    point.time = e;
  } else if (name == "value") {
    point.value = e;
  }
}

Status PointReader::read() {
  reader_.clear_texts();
  Point point;
  bool first = true;
  const char* const begin = reader_.at();
  for (std::string_view name; !reader_.failed() && reader_.next_name(first, name);) field(name, point);
  if (reader_.failed()) return fail(Code::invalid, reader_.error());
  if (!json::is_utf8({begin, static_cast<std::size_t>(reader_.at() - begin)})) {
    return fail(Code::invalid, "the metric and tags must be valid UTF-8");
  }
  if (!is_scalar(point.metric) || point.metric.text.empty()) return fail(Code::invalid, "Metric name was empty");
  const auto time = time_of(point.time);
  if (!time) return fail(Code::invalid, "Invalid timestamp");
  if (!is_scalar(point.value) || point.value.text.empty()) return fail(Code::invalid, "Empty value");
  if (!point.bad_tags.empty()) return fail(Code::invalid, point.bad_tags);
  if (!point.has_tags) return fail(Code::invalid, "Missing tags");
  const auto value = value_of(point.value.text);
  if (!value) return fail(Code::invalid, "Unable to parse value to a number");
  // Bytes that say themselves where they end; \1 cannot start those of a quoted name.
  std::string key =
      point.metric.quoted ? std::string(point.metric.begin, point.metric_end) : '\1' + std::string(point.metric.text);
  key += point.tags_key;
  VARVE_ASSIGN_OR_RETURN(auto* group, route_.resolve(key, point.metric.text, *time, point.tags));
  route_.batch().add(*group, *time, *value);
  route_.step(group);
  return {};
}

}  // namespace varve::protocol::opentsdb
