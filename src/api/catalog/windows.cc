// SPDX-License-Identifier: Apache-2.0
#include "api/catalog/windows.h"

#include <utility>

#include "api/shared/discovery.h"
#include "api/shared/http.h"
#include "api/shared/query_answer.h"
#include "model/duration.h"
#include "model/time.h"

namespace varve::api {

namespace {

constexpr std::int64_t kWidthMaxMs = 366 * model::kDayMs;

bool is_width_unit(model::TimeUnit unit) {
  return unit == model::TimeUnit::hours || unit == model::TimeUnit::days || unit == model::TimeUnit::weeks;
}

void append_window(std::string& out, const query::MetricWindow& window, std::int64_t width_ms) {
  out += R"({"start":)" + std::to_string(window.start);
  out += R"(,"end":)" + std::to_string(window.start + width_ms);
  out += R"(,"series":)" + std::to_string(window.series);
  out += R"(,"points":)" + std::to_string(window.points);
  out += R"(,"first_seen":)" + std::to_string(window.first_ms) + '}';
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

void append_windows(std::string& out, std::span<const query::SeriesWindow> windows) {
  out += R"(,"windows":[)";
  for (const query::SeriesWindow& window : windows) {
    if (out.back() != '[') out += ',';
    out += R"({"start":)" + std::to_string(window.start);
    out += R"(,"points":)" + std::to_string(window.points);
    out += R"(,"first_seen":)" + std::to_string(window.first_ms) + '}';
  }
  out += ']';
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
  std::string out = R"({"windows":[)";
  for (const query::MetricWindow& window : found.windows) {
    if (out.back() != '[') out += ',';
    append_window(out, window, width_ms);
  }
  out += ']';
  if (found.more) append_next(out, std::to_string(found.windows.back().start));
  return with_read(Response::json(200, std::move(out += '}')), found.read);
}

}  // namespace varve::api
