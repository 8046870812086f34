// SPDX-License-Identifier: Apache-2.0
#include "api/catalog/windows.h"

#include <utility>

#include "api/shared/discovery.h"
#include "api/shared/http.h"
#include "api/shared/query_answer.h"
#include "model/duration.h"
#include "model/time.h"
#include "protocol/json/writer.h"

namespace varve::api {

namespace {

using protocol::json::Writer;

constexpr std::int64_t kWidthMaxMs = 366 * model::kDayMs;

bool is_width_unit(model::TimeUnit unit) {
  return unit == model::TimeUnit::hours || unit == model::TimeUnit::days || unit == model::TimeUnit::weeks;
}

void append_window(Writer& json, const query::MetricWindow& window, std::int64_t width_ms) {
  json.begin_object().member("start", window.start).member("end", window.start + width_ms);
  json.member("series", window.series).member("points", window.points).member("first_seen", window.first_ms);
  json.end_object();
}

// What of the range is behind the window where the page before ended.
Result<model::TimeRange> rest_of(model::TimeRange range, std::string_view after, std::int64_t width_ms) {
  VARVE_ASSIGN_OR_RETURN(const model::Timestamp last, time_of(after, "after"));
  const model::Timestamp behind = model::window_start(last, width_ms) + width_ms;
  return model::TimeRange{std::max(range.first, behind), range.last};
}

}  // namespace

Result<std::int64_t> width_of(const Request& request) {
  const std::string_view text = request.param("width").value_or("1d");
  const auto width = model::parse_duration(text);
  const auto ms = width && is_width_unit(width->unit) ? model::duration_ms(*width) : std::nullopt;
  if (!ms || *ms < model::kHourMs || *ms > kWidthMaxMs) {
    return fail(Code::invalid, "width is a whole number of hours, days or weeks from 1h to 366d, such as 1h, 1d or 3w");
  }
  return *ms;
}

query::PresenceQuery presence_of(const Request& request, std::string_view metric, model::TimeRange range,
                                 std::int64_t width_ms) {
  return {request.tenant, std::string(metric), range, width_ms};
}

void append_windows(Writer& json, std::span<const query::SeriesWindow> windows) {
  json.key("windows").begin_array();
  for (const query::SeriesWindow& window : windows) {
    json.begin_object().member("start", window.start).member("points", window.points);
    json.member("first_seen", window.first_ms).end_object();
  }
  json.end_array();
}

Result<Response> catalog_windows(const query::Engine& engine, const Request& request, query::UnderWay& under_way) {
  VARVE_ASSIGN_OR_RETURN(const Page page, page_of(request, kListed));
  VARVE_ASSIGN_OR_RETURN(const auto asked, seen_range_of(request));
  VARVE_ASSIGN_OR_RETURN(const auto metric, metric_of(request));
  VARVE_ASSIGN_OR_RETURN(const auto matchers, tag_matchers_of(request));
  VARVE_ASSIGN_OR_RETURN(const std::int64_t width_ms, width_of(request));
  model::TimeRange range = asked.value_or(model::TimeRange());
  if (page.after) {
    VARVE_ASSIGN_OR_RETURN(range, rest_of(range, *page.after, width_ms));
  }
  query::MetricWindows found;
  if (!range.empty()) {
    VARVE_ASSIGN_OR_RETURN(found, query::windows_of_metric(engine, presence_of(request, metric, range, width_ms),
                                                           matchers, page.limit, under_way));
  }
  std::string out;
  Writer json(out);
  json.begin_object().key("windows").begin_array();
  for (const query::MetricWindow& window : found.windows) append_window(json, window, width_ms);
  json.end_array();
  if (found.more) json.member("next", std::to_string(found.windows.back().start));
  json.end_object();
  return with_read(Response::own_json(200, std::move(out)), found.read);
}

}  // namespace varve::api
