// SPDX-License-Identifier: Apache-2.0
#include "http/kairosdb_answer.h"

#include <algorithm>
#include <array>
#include <utility>

#include "protocol/json/number_text.h"
#include "protocol/json/text.h"
#include "protocol/kairosdb/values.h"

namespace varve::http {

namespace {

using model::ValueType;
using protocol::json::append_long;
using protocol::json::append_string;
using protocol::json::NeighbourText;
using protocol::json::write_double;
using protocol::json::write_long;

constexpr std::size_t kPieceBytes = 256 * 1024;  // each is handed from the pool to the connection
constexpr std::size_t kPointsAtOnce = 256;

// What KairosDB calls the kinds of values, in order of model::ValueKind.
constexpr std::array<std::string_view, model::kValueKinds> kKindNames = {"number", "text", "complex", "histogram"};

void append_strings(std::string& out, const std::vector<std::string>& list) {
  out += '[';
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (i != 0) out += ',';
    append_string(out, list[i]);
  }
  out += ']';
}

void append_tags(std::string& out, const query::TagUnion& tags) {
  out += R"("tags":{)";
  for (std::size_t i = 0; i < tags.size(); ++i) {
    if (i != 0) out += ',';
    append_string(out, tags[i].first);
    out += ':';
    append_strings(out, tags[i].second);
  }
  out += '}';
}

void append_name(std::string& out, const std::string& name) {
  out += R"({"name":)";
  append_string(out, name);
  out += ',';
}

// [time,
char* open_point(char* at, const aggregate::Points& points, std::size_t i, NeighbourText& times) {
  if (i != 0) *at++ = ',';
  *at++ = '[';
  at = times.write(at, points.times[i]);
  *at++ = ',';
  return at;
}

constexpr std::size_t kPointChars = 2 * protocol::json::kNumberChars + 4;
constexpr std::string_view kNull = "null";
constexpr std::size_t kLikelyPointChars = 36;

// Straight into the string's memory: a large answer is millions of these.
void append_numbers(std::string& out, const aggregate::Points& points, std::size_t first, std::size_t end) {
  const std::size_t before = out.size();
  out.resize_and_overwrite(before + (end - first) * kPointChars, [&](char* text, std::size_t) {
    char* at = text + before;
    NeighbourText times;
    for (std::size_t i = first; i < end; ++i) {
      at = open_point(at, points, i, times);
      if (points.is_null(i)) {
        at = std::ranges::copy(kNull, at).out;
      } else if (points.type_of(i) == ValueType::long_) {
        at = write_long(at, std::bit_cast<std::int64_t>(points.bits[i]));
      } else {
        at = write_double(at, std::bit_cast<double>(points.bits[i]));
      }
      *at++ = ']';
    }
    return at - text;
  });
}

void append_text(std::string& out, const aggregate::Points& points, std::size_t i) {
  char opening[kPointChars];
  NeighbourText time;
  out.append(opening, open_point(opening, points, i, time));
  if (points.is_null(i)) {
    out += kNull;
  } else {
    protocol::kairosdb::append_value(out, points.type, points.texts[i]);
  }
  out += ']';
}

}  // namespace

KairosdbAnswer::KairosdbAnswer(std::vector<KairosdbHead> heads, query::Answer answer)
    : heads_(std::move(heads)), answer_(std::move(answer)) {
  // KairosDB's shape of nothing is a group without tags or type; but where values would make the groups there is none.
  for (std::size_t m = 0; m < heads_.size(); ++m) {
    auto& metric = answer_.metrics[m];
    nothing_.push_back(metric.groups.empty() && heads_[m].splits.empty());
    if (nothing_.back()) metric.groups.emplace_back().points = std::move(metric.of_nothing);
  }
}

void KairosdbAnswer::open_metric(std::string& out) const {
  if (metric_ != 0) out += ',';
  out += R"({"sample_size":)";
  append_long(out, static_cast<std::int64_t>(answer_.metrics[metric_].sample_size));
  out += R"(,"results":[)";
}

void KairosdbAnswer::open_group(std::string& out) const {
  const KairosdbHead& head = heads_[metric_];
  const query::Group& group = answer_.metrics[metric_].groups[group_];
  if (group_ != 0) out += ',';
  append_name(out, head.name);
  if (nothing_[metric_]) {
    out += head.exclude_tags ? R"("values":[)" : R"("tags":{},"values":[)";
    return;
  }
  out += R"("group_by":[)";
  for (std::size_t i = 0; i < head.splits.size(); ++i) {
    out += head.splits[i];
    append_long(out, group.split[i]);
    out += "}},";
  }
  if (!head.group_by.empty()) {
    out += R"({"name":"tag","tags":)";
    append_strings(out, head.group_by);
    out += R"(,"group":{)";
    for (std::size_t i = 0; i < head.group_by.size(); ++i) {
      if (i != 0) out += ',';
      append_string(out, head.group_by[i]);
      out += ':';
      append_string(out, group.group_values[i]);
    }
    out += "}},";
  }
  out.append(R"({"name":"type","type":")").append(kKindNames[static_cast<std::size_t>(group.kind)]).append(R"("}],)");
  if (!head.exclude_tags) {
    append_tags(out, group.tags);
    out += ',';
  }
  out += R"("values":[)";
}

void KairosdbAnswer::append_points(std::string& out, std::size_t until_bytes) {
  const aggregate::Points& points = answer_.metrics[metric_].groups[group_].points;
  const std::size_t left = points.size() - point_;
  out.reserve(std::min(until_bytes, out.size() + left * kLikelyPointChars) +
              std::min(left, kPointsAtOnce) * kPointChars);
  while (point_ < points.size() && out.size() < until_bytes) {
    if (points.in_text()) {
      append_text(out, points, point_++);
    } else {
      const std::size_t end = std::min(points.size(), point_ + kPointsAtOnce);
      append_numbers(out, points, point_, end);
      point_ = end;
    }
  }
}

bool KairosdbAnswer::next(std::string& out) {
  const std::size_t until = out.size() + kPieceBytes;
  if (!std::exchange(opened_, true)) out += R"({"queries":[)";
  for (; metric_ < answer_.metrics.size(); ++metric_, group_ = 0) {
    auto& groups = answer_.metrics[metric_].groups;
    if (!std::exchange(in_metric_, true)) open_metric(out);
    for (; group_ < groups.size(); ++group_, point_ = 0) {
      if (!std::exchange(in_group_, true)) open_group(out);
      append_points(out, until);
      if (point_ < groups[group_].points.size()) return true;
      out += "]}";
      groups[group_] = {};  // as good as sent
      in_group_ = false;
    }
    out += "]}";
    in_metric_ = false;
  }
  out += "]}";
  return false;
}

std::string kairosdb_tags_json(const std::vector<std::string>& names, const std::vector<query::TagUnion>& tags) {
  std::string out = R"({"queries":[)";
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i != 0) out += ',';
    out += R"({"results":[)";
    append_name(out, names[i]);
    append_tags(out, tags[i]);
    out += R"(,"values":[]}]})";
  }
  out += "]}";
  return out;
}

}  // namespace varve::http
