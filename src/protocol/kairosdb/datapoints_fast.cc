// SPDX-License-Identifier: Apache-2.0
#include "protocol/kairosdb/datapoints_fast.h"

#include "model/time.h"
#include "protocol/json/text.h"
#include "protocol/kairosdb/ttl_text.h"

namespace varve::protocol::kairosdb {
namespace {

using json::Number;
using json::skip_space;

enum Field : unsigned { kName = 1, kTags = 2, kTime = 4, kValue = 8, kPoints = 16, kType = 32, kTtl = 64 };

// `at` stands at the opening quote of a field's name. Moves it behind the closing one; 0: some other field.
inline unsigned field_at(const char*& at) {
  const auto is = [&]<std::size_t n>(const char(&quoted)[n], unsigned field) -> unsigned {
    if (std::memcmp(at, quoted, n - 1) != 0) return 0;
    at += n - 1;
    return field;
  };
  switch (at[1]) {
    case 'n': return is("\"name\"", kName);
    case 'v': return is("\"value\"", kValue);
    case 'd': return is("\"datapoints\"", kPoints);
    case 't': break;
    default: return 0;
  }
  switch (at[3]) {
    case 'g': return is("\"tags\"", kTags);
    case 'm': return at[5] == 's' ? is("\"timestamp\"", kTime) : is("\"time\"", kTime);
    case 'p': return is("\"type\"", kType);
    case 'l': return is("\"ttl\"", kTtl);
    default: return 0;
  }
}

inline bool scan_time(const char*& at, model::Timestamp kept_from, model::Timestamp& time) {
  if (json::take_13_digits(at, time)) {
    at += 13;
    return (*at | 0x20) != 'e' && *at != '.' && at[-13] != '0' && time >= kept_from;
  }
  Number number;
  at = scan_number(at, number);
  time = number.mantissa;
  return number.kind == Number::Kind::whole && time >= kept_from && time <= model::kTimestampMax;
}

inline unsigned type_bit(Number::Kind kind) { return kind == Number::Kind::whole ? 1 : 2; }

}  // namespace

const char* FastMetrics::read_name(const char* at) {
  if (*at != '"') return nullptr;
  const char* end = json::skip_string(at + 1, end_);
  if (end != nullptr) key_.name = {at, static_cast<std::size_t>(end - at)};
  return end;
}

const char* FastMetrics::read_tags(const char* at, Metric& metric) {
  if (*at != '{') return nullptr;
  if (auto* guess = cursor_.guess(); guess != nullptr && key_.take_tags(at, end_, *guess)) {
    metric.group = guess;
    return at + key_.tags.size();
  }
  const char* end = json::skip_strings(at, end_);
  if (end != nullptr) key_.tags = {at, static_cast<std::size_t>(end - at)};
  return end;
}

const char* FastMetrics::read_type(const char* at, Metric& metric) {
  if (std::memcmp(at, "\"long\"", 6) == 0) {
    metric.types_allowed = 1;
    return at + 6;
  }
  if (std::memcmp(at, "\"double\"", 8) == 0) {
    metric.types_allowed = 2;
    return at + 8;
  }
  return nullptr;
}

// [[time,number],…]
const char* FastMetrics::read_points(const char* at, const model::LineGroup& group, unsigned& types) {
  if (*at != '[') return nullptr;
  const model::Timestamp kept_from = batch_.sure_from();
  at = skip_space(at + 1, end_);
  if (*at == ']') return at + 1;
  while (at < end_) {
    if (*at != '[') return nullptr;
    if (*++at <= ' ') at = skip_space(at, end_);
    model::Timestamp time = 0;
    if (!scan_time(at, kept_from, time) || at >= end_) return nullptr;
    if (*at <= ' ') at = skip_space(at, end_);
    if (*at != ',') return nullptr;
    if (*++at <= ' ') at = skip_space(at, end_);
    const char* const text = at;
    Number number;
    at = scan_number(at, number);
    if (number.kind == Number::Kind::none || at > end_) return nullptr;
    if (!add_number(batch_, group, time, number, {text, static_cast<std::size_t>(at - text)})) return nullptr;
    types |= type_bit(number.kind);
    if (*at <= ' ') at = skip_space(at, end_);
    if (*at != ']') return nullptr;
    if (*++at <= ' ') at = skip_space(at, end_);
    if (*at == ']') return at + 1;
    if (*at != ',') return nullptr;
    if (*++at <= ' ') at = skip_space(at, end_);
  }
  return nullptr;
}

// At a field's name; returns the end of its value.
const char* FastMetrics::field(const char* at, Metric& metric) {
  if (end_ - at < 2) return nullptr;
  const unsigned which = field_at(at);
  if (which == 0 || (metric.seen & which) != 0) return nullptr;
  metric.seen |= which;
  at = skip_space(at, end_);
  if (*at != ':') return nullptr;
  at = skip_space(at + 1, end_);
  if (at >= end_) return nullptr;
  switch (which) {
    case kName: return read_name(at);
    case kTags: return read_tags(at, metric);
    case kTime: return scan_time(at, batch_.sure_from(), metric.time) ? at : nullptr;
    case kValue: {
      const char* const text = at;
      at = scan_number(at, metric.value);
      metric.value_text = {text, static_cast<std::size_t>(at - text)};
      metric.types |= type_bit(metric.value.kind);
      return metric.value.kind == Number::Kind::none ? nullptr : at;
    }
    case kPoints:
      metric.points = at;
      metric.points_group = cursor_.guess() != nullptr ? cursor_.guess() : &nobody_;
      return read_points(at, *metric.points_group, metric.types);
    case kType: return read_type(at, metric);
    default: return read_ttl(at, metric);
  }
}

// All fields are there: which group is it, and do the rows stand under it?
bool FastMetrics::finish(Metric& metric, model::RowBatch::Mark mark) {
  constexpr unsigned kIdentity = kName | kTags;
  constexpr unsigned kSingle = kTime | kValue;
  const unsigned seen = metric.seen;
  if ((seen & kIdentity) != kIdentity || (metric.types & ~metric.types_allowed) != 0) return false;
  if ((seen & kSingle) != 0 && (seen & (kSingle | kPoints)) != kSingle) return false;
  model::LineGroup* group = metric.group;
  if (group == nullptr || group->ttl_s != metric.ttl_s) [[unlikely]] {
    group = look_up(metric.ttl_s);
    if (group == nullptr) return false;
  }
  if ((seen & kSingle) != 0) {
    if (!add_number(batch_, *group, metric.time, metric.value, metric.value_text)) return false;
  } else if (metric.points != nullptr && metric.points_group != group) {
    batch_.rollback(mark);
    read_points(metric.points, *group, metric.types);
  }
  cursor_.step(group);
  return true;
}

const char* FastMetrics::read(const char* at) {
  nobody_.count = 1;
  const auto mark = batch_.mark();
  Metric metric;
  key_.name = key_.tags = {};
  for (++at;;) {
    if (*at <= ' ') at = skip_space(at, end_);
    if (*at != '"') break;
    at = field(at, metric);
    if (at == nullptr) break;
    if (*at <= ' ') at = skip_space(at, end_);
    if (*at == ',') {
      ++at;
      continue;
    }
    if (*at != '}' || at >= end_ || !finish(metric, mark)) break;
    return at + 1;
  }
  batch_.rollback(mark);
  return nullptr;
}

// The way of few metrics, kept out of that of all others: of those with a time to live, or with another order of
// fields.
[[gnu::noinline]] model::LineGroup* FastMetrics::look_up(std::uint32_t ttl_s) {
  auto* guess = cursor_.guess();
  if (guess != nullptr && guess->ttl_s == ttl_s && key_.is_of(*guess)) return guess;
  return groups_.find(key_.joined(), TtlText(ttl_s).view());
}

[[gnu::noinline]] const char* FastMetrics::read_ttl(const char* at, Metric& metric) {
  Number number;
  at = scan_number(at, number);
  metric.ttl_s = model::ttl_s_of(number.mantissa);
  return number.kind == Number::Kind::whole ? at : nullptr;
}

}  // namespace varve::protocol::kairosdb
