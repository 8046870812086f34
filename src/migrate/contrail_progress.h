// SPDX-License-Identifier: Apache-2.0
// ContrailProgress: which token ranges are done and what was counted in them. docs/operate/migrate-contrail.md says
// what stands in the file.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "migrate/contrail_totals.h"
#include "migrate/token_ranges.h"

namespace varve::migrate {

struct ContrailProgress {
  std::string source, target;  // what it belongs to; one line each
  std::int64_t started_ms = 0;
  std::vector<bool> done = std::vector<bool>(2 * kRanges);  // those of messagetable, then those of messagetablev2
  ContrailTotals totals;                                    // of the ranges that are done

  [[nodiscard]] std::size_t ranges_done() const;
  bool operator==(const ContrailProgress&) const = default;
};

std::string to_text(const ContrailProgress& progress);
// Error: corrupt (not this format, or damaged).
Result<ContrailProgress> contrail_from_text(std::string_view text);

// nullopt: there is no such file. Errors: io, corrupt.
Result<std::optional<ContrailProgress>> load_contrail_progress(const std::string& path);
// As save_progress() of progress.h.
Status save_progress(const std::string& path, const ContrailProgress& progress);

}  // namespace varve::migrate
