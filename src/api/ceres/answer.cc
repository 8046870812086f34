// SPDX-License-Identifier: Apache-2.0
#include "api/ceres/answer.h"

#include <bit>
#include <utility>

#include "api/shared/http.h"
#include "base/check.h"
#include "protocol/ceres/time.h"
#include "protocol/json/number_text.h"
#include "protocol/json/writer.h"

namespace varve::api {

namespace {

using protocol::ceres::append_instant;
using protocol::json::Writer;

std::string metadata_of(const CeresHead& head) {
  std::string out;
  Writer json = Writer::behind_value(out);
  json.key("metadata").begin_object().member("aggregator", head.aggregator);
  json.member("startTime", model::instant(head.range.first)).member("endTime", model::instant(head.range.last));
  if (head.granularity_ms != 0) json.member("granularity", protocol::ceres::granularity_text(head.granularity_ms));
  json.end_object();
  return out;
}

void append_point(std::string& out, const aggregate::Points& points, std::size_t i) {
  out += '"';
  append_instant(out, points.times[i]);
  out += "\":";
  if (points.type_of(i) == model::ValueType::long_) {
    protocol::json::append_long(out, std::bit_cast<std::int64_t>(points.bits[i]));
  } else {
    protocol::json::append_double(out, std::bit_cast<double>(points.bits[i]));
  }
}

}  // namespace

CeresAnswer::CeresAnswer(CeresHead head, query::Engine::Streamed found)
    : head_(std::move(head)), found_(std::move(found)), metadata_(metadata_of(head_)) {
  check(head_.metrics.size() == found_.answer.metrics.size(), "each metric has a name");
}

void CeresAnswer::open_series(std::string& out) {
  Writer json = Writer::behind_value(out, !std::exchange(first_series_, false));
  json.begin_object().key("data").begin_object();
  json.member("tenant", head_.tenant).member("metricName", head_.metrics[metric_]).key("tags").begin_object();
  for (const auto& [key, values] : found_.answer.metrics[metric_].groups[group_].tags) json.member(key, values[0]);
  json.end_object().key("values").begin_object();
  first_point_ = true;
}

Status CeresAnswer::append_series(std::string& out, std::size_t until_bytes) {
  query::Group& group = found_.answer.metrics[metric_].groups[group_];
  while (group.kind == model::ValueKind::number && out.size() < until_bytes) {
    VARVE_ASSIGN_OR_RETURN(const bool has_point, found_.has_point(metric_, group_, point_));
    if (!has_point) break;
    if (!std::exchange(in_series_, true)) open_series(out);
    for (; point_ < group.points.size() && out.size() < until_bytes; ++point_) {
      if (!std::exchange(first_point_, false)) out += ',';
      append_point(out, group.points, point_);
    }
  }
  if (out.size() >= until_bytes) return {};
  if (std::exchange(in_series_, false)) out.append("}}").append(metadata_).append("}");
  query::let_go(found_.answer, group);  // as good as sent
  ++group_;
  point_ = 0;
  return {};
}

Result<bool> CeresAnswer::next(std::string& out) {
  const std::size_t until_bytes = out.size() + http::kPieceBytes;
  if (!std::exchange(opened_, true)) out += '[';
  for (; metric_ < found_.answer.metrics.size(); ++metric_, group_ = 0) {
    while (group_ < found_.answer.metrics[metric_].groups.size()) {
      if (out.size() >= until_bytes) return true;
      VARVE_RETURN_IF_ERROR(append_series(out, until_bytes));
    }
  }
  out += ']';
  return false;
}

}  // namespace varve::api
