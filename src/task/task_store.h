// SPDX-License-Identifier: Apache-2.0
// TaskStore: tasks, what their runs did, and backfills that are asked for: texts of services that no client reaches.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/time.h"
#include "storage/text_store.h"
#include "task/state.h"

namespace varve::task {

struct TaskName {
  std::string tenant, id;
  auto operator<=>(const TaskName&) const = default;
};

// A range of time that is to be made again, metric by metric.
struct Backfill {
  model::TimeRange range;
  std::size_t metric = 0;                       // of all rollups, as in State
  std::optional<model::Timestamp> saved_until;  // of it
};

// As thread-safe as the texts. Errors: those of the texts; corrupt.
class TaskStore {
 public:
  explicit TaskStore(storage::TextStore& texts) : texts_(texts) {}

  [[nodiscard]] Result<std::vector<TaskName>> all() const;  // of all tenants
  [[nodiscard]] Result<std::vector<std::string>> ids(const std::string& tenant) const;
  [[nodiscard]] Result<std::optional<std::string>> json(const TaskName& name) const;
  Status put(const TaskName& name, const std::string& json);
  Status erase(const TaskName& name);  // with all that belongs to it

  [[nodiscard]] Result<std::optional<State>> state(const TaskName& name) const;
  Status put_state(const TaskName& name, const State& state);

  [[nodiscard]] Result<std::vector<TaskName>> backfills() const;
  [[nodiscard]] Result<std::optional<Backfill>> backfill(const TaskName& name) const;
  Status put_backfill(const TaskName& name, const Backfill& backfill);
  Status erase_backfill(const TaskName& name);

 private:
  [[nodiscard]] Result<std::vector<TaskName>> names(const char* service) const;
  storage::TextStore& texts_;
};

}  // namespace varve::task
