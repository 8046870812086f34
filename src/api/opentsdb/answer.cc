// SPDX-License-Identifier: Apache-2.0
#include "api/opentsdb/answer.h"

#include <utility>

#include "api/shared/http.h"
#include "model/series_key.h"
#include "model/time.h"
#include "protocol/json/number_text.h"
#include "protocol/json/writer.h"

namespace varve::api {

namespace {

namespace opentsdb = protocol::opentsdb;
using model::ValueType;
using protocol::json::append_double;
using protocol::json::append_long;
using protocol::json::Writer;

void append_query(Writer& json, const opentsdb::SubQuery& query, std::size_t index) {
  json.key("query").begin_object();
  json.member("aggregator", query.aggregator.empty() ? "none" : query.aggregator).member("metric", query.metric);
  json.key("tsuids").null().key("downsample");
  if (query.downsample) {
    json.value(query.downsample->text);
  } else {
    json.null();
  }
  json.member("rate", query.rate.has_value()).key("filters").begin_array();
  for (const opentsdb::Filter& filter : query.filters) {
    json.begin_object().member("tagk", filter.key).member("filter", filter.text);
    json.member("group_by", filter.group_by).member("type", name_of(filter.type)).end_object();
  }
  json.end_array().member("explicitTags", query.explicit_tags).member("index", index).end_object();
}

}  // namespace

void append_value(std::string& out, const aggregate::Points& points, std::size_t i) {
  if (points.type_of(i) == ValueType::long_) {
    append_long(out, std::bit_cast<std::int64_t>(points.bits[i]));
  } else {
    append_double(out, std::bit_cast<double>(points.bits[i]));
  }
}

std::string opentsdb_series_id(std::string_view metric, const model::Tags& tags) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  const model::SeriesSetHash hash = model::series_set_hash(model::series_key(metric, model::to_views(tags)));
  std::string out;
  for (const unsigned char byte : hash.bytes) {
    out += kHex[byte >> 4];
    out += kHex[byte & 15];
  }
  return out;
}

OpentsdbAnswer::OpentsdbAnswer(opentsdb::Query query, query::Engine::Streamed found)
    : query_(std::move(query)), found_(std::move(found)) {}

void OpentsdbAnswer::open_group(std::string& out) {
  const opentsdb::SubQuery& query = query_.queries[metric_];
  const query::Group& group = found_.answer.metrics[metric_].groups[group_];
  Writer json = Writer::behind_value(out, groups_written_++ != 0);
  json.begin_object().member("metric", query.metric).key("tags").object(group.common);
  json.key("aggregateTags").array(group.mixed);
  // Ceres, whose clients leave the aggregator out, called it so.
  if (query.aggregator.empty()) json.key("aggregatedTags").begin_array().end_array();
  if (query_.show_query) append_query(json, query, metric_);
  json.key("dps");
  out += query_.arrays ? '[' : '{';
  first_point_ = true;
}

void OpentsdbAnswer::append_points(std::string& out, std::size_t until_bytes) {
  const aggregate::Points& points = found_.answer.metrics[metric_].groups[group_].points;
  for (; point_ < points.size() && out.size() < until_bytes; ++point_) {
    if (!std::exchange(first_point_, false)) out += ',';
    const model::Timestamp time = points.times[point_];
    out += query_.arrays ? '[' : '"';
    append_long(out, query_.ms ? time : model::window_start(time, 1000) / 1000);
    out += query_.arrays ? "," : "\":";
    append_value(out, points, point_);
    if (query_.arrays) out += ']';
    ++points_written_;
  }
}

void OpentsdbAnswer::append_summary(std::string& out) const {
  std::uint64_t samples = 0;
  for (const auto& metric : found_.answer.metrics) samples += metric.sample_size;
  Writer json = Writer::behind_value(out, groups_written_ != 0);
  json.begin_object().key("statsSummary").begin_object();
  json.member("datapoints", points_written_).member("rawDatapoints", samples);
  json.member("aggregatedSeries", groups_written_).member("samplesRead", found_.answer.read.samples);
  json.member("chunksRead", found_.answer.read.chunks).member("windowsRead", found_.answer.read.windows_in_all());
  json.end_object().end_object();
}

Status OpentsdbAnswer::append_group(std::string& out, std::size_t until_bytes) {
  if (!std::exchange(in_group_, true)) open_group(out);
  while (out.size() < until_bytes) {
    VARVE_ASSIGN_OR_RETURN(const bool has_point, found_.has_point(metric_, group_, point_));
    if (!has_point) break;
    append_points(out, until_bytes);
  }
  if (out.size() >= until_bytes) return {};
  out += query_.arrays ? "]}" : "}}";
  in_group_ = false;
  query::let_go(found_.answer, found_.answer.metrics[metric_].groups[group_++]);  // what is written need not be kept
  point_ = 0;
  return {};
}

Result<bool> OpentsdbAnswer::next(std::string& out) {
  const std::size_t until_bytes = out.size() + http::kPieceBytes;
  if (!std::exchange(opened_, true)) out += '[';
  for (; metric_ < found_.answer.metrics.size(); ++metric_, group_ = 0) {
    while (group_ < found_.answer.metrics[metric_].groups.size()) {
      if (out.size() >= until_bytes) return true;
      VARVE_RETURN_IF_ERROR(append_group(out, until_bytes));
    }
  }
  if (query_.show_summary) append_summary(out);
  out += ']';
  return false;
}

}  // namespace varve::api
