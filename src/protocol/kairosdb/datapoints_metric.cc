// SPDX-License-Identifier: Apache-2.0
#include "protocol/kairosdb/datapoints_metric.h"

#include <strings.h>

#include <cmath>

#include "model/tags.h"
#include "model/time.h"
#include "model/too_old.h"
#include "protocol/json/number.h"
#include "protocol/json/text.h"
#include "protocol/kairosdb/ttl_text.h"
#include "protocol/kairosdb/values.h"

namespace varve::protocol::kairosdb {
namespace {

using json::Element;
using json::Kind;

// Text that KairosDB takes for a number: digits with at most one point, perhaps a sign or point before all.
bool looks_like_number(std::string_view text) {
  if (text.empty() || text.back() == '.') return false;
  const bool head = text[0] == '+' || text[0] == '-' || text[0] == '.';
  if (head && text.size() == 1) return false;
  int points = 0;
  for (const char c : text.substr(head ? 1 : 0)) {
    if (c == '.' ? ++points > 1 : c < '0' || c > '9') return false;
  }
  return true;
}

std::string not_a_number(std::string_view text) {
  return "java.lang.NumberFormatException: For input string: \"" + std::string(text) + '"';
}

// What Java reads as a number, though it is none: NaN and infinities, with a sign or without.
bool is_no_number(std::string_view text) {
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  return text == "NaN" || text == "Infinity";
}

// The value as `type` (nothing: as it looks). Returns what is wrong, empty if nothing; '@' stands for the place.
std::string value_of(const Element& e, std::optional<std::string_view> type, model::Value& value) {
  const bool number = e.kind == Kind::number;
  if (!type) {
    const bool numeric = number || (e.kind == Kind::string && looks_like_number(e.text));
    type = !numeric ? "string" : e.text.find('.') == std::string_view::npos ? "long" : "double";
  }
  if (*type == "string") {
    if (!json::is_utf8(e.text)) return "@.value is not valid UTF-8.";
    value = model::Value::of_string(e.text);
    return {};
  }
  if (*type == "long") {
    const auto whole = number ? json::to_wrapped_long(e.text) : json::to_long(e.text);
    if (!whole) return not_a_number(e.text);
    value = model::Value::of_long(*whole);
    return {};
  }
  if (*type == "double") {
    const auto real = json::to_double(e.text);
    if (!real) return not_a_number(e.text);
    if (!std::isfinite(*real)) return "@.value is too large for a double.";
    value = model::Value::of_double(*real);
    return {};
  }
  return "Unregistered data point type '" + std::string(*type) + "'";
}

}  // namespace

void MetricReader::error(std::string message) {
  if (rejection_.errors.size() < kErrorsMax) rejection_.errors.push_back(std::move(message));
}

std::string MetricReader::where(std::size_t index) const {
  return index == kAlone ? where_ : where_ + ".datapoints[" + std::to_string(index) + ']';
}

MetricReader::Text MetricReader::text_of(const Element& e) {
  if (e.kind == Kind::array || e.kind == Kind::object) reader_.fail_state("a string", e);
  return e.kind == Kind::null ? Text{} : Text{e.text};
}

std::optional<std::int64_t> MetricReader::long_of(const Element& e, std::string_view what) {
  if (e.kind == Kind::null) return {};
  if (e.kind != Kind::number && e.kind != Kind::string) {
    reader_.fail_state(what, e);
    return {};
  }
  if (const auto whole = json::to_long(e.text)) return whole;
  const auto real = is_no_number(e.text) ? std::nan("") : json::to_double(e.text);
  if (e.text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    reader_.fail("java.lang.NumberFormatException: empty String");
  } else if (!real) {
    reader_.fail(not_a_number(e.text));
  } else if (!std::isfinite(*real) || *real != std::trunc(*real) || std::abs(*real) >= 0x1p63) {
    reader_.fail("java.lang.NumberFormatException: Expected " + std::string(what) + " but was " + std::string(e.text) +
                 reader_.place());
  } else {
    return static_cast<std::int64_t>(*real);
  }
  return {};
}

bool MetricReader::flag_of(const Element& e) {
  if (e.kind == Kind::boolean || e.kind == Kind::string)
    return e.text.size() == 4 && strncasecmp(e.text.data(), "true", 4) == 0;
  if (e.kind != Kind::null) reader_.fail_state("a boolean", e);
  return false;
}

void MetricReader::read_tags(const Element& e, Metric& metric) {
  metric.tags.clear();
  metric.tags_key.clear();
  if (e.kind == Kind::null) return;
  if (e.kind != Kind::object) return reader_.fail_state("BEGIN_OBJECT", e);
  bool first = true;
  std::string_view key;
  while (reader_.next_name(first, key)) {
    const Text value = text_of(reader_.value());
    for (const auto& tag : metric.tags) {
      if (tag.first == key) return reader_.fail("duplicate key: " + std::string(key));
    }
    if (metric.tags.size() == 1024) return reader_.fail(where_ + " has more than 1024 tags.");
    metric.tags.emplace_back(key, value);
  }
  metric.tags_key.assign(e.begin, reader_.at());
}

// Only its syntax: the type may come later.
void MetricReader::read_points(const Element& e, Metric& metric) {
  metric.points = nullptr;
  if (e.kind == Kind::null) return;
  if (e.kind != Kind::array) return reader_.fail_state("BEGIN_ARRAY", e);
  metric.points = reader_.at();
  bool first = true;
  Element point;
  while (reader_.next_item(first, point)) {
    if (point.kind != Kind::array && point.kind != Kind::null) return reader_.fail_state("BEGIN_ARRAY", point);
    reader_.skip(point);
  }
}

void MetricReader::field(std::string_view name, Metric& metric) {
  const Element e = reader_.value();
  if (reader_.failed()) return;
  if (name == "name") {
    metric.name = text_of(e);
    // Bytes that say themselves where they end; \1 cannot start the bytes of a quoted name.
    if (e.kind == Kind::string && (e.quoted || *e.begin == '\''))
      metric.name_key.assign(e.begin, reader_.at());
    else
      metric.name_key.assign(1, '\1').append(e.text);
  } else if (name == "timestamp") {
    metric.timestamp = long_of(e, "a long");
  } else if (name == "time") {
    metric.time = long_of(e, "a long");
  } else if (name == "value") {
    metric.value = e;
    reader_.skip(e);
  } else if (name == "tags") {
    read_tags(e, metric);
  } else if (name == "datapoints") {
    read_points(e, metric);
  } else if (name == "type") {
    metric.type = text_of(e);
  } else if (name == "ttl") {
    metric.ttl_s = model::ttl_s_of(long_of(e, "an int").value_or(0));
  } else if (name == "skip_validate") {
    metric.validate = !flag_of(e);
  } else {
    reader_.skip(e);
  }
}

// Says everything that is wrong with the metric itself.
bool MetricReader::validate(const Metric& metric) {
  const std::size_t before = rejection_.errors.size();
  const auto not_empty = [&](const Text& text, const std::string& where) {
    if (!text)
      error(where + " may not be null.");
    else if (text->empty())
      error(where + " may not be empty.");
    return text && !text->empty();
  };
  if (not_empty(metric.name, where_ + ".name")) where_.append("(name=").append(*metric.name).append(")");
  if (!metric.validate) return rejection_.errors.size() == before;
  if (metric.time || metric.timestamp) {
    const auto& value = metric.value;
    if (value.kind == Kind::none)
      error(where_ + ".value may not be null.");
    else if (value.kind == Kind::null || (value.kind == Kind::string && value.text.empty())) {
      error(where_ + ".value may not be empty.");
    }
  } else if (metric.value.kind != Kind::none && metric.value.kind != Kind::null) {
    error(where_ + ".timestamp may not be null.");
  }
  if (metric.tags.empty()) error(where_ + ".tags count must be greater than or equal to 1.");
  std::size_t index = 0;
  for (const auto& [key, value] : metric.tags) {
    std::string where = where_ + ".tag[" + std::to_string(index++) + ']';
    if (not_empty(key, where + ".name")) where = where_ + ".tag[" + std::string(key) + ']';
    not_empty(value, where + ".value");
  }
  return rejection_.errors.size() == before;
}

model::LineGroup* MetricReader::group_of(const Metric& metric) {
  const std::string raw = metric.name_key + metric.tags_key;
  const TtlText ttl(metric.ttl_s);
  if (auto* known = groups_.find(raw, ttl.view()); known != nullptr) return known;
  model::TagViews tags;
  bool utf8 = json::is_utf8(*metric.name);
  for (const auto& [key, value] : metric.tags) {
    tags.push_back({key, value.value_or(std::string_view{})});
    utf8 = utf8 && json::is_utf8(key) && json::is_utf8(tags.back().value);
  }
  if (!utf8) {
    error(where_ + ": the name and tags must be valid UTF-8.");
    return nullptr;
  }
  if (auto good = model::normalize(tags); !good) {
    error(where_ + ": " + good.error().message);
    return nullptr;
  }
  const bool checks = new_groups_ == NewGroups::check;
  nobody_.count = 1;
  Result<model::LineGroup*> group = &nobody_;
  if (!checks) {
    group = groups_.define(raw, ttl.view(), tags, {&*metric.name, 1}, metric.ttl_s);
  } else if (Status good = groups_.check(tags, {&*metric.name, 1}); !good) {
    group = std::unexpected(good.error());
  } else {
    nobody_.kept = groups_.kept(tags, {&*metric.name, 1});
  }
  met_new_groups_ = met_new_groups_ || checks;
  if (group) return *group;
  rejection_.code = group.error().code;
  error(rejection_.code == Code::invalid ? where_ + ": " + group.error().message : group.error().message);
  return nullptr;
}

void MetricReader::add(const model::LineGroup& group, std::optional<std::int64_t> time, const Element& value, Text type,
                       std::size_t index) {
  if (!time) return error(where(index) + ".timestamp may not be null.");
  if (*time < model::kTimestampMin || *time > model::kTimestampMax) {
    return error(where(index) + ".timestamp must be between -9007199254740992 and 9007199254740992.");
  }
  if (*time < batch_.kept_from(group)) {
    if (rejection_.errors.size() < kErrorsMax) ++rejection_.too_old;
    return error(model::too_old(where(index) + ".timestamp", *time, batch_.kept_from(group), "milliseconds").message);
  }
  if (value.kind == Kind::null || (value.kind == Kind::string && value.text.empty())) {
    return error(where(index) + ".value may not be empty.");
  }
  if (const auto object = type ? object_type(*type) : std::nullopt) {
    if (auto wrong = read_object(reader_, value, *object, room_); !wrong.empty()) {
      return error(where(index) + ".value " + wrong);
    }
    return batch_.add(group, *time, model::Value{*object, 0, room_});
  }
  if (value.kind == Kind::array || value.kind == Kind::object) {
    if (type && *type != "long" && *type != "double" && *type != "string") {
      return error("Unregistered data point type '" + std::string(*type) + "'");
    }
    return error(where_ + " value is an invalid type");
  }
  model::Value typed;
  if (auto wrong = value_of(value, type, typed); !wrong.empty()) {
    return error(wrong[0] == '@' ? where(index) + wrong.substr(1) : wrong);
  }
  batch_.add(group, *time, typed);
}

// One [time, value] or [time, value, "type"], opened.
void MetricReader::add_point(const Metric& metric, const model::LineGroup& group, std::size_t index) {
  Element parts[3];
  std::size_t count = 0;
  bool first = true;
  for (Element e; reader_.next_item(first, e);) {
    reader_.skip(e);
    if (count < 3) parts[count] = e;
    ++count;
  }
  if (count == 0) return error(where(index) + ".timestamp cannot be null or empty.");
  if (count == 1) return error(where(index) + ".value cannot be null or empty.");
  std::optional<std::int64_t> time;
  if (parts[0].kind == Kind::number) {
    const auto real = json::to_double(parts[0].text);
    time = real && std::abs(*real) < 0x1p63 ? json::to_wrapped_long(parts[0].text) : model::kTimestampMax + 1;
  } else if (parts[0].kind != Kind::null) {
    time = json::to_long(parts[0].text);
    if (!time) return error(not_a_number(parts[0].text));
  }
  const bool typed = count > 2 && parts[2].kind != Kind::null;
  add(group, time, parts[1], typed ? Text{parts[2].text} : metric.type, index);
}

void MetricReader::add_points(const Metric& metric, const model::LineGroup& group) {
  const char* const end = reader_.at();
  reader_.seek(metric.points);
  bool first = true;
  std::size_t index = 0;
  for (Element e; rejection_.errors.size() < kErrorsMax && reader_.next_item(first, e); ++index) {
    if (e.kind == Kind::array)
      add_point(metric, group, index);
    else
      error(where(index) + ".timestamp cannot be null or empty.");
  }
  reader_.seek(end);
}

void MetricReader::read(std::size_t index) {
  where_ = "metric[" + std::to_string(index) + ']';
  reader_.clear_texts();
  Metric metric;
  bool first = true;
  for (std::string_view name; reader_.next_name(first, name);) field(name, metric);
  if (reader_.failed() || !validate(metric)) return;
  model::LineGroup* group = group_of(metric);
  if (group == nullptr) return;
  const auto time = metric.time ? metric.time : metric.timestamp;
  if (time && metric.value.kind != Kind::none) add(*group, time, metric.value, metric.type, kAlone);
  if (metric.points != nullptr) add_points(metric, *group);
  if (group != &nobody_) cursor_.step(group);
}

}  // namespace varve::protocol::kairosdb
