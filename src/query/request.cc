// SPDX-License-Identifier: Apache-2.0
#include "query/request.h"

#include <string>
#include <utility>

namespace varve::query {
namespace {

std::string_view sign_of(index::Matcher::Kind kind) {
  using Kind = index::Matcher::Kind;
  switch (kind) {
    case Kind::any_of: return "=";
    case Kind::none_of: return "!=";
    case Kind::prefix: return "^=";
    case Kind::regex: return "=~";
    case Kind::not_regex: return "!~";
  }
  return "";
}

}  // namespace

const TagKeys& Pipeline::keys() const {
  static const TagKeys kNone;
  const auto* keys = std::get_if<TagKeys>(&group_by);
  return keys == nullptr ? kNone : *keys;
}

std::string text_of(const MetricName& metric) {
  if (const auto* name = std::get_if<std::string>(&metric)) return *name;
  std::string out = "{";
  for (const index::Matcher& matcher : std::get<index::Matchers>(metric)) {
    if (out.size() > 1) out += ',';
    out.append(kNameTag).append(sign_of(matcher.kind));
    for (std::size_t i = 0; i < matcher.values.size(); ++i) out.append(i == 0 ? "" : "|").append(matcher.values[i]);
  }
  return out + '}';
}

Pipeline read_through(const MetricQuery& query) {
  if (const auto* pipeline = std::get_if<Pipeline>(&query.how)) return *pipeline;
  Pipeline out;
  out.group_by = EachSeries();
  const auto& downsample = std::get<Join>(query.how).downsample;
  if (downsample && !downsample->gather) {
    std::visit([&](const auto& stage) { out.stages.emplace_back(stage); }, downsample->window);
  }
  return out;
}

Request shown_as(std::string tenant, std::string api, std::string text, std::string metric) {
  Request out;
  out.tenant = std::move(tenant);
  out.api = std::move(api);
  out.text = std::move(text);
  if (!metric.empty()) out.metrics.emplace_back().metric = std::move(metric);
  return out;
}

Status check_matchers(const Request& request) {
  for (const MetricQuery& metric : request.metrics) {
    if (const auto* names = std::get_if<index::Matchers>(&metric.metric)) {
      VARVE_RETURN_IF_ERROR(index::check_matchers(*names));
    }
    VARVE_RETURN_IF_ERROR(index::check_matchers(metric.matchers));
  }
  return {};
}

Status check_metrics(const Request& request, std::size_t most) {
  if (request.metrics.size() <= most) return {};
  return fail(Code::invalid, "the query has " + std::to_string(request.metrics.size()) +
                                 " metrics; query.metrics_max is " + std::to_string(most));
}

}  // namespace varve::query
