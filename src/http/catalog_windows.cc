// SPDX-License-Identifier: Apache-2.0
#include "http/catalog_windows.h"

#include <charconv>
#include <utility>

#include "http/answer.h"
#include "http/discovery.h"
#include "model/time.h"

namespace varve::http {

namespace {

constexpr std::int64_t kHoursMax = 366 * 24;

// Of one unit; 0: there is none of this name.
std::int64_t hours_of(std::string_view unit) {
  if (unit == "h") return 1;
  if (unit == "d") return 24;
  return unit == "w" ? 7 * 24 : 0;
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
  VARVE_TRY(const model::Timestamp last, time_of(after, "after"));
  const model::Timestamp behind = model::window_start(last, width_ms) + width_ms;
  return model::TimeRange{std::max(range.first, behind), range.last};
}

}  // namespace

Result<std::int64_t> width_of(const Request& request) {
  const std::string_view text = request.param("width").value_or("1d");
  std::int64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  const std::int64_t hours = hours_of({end, text.data() + text.size()});
  if (error != std::errc() || hours == 0 || count < 1 || count > kHoursMax / hours) {
    return fail(Code::invalid, "width is a whole number of hours, days or weeks from 1h to 366d, such as 1h, 1d or 3w");
  }
  return count * hours * model::kHourMs;
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
  VARVE_TRY(const Page page, page_of(request, kListed));
  VARVE_TRY(const auto asked, seen_range_of(request));
  VARVE_TRY(const auto metric, metric_of(request));
  VARVE_TRY(const auto matchers, tag_matchers_of(request));
  VARVE_TRY(const std::int64_t width_ms, width_of(request));
  model::TimeRange range = asked.value_or(model::TimeRange());
  if (page.after) {
    VARVE_TRY(range, rest_of(range, *page.after, width_ms));
  }
  query::MetricWindows found;
  if (!range.empty()) {
    VARVE_TRY(found, query::windows_of_metric(engine, presence_of(request, metric, range, width_ms), matchers,
                                              page.limit, under_way));
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

}  // namespace varve::http
