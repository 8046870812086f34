// SPDX-License-Identifier: Apache-2.0
#include "http/opentsdb_answer.h"

#include <utility>

#include "http/handler.h"
#include "model/series_key.h"
#include "model/time.h"
#include "protocol/json/number_text.h"
#include "protocol/json/text.h"

namespace varve::http {

namespace {

namespace opentsdb = protocol::opentsdb;
using model::ValueType;
using protocol::json::append_double;
using protocol::json::append_long;
using protocol::json::append_string;

void append_query(std::string& out, const opentsdb::SubQuery& query, std::size_t index) {
  out += R"("query":{"aggregator":)";
  append_string(out, query.aggregator.empty() ? "none" : query.aggregator);
  out += R"(,"metric":)";
  append_string(out, query.metric);
  out += R"(,"tsuids":null,"downsample":)";
  if (query.downsample) {
    append_string(out, query.downsample->text);
  } else {
    out += "null";
  }
  out += query.rate ? R"(,"rate":true,"filters":[)" : R"(,"rate":false,"filters":[)";
  for (std::size_t i = 0; i < query.filters.size(); ++i) {
    const opentsdb::Filter& filter = query.filters[i];
    out += i == 0 ? R"({"tagk":)" : R"(,{"tagk":)";
    append_string(out, filter.key);
    out += R"(,"filter":)";
    append_string(out, filter.text);
    out += filter.group_by ? R"(,"group_by":true,"type":)" : R"(,"group_by":false,"type":)";
    append_string(out, name_of(filter.type));
    out += '}';
  }
  out += R"(],"explicitTags":)";
  out += query.explicit_tags ? "true" : "false";
  out += R"(,"index":)" + std::to_string(index) + "},";
}

}  // namespace

void append_tags(std::string& out, const model::Tags& tags) {
  out += '{';
  for (std::size_t i = 0; i < tags.size(); ++i) {
    if (i != 0) out += ',';
    append_string(out, tags[i].first);
    out += ':';
    append_string(out, tags[i].second);
  }
  out += '}';
}

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

OpentsdbAnswer::OpentsdbAnswer(opentsdb::Query query, query::Answer answer)
    : query_(std::move(query)), answer_(std::move(answer)) {}

void OpentsdbAnswer::open_group(std::string& out) {
  const opentsdb::SubQuery& query = query_.queries[metric_];
  const query::Group& group = answer_.metrics[metric_].groups[group_];
  if (groups_written_++ != 0) out += ',';
  out += R"({"metric":)";
  append_string(out, query.metric);
  out += R"(,"tags":)";
  append_tags(out, group.common);
  out += R"(,"aggregateTags":[)";
  for (std::size_t i = 0; i < group.mixed.size(); ++i) {
    if (i != 0) out += ',';
    append_string(out, group.mixed[i]);
  }
  // Ceres, whose clients leave the aggregator out, called it so.
  out += query.aggregator.empty() ? R"(],"aggregatedTags":[],)" : "],";
  if (query_.show_query) append_query(out, query, metric_);
  out += query_.arrays ? R"("dps":[)" : R"("dps":{)";
}

void OpentsdbAnswer::append_points(std::string& out, std::size_t until_bytes) {
  const aggregate::Points& points = answer_.metrics[metric_].groups[group_].points;
  for (; point_ < points.size() && out.size() < until_bytes; ++point_) {
    if (point_ != 0) out += ',';
    const model::Timestamp time = points.times[point_];
    out += query_.arrays ? '[' : '"';
    append_long(out, query_.ms ? time : model::window_start(time, 1000) / 1000);
    out += query_.arrays ? "," : "\":";
    append_value(out, points, point_);
    if (query_.arrays) out += ']';
    ++points_written_;
  }
  in_group_ = point_ < points.size();
}

void OpentsdbAnswer::append_summary(std::string& out) const {
  std::uint64_t samples = 0;
  for (const auto& metric : answer_.metrics) samples += metric.sample_size;
  if (groups_written_ != 0) out += ',';
  out += R"({"statsSummary":{"datapoints":)" + std::to_string(points_written_) + R"(,"rawDatapoints":)" +
         std::to_string(samples) + R"(,"aggregatedSeries":)" + std::to_string(groups_written_) + R"(,"samplesRead":)" +
         std::to_string(answer_.read.samples) + R"(,"chunksRead":)" + std::to_string(answer_.read.chunks) +
         R"(,"windowsRead":)" + std::to_string(answer_.read.windows_in_all()) + "}}";
}

bool OpentsdbAnswer::next(std::string& out) {
  const std::size_t until_bytes = out.size() + kPieceBytes;
  if (!std::exchange(opened_, true)) out += '[';
  while (out.size() < until_bytes) {
    if (metric_ == answer_.metrics.size()) {
      if (query_.show_summary) append_summary(out);
      out += ']';
      return false;
    }
    auto& groups = answer_.metrics[metric_].groups;
    if (group_ == groups.size()) {
      ++metric_;
      group_ = 0;
      continue;
    }
    if (!std::exchange(in_group_, true)) open_group(out);
    append_points(out, until_bytes);
    if (in_group_) continue;
    out += query_.arrays ? "]}" : "}}";
    query::let_go(answer_, groups[group_++]);  // what is written need not be kept
    point_ = 0;
  }
  return true;
}

}  // namespace varve::http
