// SPDX-License-Identifier: Apache-2.0
#include "task/task_store.h"

#include <charconv>

namespace varve::task {
namespace {

using storage::TextName;

// Of the tenant "", which is nobody's; their service keys are the tenants.
constexpr const char* kTasks = "_rollup_tasks";
constexpr const char* kStates = "_rollup_states";
constexpr const char* kBackfills = "_rollup_backfills";

TextName text_name(const char* service, const TaskName& name) { return {"", service, name.tenant, name.id}; }

}  // namespace

Result<std::vector<TaskName>> TaskStore::names(const char* service) const {
  VARVE_ASSIGN_OR_RETURN(const auto names, texts_.text_names("", service));
  std::vector<TaskName> out;
  for (const TextName& name : names) out.push_back({name.service_key, name.key});
  return out;
}

Result<std::vector<TaskName>> TaskStore::all() const { return names(kTasks); }
Result<std::vector<TaskName>> TaskStore::backfills() const { return names(kBackfills); }

Result<std::vector<std::string>> TaskStore::ids(const std::string& tenant) const {
  return texts_.text_keys("", kTasks, tenant, "");
}

Result<std::optional<std::string>> TaskStore::json(const TaskName& name) const {
  return texts_.text(text_name(kTasks, name));
}

Status TaskStore::put(const TaskName& name, const std::string& json) {
  return texts_.put_text(text_name(kTasks, name), json);
}

Status TaskStore::erase(const TaskName& name) {
  for (const char* service : {kTasks, kBackfills, kStates}) {
    VARVE_RETURN_IF_ERROR(texts_.erase_text(text_name(service, name)));
  }
  return {};
}

Result<std::optional<State>> TaskStore::state(const TaskName& name) const {
  VARVE_ASSIGN_OR_RETURN(const auto text, texts_.text(text_name(kStates, name)));
  if (!text) return std::nullopt;
  VARVE_ASSIGN_OR_RETURN(auto state, state_of(*text));
  return state;
}

Status TaskStore::put_state(const TaskName& name, const State& state) {
  return texts_.put_text(text_name(kStates, name), to_json(state));
}

// first last metric saved_until, the last one perhaps missing
Result<std::optional<Backfill>> TaskStore::backfill(const TaskName& name) const {
  VARVE_ASSIGN_OR_RETURN(const auto text, texts_.text(text_name(kBackfills, name)));
  if (!text) return std::nullopt;
  std::vector<std::int64_t> numbers;
  for (const char *at = text->data(), *const end = at + text->size(); at < end;) {
    std::int64_t number = 0;
    const auto [behind, error] = std::from_chars(at, end, number);
    if (error != std::errc{}) break;
    numbers.push_back(number);
    at = behind + 1;
  }
  if (numbers.size() < 3 || numbers[2] < 0) return fail(Code::corrupt, "a backfill of a roll-up task is malformed");
  Backfill out{{numbers[0], numbers[1]}, static_cast<std::size_t>(numbers[2]), {}};
  if (numbers.size() > 3) out.saved_until = numbers[3];
  return out;
}

Status TaskStore::put_backfill(const TaskName& name, const Backfill& backfill) {
  std::string text = std::to_string(backfill.range.first) + ' ' + std::to_string(backfill.range.last) + ' ' +
                     std::to_string(backfill.metric);
  if (backfill.saved_until) text += ' ' + std::to_string(*backfill.saved_until);
  return texts_.put_text(text_name(kBackfills, name), text);
}

Status TaskStore::erase_backfill(const TaskName& name) { return texts_.erase_text(text_name(kBackfills, name)); }

}  // namespace varve::task
