// SPDX-License-Identifier: Apache-2.0
#include "language/analytics/selection.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "language/analytics/subject.h"

namespace varve::language::analytics {
namespace {

using protocol::json::Kind;
using Of = Selected::Of;

constexpr std::string_view kWindow = "T=";
constexpr std::string_view kCount = "count";
constexpr std::string_view kAllFields = "*";

Of selected_of(Subject::Of of) {
  switch (of) {
    case Subject::Of::column: return Of::column;
    case Subject::Of::object_id: return Of::object_id;
    case Subject::Of::object_log: return Of::object_log;
    case Subject::Of::system_log: return Of::system_log;
    case Subject::Of::table_column: return Of::table_column;
    case Subject::Of::value: return Of::value;
    case Subject::Of::field:
    case Subject::Of::keyword: break;
  }
  return Of::field;
}

Result<Selected> window_of(std::string_view name) {
  const std::string_view text = name.substr(kWindow.size());
  std::int64_t seconds = 0, width_us = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, seconds);
  if (read.ec != std::errc() || read.ptr != end || seconds < 1 ||
      __builtin_mul_overflow(seconds, std::int64_t{1'000'000}, &width_us)) {
    return fail(Code::unsupported, quoted(name) + " is not a window: behind T= stands a number of seconds");
  }
  return Selected{Of::window, {}, std::string(kWindow), width_us};
}

Result<Selected> parse_selected(const Node& node, const Context& context, const AnalyticsQuery& query) {
  VARVE_ASSIGN_OR_RETURN(const std::string_view name, text_of(node, "an item of select_fields"));
  if (name.starts_with(kWindow)) {
    if (query.counts) return window_of(name);
    return fail(Code::unsupported, quoted(name) + " is selected without \"aggregate\":[\"count\"]");
  }
  if (query.counts && name == kCount) return Selected{Of::count, {}, std::string(kCount), 0};
  if (name == kAllFields && query.table.kind != TableKind::stat) {
    if (!query.counts) return Selected{Of::fields, {}, std::string(name), 0};
    return fail(Code::unsupported, "'*' is all fields: they are not counted together");
  }
  VARVE_ASSIGN_OR_RETURN(const Subject subject, subject_of(name, query.table, context));
  if (subject.of == Subject::Of::keyword) {
    return fail(Code::unsupported, "Keyword is a word of the text: it cannot be selected");
  }
  return Selected{selected_of(subject.of), subject.column, std::string(name), 0};
}

// A name again is the same cell; another window is not, as the answer calls all of them "T=".
Status add_selected(Selected selected, AnalyticsQuery& query) {
  const auto same = std::ranges::find(query.select, selected.name, &Selected::name);
  if (same == query.select.end()) {
    query.select.push_back(std::move(selected));
  } else if (same->window_us != selected.window_us) {
    return fail(Code::unsupported, "select_fields has windows of two widths");
  }
  return {};
}

Status parse_select(const Node& body, const Context& context, AnalyticsQuery& query) {
  VARVE_ASSIGN_OR_RETURN(const Node* fields, required(body, "select_fields", ""));
  if (fields->kind != Kind::array) return fail(Code::invalid, "select_fields is not a list");
  if (fields->children.empty() && !query.counts) return fail(Code::invalid, "select_fields is empty");
  if (fields->children.size() > kSelectedMax) {
    return fail(Code::invalid, "select_fields has more than " + std::to_string(kSelectedMax) + " names");
  }
  for (const Node& node : fields->children) {
    VARVE_ASSIGN_OR_RETURN(Selected selected, parse_selected(node, context, query));
    VARVE_RETURN_IF_ERROR(add_selected(std::move(selected), query));
  }
  if (query.counts && std::ranges::find(query.select, Of::count, &Selected::of) == query.select.end()) {
    query.select.push_back({Of::count, {}, std::string(kCount), 0});
  }
  return {};
}

Status parse_aggregate(const Node& body, AnalyticsQuery& query) {
  const Node* const aggregate = body.find("aggregate");
  if (aggregate == nullptr) return {};
  if (aggregate->kind != Kind::array || aggregate->children.empty()) {
    return fail(Code::invalid, "aggregate is not a list with count in it");
  }
  for (const Node& node : aggregate->children) {
    VARVE_ASSIGN_OR_RETURN(const std::string_view name, text_of(node, "an item of aggregate"));
    if (name != kCount) return fail(Code::unsupported, "there is no aggregate " + quoted(name) + ": it is count");
  }
  if (query.table.kind == TableKind::stat) {
    return fail(Code::unsupported, query.table.name + " has values, which are not counted");
  }
  query.counts = true;
  return {};
}

// A window by its width, or as it stands in the answer.
bool is_named(const Selected& one, std::string_view name) {
  if (one.of != Of::window || name == kWindow) return one.name == name;
  const auto window = name.starts_with(kWindow) ? window_of(name) : Selected();
  return window && window->window_us == one.window_us;
}

// By the name that was selected, or another one of the same column.
std::optional<std::size_t> place_of(std::string_view name, const AnalyticsQuery& query) {
  const auto& select = query.select;
  auto found = std::ranges::find_if(select, [&](const Selected& one) { return is_named(one, name); });
  const message::ColumnName* const column = message::column_of(name);
  if (found == select.end() && column != nullptr) {
    found = std::ranges::find_if(
        select, [&](const Selected& one) { return one.of == Of::column && one.column == column->column; });
  }
  if (found == select.end()) return std::nullopt;
  return static_cast<std::size_t>(found - select.begin());
}

Status parse_sort_fields(const Node& fields, AnalyticsQuery& query) {
  if (fields.kind != Kind::array) return fail(Code::invalid, "sort_fields is not a list");
  if (fields.children.size() > kSelectedMax) {
    return fail(Code::invalid, "sort_fields has more than " + std::to_string(kSelectedMax) + " names");
  }
  for (const Node& node : fields.children) {
    VARVE_ASSIGN_OR_RETURN(const std::string_view name, text_of(node, "an item of sort_fields"));
    const auto place = place_of(name, query);
    if (!place) return fail(Code::unsupported, "sort field " + quoted(name) + " is not selected");
    if (query.select[*place].of == Of::fields) return fail(Code::unsupported, "'*' is all fields: name one to sort by");
    // Where a field stands a second time, all that it orders is in order.
    if (std::ranges::find(query.sort, *place) == query.sort.end()) query.sort.push_back(*place);
  }
  return {};
}

Status parse_sort(const Node& body, AnalyticsQuery& query) {
  if (const Node* const fields = body.find("sort_fields")) {
    VARVE_RETURN_IF_ERROR(parse_sort_fields(*fields, query));
  }
  const Node* const sort = body.find("sort");
  if (sort == nullptr) return {};
  VARVE_ASSIGN_OR_RETURN(const std::int64_t direction, whole_number_of(*sort, "sort"));
  if (direction != 1 && direction != 2) return fail(Code::invalid, "sort is neither 1 (up) nor 2 (down)");
  if (query.sort.empty()) return fail(Code::unsupported, "sort stands without sort_fields");
  query.sort_down = direction == 2;
  return {};
}

}  // namespace

Status parse_selection(const Node& body, const Context& context, AnalyticsQuery& query) {
  VARVE_RETURN_IF_ERROR(parse_aggregate(body, query));
  VARVE_RETURN_IF_ERROR(parse_select(body, context, query));
  return parse_sort(body, query);
}

}  // namespace varve::language::analytics
