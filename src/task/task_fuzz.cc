// SPDX-License-Identifier: Apache-2.0
// A task, a state and a time from any bytes: what is taken comes back as it was shown.
#include <cstdint>
#include <string>

#include "base/check.h"
#include "task/backfill_time.h"
#include "task/state.h"
#include "task/task.h"

// NOLINTNEXTLINE(readability-identifier-naming): the name that libFuzzer looks for
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace varve;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto any_query = [](std::string_view) { return Status(); };
  if (const auto parsed = task::parse_task(text, "id", any_query)) {
    const auto again = task::parse_task(parsed->json, "id", any_query);
    check(again && again->json == parsed->json, "a task's JSON means itself");
    check(again->rollups.size() == parsed->rollups.size(), "with all its rollups");
  }
  if (const auto state = task::state_of(text)) {
    const std::string json = task::to_json(*state);
    const auto again = task::state_of(json);
    check(again && task::to_json(*again) == json, "a state comes back");
  }
  (void)task::backfill_time(text);
  return 0;
}
