// SPDX-License-Identifier: Apache-2.0
#include "protocol/influx/new_line.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "model/too_old.h"
#include "protocol/json/text.h"

namespace varve::protocol::influx {

using model::LineGroup;

namespace {

// Before anything is defined: what is not UTF-8 could be kept, but never be asked for.
Status check_utf8(const Line& line) {
  const auto bad = [](std::string_view what, std::string_view name) {
    return fail(Code::invalid, std::string(what) + "'" + std::string(name) + "' is not valid UTF-8");
  };
  if (!json::is_utf8(line.name)) return bad("", line.name);
  for (const Field& field : line.fields) {
    if (!json::is_utf8(field.name)) return bad("field ", field.name);
    if (field.is_text && !json::is_utf8(field.text)) return bad("the text of field ", field.name);
  }
  return {};
}

}  // namespace

Result<LineGroup*> NewLine::add(const char* at, Splitter& splitter, Outcome& outcome) {
  VARVE_RETURN_IF_ERROR(splitter.split(at, line_));
  VARVE_RETURN_IF_ERROR(check_utf8(line_));
  VARVE_ASSIGN_OR_RETURN(const model::Timestamp time, time_.read(line_.time));
  VARVE_RETURN_IF_ERROR(check_age(time, batch_.kept_from()));
  keep_last_of_each();
  numbers_.clear();
  std::ranges::copy_if(line_.fields, std::back_inserter(numbers_), [](const Field& field) { return !field.is_text; });
  LineGroup* first = nullptr;
  std::size_t stored = 0;
  Status too_old;
  const auto mark = batch_.mark();
  // Fields may be kept for several times: one that is too old is left out, and refuses the line if there is no other.
  const auto take = [&](const Result<LineGroup*>& group, std::size_t fields) -> Status {
    if (!group && group.error().code == Code::too_old) {
      too_old = fail(group.error());
      return {};
    }
    if (!group) return fail(group.error());
    if (first == nullptr) first = *group;
    stored += fields;
    return {};
  };
  Status added;
  for (Fields rest = numbers_; !rest.empty() && added;) {
    const std::size_t count = std::min<std::size_t>(rest.size(), RowValues::kMax);
    added = take(add_numbers(rest.first(count), time), count);
    rest = rest.subspan(count);
  }
  for (const Field& field : line_.fields) {
    if (field.is_text && added) added = take(add_text(field, time), 1);
  }
  if (added && stored == 0) added = too_old;
  if (!added) {
    batch_.rollback(mark);
    return fail(added.error());
  }
  outcome.accepted += stored;
  return first;
}

Status NewLine::check_age(model::Timestamp time, model::Timestamp kept_from) const {
  if (time >= kept_from) return {};
  return fail(model::too_old(line_.name, time, kept_from, "nanoseconds (or as `precision` says)"));
}

void NewLine::keep_last_of_each() {
  auto& fields = line_.fields;
  if (fields.size() < 2) return;
  names_.clear();
  for (const auto& field : fields) names_.push_back(field.name);
  std::ranges::sort(names_);
  if (std::ranges::adjacent_find(names_) == names_.end()) return;
  // Rare: keep the last of each name, in its place.
  std::vector<std::size_t> order(fields.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(fields[i].name, i); });
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i + 1 == order.size() || fields[order[i]].name != fields[order[i + 1]].name) kept.push_back(order[i]);
  }
  std::ranges::sort(kept);
  std::vector<Field> unique;
  for (const std::size_t i : kept) unique.push_back(fields[i]);
  fields = std::move(unique);
}

Result<LineGroup*> NewLine::group_of(Fields fields, model::Timestamp time) {
  key_.clear();
  for (const auto& field : fields) key_.append(field.name) += '=';
  if (LineGroup* known = groups_.find(line_.name, key_)) {
    VARVE_RETURN_IF_ERROR(check_age(time, batch_.kept_from(*known)));
    return known;
  }
  names_.clear();
  for (const auto& field : fields) names_.push_back(field.name);
  VARVE_RETURN_IF_ERROR(naming_.read(line_.name, names_));
  VARVE_RETURN_IF_ERROR(check_age(time, batch_.kept_from(groups_.kept(naming_.tags(), naming_.metrics()))));
  return groups_.define(line_.name, key_, naming_.tags(), naming_.metrics());
}

Result<LineGroup*> NewLine::add_numbers(Fields fields, model::Timestamp time) {
  VARVE_ASSIGN_OR_RETURN(LineGroup* const group, group_of(fields, time));
  RowValues::Seen seen;
  unsigned count = 0;
  for (const auto& field : fields) values_.set(count++, field.number, seen);
  values_.add_row(batch_, *group, time, count, seen);
  return group;
}

Result<LineGroup*> NewLine::add_text(const Field& field, model::Timestamp time) {
  VARVE_ASSIGN_OR_RETURN(LineGroup* const group, group_of({&field, 1}, time));
  text_.clear();
  append_text(text_, field.text);
  batch_.add(*group, time, model::Value::of_string(text_));
  return group;
}

}  // namespace varve::protocol::influx
