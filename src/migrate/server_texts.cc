// SPDX-License-Identifier: Apache-2.0
#include "migrate/server_texts.h"

#include <set>
#include <string>

#include "base/hex.h"
#include "protocol/json/tree.h"

namespace varve::migrate {
namespace {

// How KairosDB stores a roll-up task: as the JSON that made it, by its id.
constexpr std::string_view kTasksService = "_Rollups", kTasksKey = "Config";
constexpr std::string_view kTasks = "/api/v1/rollups", kTexts = "/api/v1/metadata/";

std::string name_of(const protocol::json::Node& task) {
  const auto* const name = task.find("name");
  return name == nullptr ? std::string() : std::string(name->text);
}

// Of {"name":…}; empty: it is something else.
std::string name_in(const std::string& task) {
  protocol::json::Reader reader(task);
  const auto root = protocol::json::read_tree(reader);
  return root ? name_of(*root) : std::string();
}

Result<std::set<std::string>> known_tasks(const ServerCall& call, const std::atomic<bool>& stopping) {
  VARVE_ASSIGN_OR_RETURN(const ServerAnswer answer, ask_server(call, "GET", kTasks, "", stopping));
  protocol::json::Reader reader(answer.body);
  const auto root = protocol::json::read_tree(reader);
  if (!answer.is_good() || !root) return fail(unexpected("GET", kTasks, answer));
  std::set<std::string> names;
  for (const auto& task : root->children) names.insert(name_of(task));
  return names;
}

std::string path_of(const ServiceText& text) {
  constexpr CharSet kPlain("-_.~", true);
  std::string path(kTexts);
  append_escaped(path, text.service, '%', kPlain);
  append_escaped(path += '/', text.service_key, '%', kPlain);
  append_escaped(path += '/', text.key, '%', kPlain);
  return path;
}

}  // namespace

Result<TextTotals> copy_texts(std::span<const ServiceText> texts, const ServerCall& call,
                              const std::atomic<bool>& stopping, const TextRefused& refused) {
  TextTotals totals;
  VARVE_ASSIGN_OR_RETURN(const auto known, known_tasks(call, stopping));
  for (const ServiceText& text : texts) {
    const bool is_task = text.service == kTasksService && text.service_key == kTasksKey;
    if (!is_task && text.service.starts_with('_')) continue;  // KairosDB's own: who runs which task, and how it went
    if (is_task && known.contains(name_in(text.value))) {
      ++totals.known;
      continue;
    }
    const std::string path = is_task ? std::string(kTasks) : path_of(text);
    VARVE_ASSIGN_OR_RETURN(const ServerAnswer answer, ask_server(call, "POST", path, text.value, stopping));
    ++(!answer.is_good() ? totals.refused : is_task ? totals.tasks : totals.texts);
    if (!answer.is_good())
      refused((is_task ? "roll-up task " + text.key : path) + ": " + unexpected("POST", path, answer).message);
  }
  return totals;
}

}  // namespace varve::migrate
