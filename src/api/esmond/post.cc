// SPDX-License-Identifier: Apache-2.0
// POST of a series: all points, or none.
#include "api/esmond/points.h"
#include "api/esmond/timeseries.h"
#include "base/wait.h"
#include "model/too_old.h"

namespace varve::api::esmond {
namespace {

// What names the series to the store, as that of no other one. Those of the poller begin with the length of a text in
// four bytes, of which the last are zero; this begins with a key.
std::string raw_name_of(const Target& target) {
  std::string out;
  for (const auto& [key, value] : target.tags) {
    out.append(key).append(1, '\0').append(value).append(1, '\0');
  }
  return out;
}

// Only a counter of 64 bits has whole numbers above those of a signed one.
void make_signed(std::vector<PostedPoint>& points) {
  for (PostedPoint& point : points) {
    const bool is_beyond = point.value.type == model::ValueType::long_ && point.value.as_long() < 0;
    if (is_beyond) point.value = model::Value::of_double(static_cast<double>(point.value.bits));
  }
}

Status add_points(write::Ingest& ingest, const Target& target, std::span<const PostedPoint> points) {
  const auto check_age = [&](model::Timestamp kept_from) -> Status {
    for (const PostedPoint& point : points) {
      if (point.at < kept_from) return fail(model::too_old(target.metric, point.at, kept_from, "milliseconds"));
    }
    return {};
  };
  const std::string name = raw_name_of(target);
  model::LineGroup* group = ingest.groups().find(name, target.metric);
  if (group == nullptr) {
    model::TagViews tags = model::to_views(target.tags);
    VARVE_RETURN_IF_ERROR(model::normalize(tags));
    const std::string_view metric = target.metric;
    VARVE_RETURN_IF_ERROR(check_age(ingest.batch().kept_from(ingest.groups().kept(tags, {&metric, 1}))));
    VARVE_ASSIGN_OR_RETURN(group, ingest.groups().define(name, target.metric, tags, {&metric, 1}));
  } else {
    VARVE_RETURN_IF_ERROR(check_age(ingest.batch().kept_from(*group)));
  }
  for (const PostedPoint& point : points) ingest.batch().add(*group, point.at, point.value);
  return {};
}

}  // namespace

Result<Response> post_series(const Call& call) {
  VARVE_ASSIGN_OR_RETURN(const SeriesPath path, series_path_of(call));
  if (path.kind == SeriesKind::aggs) return fail(Code::invalid, "Aggs are made of RawData, they cannot be posted");
  VARVE_ASSIGN_OR_RETURN(auto points, read_points(call.request.body));
  VARVE_ASSIGN_OR_RETURN(const auto inventory, call.inventory());
  const Source source = source_of(call.parts.engine, call.request.tenant, *inventory, path.names, path.frequency_ms);
  if (path.kind == SeriesKind::base_rate) {
    for (PostedPoint& point : points) point.at = model::window_start(point.at, path.frequency_ms);
  }
  if (path.kind == SeriesKind::base_rate || !source.is_unsigned) make_signed(points);
  VARVE_ASSIGN_OR_RETURN(auto ingest, call.parts.writer.open(call.request.tenant, write::Family::snmp));
  const Status added = add_points(*ingest, path.kind == SeriesKind::raw_data ? source.raw : source.posted, points);
  if (!added) {
    call.parts.writer.count_rejected(added.error().code, points.size());
    return fail(added.error());
  }
  VARVE_RETURN_IF_ERROR(wait_for([&](auto done) { call.parts.writer.commit(std::move(ingest), std::move(done)); }));
  return esmond_json(201, "");
}

}  // namespace varve::api::esmond
