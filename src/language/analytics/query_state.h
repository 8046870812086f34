// SPDX-License-Identifier: Apache-2.0
// QueryState: how far a query has come that is answered later, and what became of it.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace varve::language::analytics {

inline constexpr std::int64_t kResultLifeUs = 300'000'000;  // how long a result can be read

inline constexpr int kBegunProgress = 15;

struct QueryName {
  std::string tenant, id;
  auto operator<=>(const QueryName&) const = default;
};

struct QueryState {
  std::int64_t first_us = 0, last_us = 0;  // the time that it asks for
  std::int64_t asked_us = 0;
  std::int64_t told_us = 0;  // when this was so
  bool ended = false;
  int progress = 0;   // 0 … 100
  int status = 0;     // of the answer, if it failed
  std::string error;  // likewise
  std::uint64_t rows = 0;
  std::uint32_t parts = 0;

  // As Contrail has it: of a query that failed minus the number of an error of the system (errno).
  [[nodiscard]] int shown_progress() const;
  [[nodiscard]] bool is_over(std::int64_t now_us) const { return now_us - told_us > kResultLifeUs; }
};

// For where texts are kept. Errors: corrupt.
std::string text_of(const QueryState& state);
Result<QueryState> read_state(std::string_view text);

// What GET /analytics/query/{id} answers. `href`: that path.
std::string state_json(const QueryState& state, std::string_view href, std::int64_t now_us);

}  // namespace varve::language::analytics
