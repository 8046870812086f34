// SPDX-License-Identifier: Apache-2.0
#include "api/kairosdb/answer.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/check.h"
#include "base/parallel.h"
#include "protocol/json/number_text.h"
#include "protocol/json/writer.h"
#include "protocol/kairosdb/values.h"

namespace varve::api {

namespace {

using model::ValueType;
using protocol::json::NeighbourText;
using protocol::json::write_double;
using protocol::json::write_long;
using protocol::json::Writer;

constexpr std::size_t kTextBytes = 256 * 1024;  // about what one thread makes of a piece
constexpr std::size_t kPointsAtOnce = 256;

// What KairosDB calls the kinds of values, in order of model::ValueKind.
constexpr std::array<std::string_view, model::kValueKinds> kKindNames = {"number", "text", "complex", "histogram"};

void append_tag_lists(Writer& json, const query::TagUnion& tags) {
  json.key("tags").begin_object();
  for (const auto& [key, values] : tags) json.key(key).array(values);
  json.end_object();
}

// [time,
char* open_point(char* at, const aggregate::Points& points, std::size_t i, bool begun, NeighbourText& times) {
  if (i != 0 || begun) *at++ = ',';
  *at++ = '[';
  at = times.write(at, points.times[i]);
  *at++ = ',';
  return at;
}

constexpr std::size_t kPointChars = 2 * protocol::json::kNumberChars + 4;
constexpr std::string_view kNull = "null";
constexpr std::size_t kLikelyPointChars = 36;
constexpr std::size_t kLikelyHeadChars = 160;

// Straight into the string's memory: a large answer is millions of these.
void append_numbers(std::string& out, const aggregate::Points& points, std::size_t first, std::size_t end, bool begun) {
  const std::size_t before = out.size();
  out.resize_and_overwrite(before + (end - first) * kPointChars, [&](char* text, std::size_t) {
    char* at = text + before;
    NeighbourText times;
    for (std::size_t i = first; i < end; ++i) {
      at = open_point(at, points, i, begun, times);
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
  out.append(opening, open_point(opening, points, i, false, time));
  if (points.is_null(i)) {
    out += kNull;
  } else {
    protocol::kairosdb::append_value(out, points.type, points.texts[i]);
  }
  out += ']';
}

// `begun`: others stand before the first one already.
void append_points(std::string& out, const aggregate::Points& points, std::size_t first, std::size_t end, bool begun) {
  if (points.in_text()) {
    for (std::size_t i = first; i < end; ++i) append_text(out, points, i);
    return;
  }
  out.reserve(out.size() + (end - first) * kLikelyPointChars + std::min(end - first, kPointsAtOnce) * kPointChars);
  for (std::size_t i = first; i < end; i += kPointsAtOnce) {
    append_numbers(out, points, i, std::min(end, i + kPointsAtOnce), begun);
  }
}

// Behind those points from `first` on whose texts take about `bytes`, which get fewer; at least one.
std::size_t end_of_some(const aggregate::Points& points, std::size_t first, std::size_t& bytes) {
  while (first < points.size() && bytes != 0) {
    const std::size_t text = kLikelyPointChars + (points.in_text() ? points.texts[first].size() : 0);
    const std::size_t some = points.in_text() ? 1 : std::min(points.size() - first, bytes / text + 1);
    bytes -= std::min(bytes, some * text);
    first += some;
  }
  return first;
}

}  // namespace

KairosdbAnswer::KairosdbAnswer(std::vector<KairosdbHead> heads, query::Answer answer, TaskPool& pool, unsigned threads,
                               std::shared_ptr<query::SlicedAnswer> later)
    : heads_(std::move(heads)),
      answer_(std::move(answer)),
      pool_(pool),
      threads_(std::max(1U, threads)),
      later_(std::move(later)) {
  check(heads_.size() == answer_.metrics.size(), "each metric has a head");
  // KairosDB's shape of nothing is a group without tags or type; but where values would make the groups there is none.
  for (std::size_t m = 0; m < heads_.size(); ++m) {
    auto& metric = answer_.metrics[m];
    nothing_.push_back(metric.groups.empty() && heads_[m].splits.empty());
    if (nothing_.back()) metric.groups.emplace_back().points = std::move(metric.of_nothing);
  }
}

void KairosdbAnswer::open_metric(std::string& out, const Place& at) const {
  Writer json = Writer::behind_value(out, at.metric != 0);
  json.begin_object().member("sample_size", answer_.metrics[at.metric].sample_size);
  json.key("results").begin_array();
}

void KairosdbAnswer::open_group(std::string& out, const Place& at) const {
  const KairosdbHead& head = heads_[at.metric];
  const query::Group& group = answer_.metrics[at.metric].groups[at.group];
  Writer json = Writer::behind_value(out, at.group != 0);
  json.begin_object().member("name", head.name);
  if (nothing_[at.metric]) {
    if (!head.exclude_tags) json.key("tags").begin_object().end_object();
    json.key("values").begin_array();
    return;
  }
  json.key("group_by").begin_array();
  for (std::size_t i = 0; i < head.splits.size(); ++i) {
    json.raw(head.splits[i] + std::to_string(group.split[i]) + "}}");
  }
  if (!head.group_by.empty()) {
    json.begin_object().member("name", "tag").key("tags").array(head.group_by).key("group").begin_object();
    for (std::size_t i = 0; i < head.group_by.size(); ++i) json.member(head.group_by[i], group.group_values[i]);
    json.end_object().end_object();
  }
  json.begin_object().member("name", "type").member("type", kKindNames[static_cast<std::size_t>(group.kind)]);
  json.end_object().end_array();
  if (!head.exclude_tags) append_tag_lists(json, group.tags);
  json.key("values").begin_array();
}

// Behind about kTextBytes.
KairosdbAnswer::Place KairosdbAnswer::some_further(Place at) const {
  for (std::size_t left = kTextBytes; at < end() && left != 0; left -= std::min(left, kLikelyHeadChars)) {
    const auto& groups = answer_.metrics[at.metric].groups;
    if (at.group < groups.size()) {
      const aggregate::Points& points = groups[at.group].points;
      at.point = end_of_some(points, at.point, left);
      if (at.point < points.size() || !is_whole(at)) return at;
      at = {at.metric, at.group + 1};
    }
    if (at.group >= groups.size()) at = {at.metric + 1};
    if (later_ != nullptr) return at;  // the points of the next group are not at hand
  }
  return at;
}

void KairosdbAnswer::write(std::string& out, Place from, Place until) const {
  for (Place at = from; at < until;) {
    const auto& groups = answer_.metrics[at.metric].groups;
    const bool begun = has_begun(at);
    if (at.group == 0 && !begun) open_metric(out, at);
    if (at.group < groups.size()) {
      if (!begun) open_group(out, at);
      const aggregate::Points& points = groups[at.group].points;
      const bool whole = Place{at.metric, at.group + 1} <= until || until.metric > at.metric;
      append_points(out, points, at.point, whole ? points.size() : until.point, begun_ == Place{at.metric, at.group});
      if (!whole) return;
      out += "]}";
      at = {at.metric, at.group + 1};
    }
    if (at.group < groups.size()) continue;
    out += "]}";
    at = {at.metric + 1};
  }
}

// Groups that are as good as sent.
void KairosdbAnswer::free(Place from, Place until) {
  for (; from.metric < until.metric; from = {from.metric + 1}) {
    auto& groups = answer_.metrics[from.metric].groups;
    for (; from.group < groups.size(); ++from.group) query::let_go(answer_, groups[from.group]);
    groups.clear();
  }
  if (from.metric == end().metric) return;
  for (; from.group < until.group; ++from.group) {
    query::let_go(answer_, answer_.metrics[from.metric].groups[from.group]);
  }
}

// Gets more points, where all that are at hand are written.
Status KairosdbAnswer::load() {
  if (later_ == nullptr || written_ == end()) return {};
  const Place of{written_.metric, written_.group};
  aggregate::Points& points = answer_.metrics[of.metric].groups[of.group].points;
  if (written_.point < points.size() || is_whole(of)) return {};
  if (written_.point != 0) begun_ = of;
  points = {};
  VARVE_ASSIGN_OR_RETURN(points, later_->next(of.metric, of.group));
  if (points.size() == 0) whole_ = of;
  written_ = of;
  return {};
}

void KairosdbAnswer::append_some(std::string& out) {
  std::vector<Place> places{written_};
  while (places.size() <= threads_ && places.back() < end()) places.push_back(some_further(places.back()));
  const std::size_t parts = places.size() - 1;
  texts_.resize(std::max(texts_.size(), parts));
  const auto made = in_parallel(pool_, threads_ - 1, parts, [&](std::size_t i) -> Status {
    write(i == 0 ? out : texts_[i], places[i], places[i + 1]);
    return {};
  });
  for (std::size_t i = 1; i < parts; ++i) {
    out += texts_[i];
    texts_[i].clear();
  }
  free(written_, places.back());
  written_ = places.back();
}

Result<bool> KairosdbAnswer::next(std::string& out) {
  check(written_ == Place() || written_ < end(), "nothing comes behind the end");
  if (written_ == Place()) out += R"({"queries":[)";
  const std::size_t until_bytes = out.size() + kTextBytes;
  do {  // what comes later comes group by group
    VARVE_RETURN_IF_ERROR(load());
    append_some(out);
  } while (later_ != nullptr && written_ < end() && out.size() < until_bytes);
  if (written_ < end()) return true;
  out += "]}";
  return false;
}

std::string kairosdb_tags_json(const std::vector<std::string>& names, const std::vector<query::TagUnion>& tags) {
  check(names.size() == tags.size(), "each metric has its tags");
  std::string out;
  Writer json(out);
  json.begin_object().key("queries").begin_array();
  for (std::size_t i = 0; i < names.size(); ++i) {
    json.begin_object().key("results").begin_array().begin_object().member("name", names[i]);
    append_tag_lists(json, tags[i]);
    json.key("values").begin_array().end_array().end_object().end_array().end_object();
  }
  json.end_array().end_object();
  return out;
}

}  // namespace varve::api
