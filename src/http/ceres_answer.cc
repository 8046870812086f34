// SPDX-License-Identifier: Apache-2.0
#include "http/ceres_answer.h"

#include <bit>
#include <utility>

#include "http/handler.h"
#include "protocol/ceres/time.h"
#include "protocol/json/number_text.h"
#include "protocol/json/text.h"

namespace varve::http {

namespace {

using protocol::ceres::append_instant;
using protocol::json::append_string;

std::string metadata_of(const CeresHead& head) {
  std::string out = R"("metadata":{"aggregator":)";
  append_string(out, head.aggregator);
  out += R"(,"startTime":")";
  append_instant(out, head.range.first);
  out += R"(","endTime":")";
  append_instant(out, head.range.last);
  out += '"';
  if (head.granularity_ms != 0) {
    out += R"(,"granularity":")" + protocol::ceres::granularity_text(head.granularity_ms) + '"';
  }
  return out += '}';
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

CeresAnswer::CeresAnswer(CeresHead head, query::Answer answer)
    : head_(std::move(head)), answer_(std::move(answer)), metadata_(metadata_of(head_)) {}

void CeresAnswer::open_series(std::string& out) {
  if (!std::exchange(first_series_, false)) out += ',';
  out += R"({"data":{"tenant":)";
  append_string(out, head_.tenant);
  out += R"(,"metricName":)";
  append_string(out, head_.metrics[metric_]);
  out += R"(,"tags":{)";
  bool first = true;
  for (const auto& [key, values] : answer_.metrics[metric_].groups[group_].tags) {
    if (!std::exchange(first, false)) out += ',';
    append_string(out, key);
    out += ':';
    append_string(out, values[0]);
  }
  out += R"(},"values":{)";
}

bool CeresAnswer::next(std::string& out) {
  const std::size_t until = out.size() + kPieceBytes;
  if (!std::exchange(opened_, true)) out += '[';
  for (; metric_ < answer_.metrics.size(); ++metric_, group_ = 0) {
    auto& groups = answer_.metrics[metric_].groups;
    for (; group_ < groups.size(); ++group_, point_ = 0) {
      const aggregate::Points& points = groups[group_].points;
      if (groups[group_].kind != model::ValueKind::number || points.size() == 0) continue;
      if (!std::exchange(in_series_, true)) open_series(out);
      for (; point_ < points.size() && out.size() < until; ++point_) {
        if (point_ != 0) out += ',';
        append_point(out, points, point_);
      }
      if (point_ < points.size()) return true;
      out.append("}},").append(metadata_).append("}");
      query::let_go(answer_, groups[group_]);  // as good as sent
      in_series_ = false;
    }
  }
  out += ']';
  return false;
}

}  // namespace varve::http
