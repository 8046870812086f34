// SPDX-License-Identifier: Apache-2.0
// search/lookup and query/last: both answer with series one by one.
#include <algorithm>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "api/opentsdb/answer.h"
#include "api/opentsdb/names.h"
#include "language/opentsdb/to_request.h"
#include "model/time.h"
#include "protocol/json/writer.h"
#include "query/search.h"

namespace varve::api {

namespace {

namespace opentsdb = protocol::opentsdb;
using index::Matcher;
using opentsdb::Lookup;
using protocol::json::Writer;

// Pairs of one key are alternatives, as in OpenTSDB; all keys must fit. Pairs of any key are looked at by `fits`.
index::Matchers matchers_of(const Lookup& wanted) {
  std::map<std::string, Matcher> by_key;
  for (const auto& [key, value] : wanted.pairs) {
    if (key == "*") continue;
    Matcher& matcher = by_key.try_emplace(key, Matcher{key, Matcher::Kind::any_of, {}}).first->second;
    if (value == "*") {
      matcher = {key, Matcher::Kind::none_of, {""}};
    } else if (matcher.kind == Matcher::Kind::any_of) {
      matcher.values.push_back(value);
    }
  }
  index::Matchers out;
  for (auto& [key, matcher] : by_key) out.push_back(std::move(matcher));
  return out;
}

bool fits(const Lookup& wanted, const model::Tags& tags) {
  return std::ranges::all_of(wanted.pairs, [&](const auto& pair) {
    return pair.first != "*" || std::ranges::any_of(tags, [&](const auto& tag) { return tag.second == pair.second; });
  });
}

// Writes the results from start_index on, up to limit, and counts all.
class LookupWriter {
 public:
  LookupWriter(const Lookup& wanted, const storage::SeriesStore& store, query::UnderWay& query)
      : wanted_(wanted),
        store_(store),
        query_(query),
        each_(std::ranges::any_of(wanted.pairs, [](const auto& pair) { return pair.first == "*"; })) {}

  Status found(model::TenantId tenant, const std::string& metric, std::span<const model::SeriesId> series) {
    constexpr std::size_t kBatch = 4096;
    while (!series.empty()) {
      if (!each_ && (total_ >= end() || total_ + series.size() <= wanted_.start_index)) {
        total_ += series.size();
        return {};
      }
      VARVE_RETURN_IF_ERROR(query_.check());
      const auto batch = series.first(std::min(kBatch, series.size()));
      series = series.subspan(batch.size());
      for (const model::Tags& tags : store_.tags(tenant, batch)) {
        if (each_ && !fits(wanted_, tags)) continue;
        const std::size_t number = total_++;
        if (number >= wanted_.start_index && number < end()) VARVE_RETURN_IF_ERROR(write(metric, tags));
      }
    }
    return {};
  }
  [[nodiscard]] std::size_t total() const { return total_; }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  [[nodiscard]] std::size_t end() const { return wanted_.start_index + wanted_.limit; }
  Status write(const std::string& metric, const model::Tags& tags) {
    const std::size_t before = text_.size();
    Writer json = Writer::behind_value(text_, before != 0);
    json.begin_object().member("tsuid", opentsdb_series_id(metric, tags)).member("metric", metric);
    json.key("tags").object(tags).end_object();
    return query_.budget().charge(text_.size() - before);
  }

  const Lookup& wanted_;
  const storage::SeriesStore& store_;
  query::UnderWay& query_;
  const bool each_;  // the tags of each series must be looked at
  std::size_t total_ = 0;
  std::string text_;
};

void append_pairs(Writer& json, const Lookup& wanted) {
  json.begin_array();
  for (const auto& [key, value] : wanted.pairs) {
    json.begin_object().member("key", key).member("value", value).end_object();
  }
  json.end_array();
}

model::Tags tags_of(const query::TagUnion& tags) {
  model::Tags out;
  for (const auto& [key, values] : tags) out.emplace_back(key, values.front());
  return out;
}

// The newest sample of each series found so far; later ranges are asked first, so what is there stays.
using Newest = std::map<std::string, std::string>;

void put_newest(const opentsdb::LastQuery& wanted, const std::string& metric, const query::Group& group,
                Newest& newest) {
  if (group.kind != model::ValueKind::number || group.points.size() == 0) return;
  const model::Tags tags = tags_of(group.tags);
  const std::string id = opentsdb_series_id(metric, tags);
  std::string text;
  Writer json(text);
  json.begin_object();
  if (wanted.resolve) json.member("metric", metric).key("tags").object(tags);
  json.member("timestamp", group.points.times.back()).key("value");
  text += '"';
  append_value(text, group.points, group.points.size() - 1);
  text += '"';
  Writer::behind_value(text).member("tsuid", id).end_object();
  newest.try_emplace(id, std::move(text));
}

}  // namespace

Result<std::string> opentsdb_lookup(const query::Engine& engine, std::string tenant, const Lookup& wanted,
                                    query::UnderWay& query) {
  const std::int64_t began_ns = engine.clock().steady_ns();
  query::Search search;
  search.tenant = std::move(tenant);
  search.matchers = matchers_of(wanted);
  if (!wanted.metric.empty()) search.metric = wanted.metric;
  LookupWriter writer(wanted, engine.series(), query);
  VARVE_RETURN_IF_ERROR(query::search(
      engine, search, query, [&](model::TenantId id, const std::string& metric, std::span<const model::SeriesId> s) {
        return writer.found(id, metric, s);
      }));
  std::string out;
  Writer json(out);
  json.begin_object().member("type", "LOOKUP").member("metric", wanted.metric.empty() ? "*" : wanted.metric);
  json.key("tags");
  append_pairs(json, wanted);
  json.member("limit", wanted.limit).member("time", (engine.clock().steady_ns() - began_ns) / 1'000'000);
  json.key("results").begin_array();
  out += writer.text();
  json.end_array().member("startIndex", wanted.start_index).member("totalResults", writer.total()).end_object();
  return out;
}

Result<std::string> opentsdb_last(const query::Engine& engine, const std::string& tenant,
                                  const opentsdb::LastQuery& wanted, query::UnderWay& query) {
  const std::int64_t now = engine.clock().now_ms();
  const std::int64_t oldest =
      wanted.back_scan_hours == 0 ? model::kTimestampMin : now - wanted.back_scan_hours * model::kHourMs;
  std::string out;
  Writer json(out);
  json.begin_array();
  query::Expressions expressions;
  for (const auto& series : wanted.series) {
    VARVE_ASSIGN_OR_RETURN(query::Request request, language::opentsdb::to_request(series, tenant, expressions));
    VARVE_ASSIGN_OR_RETURN(const auto id, engine.series().find_tenant(tenant));
    if (!id) break;
    VARVE_ASSIGN_OR_RETURN(const auto all, engine.series().select(*id, series.metric, request.metrics[0].matchers, {},
                                                                  query::still_wanted(query.deadline())));
    Newest newest;
    // Most series have a sample in the last hour, and only what is older than all asked for yet is read next.
    std::int64_t end = model::kTimestampMax + 1;
    for (const std::int64_t back_ms :
         {model::kHourMs, 24 * model::kHourMs, 30 * (24 * model::kHourMs), now - model::kTimestampMin}) {
      request.range = {std::max(now - back_ms, oldest), end};
      if (newest.size() >= all.size() || request.range.empty()) break;
      const std::size_t before = query.budget().used();
      VARVE_ASSIGN_OR_RETURN(const auto answer, engine.run(request, query));
      for (const auto& group : answer.metrics[0].groups) put_newest(wanted, series.metric, group, newest);
      query.budget().release(query.budget().used() - before);
      end = request.range.first;
    }
    VARVE_RETURN_IF_ERROR(query.check());
    for (const auto& [key, text] : newest) {
      VARVE_RETURN_IF_ERROR(query.budget().charge(2 * text.size()));
      json.raw(text);
    }
  }
  json.end_array();
  return out;
}

}  // namespace varve::api
