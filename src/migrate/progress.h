// SPDX-License-Identifier: Apache-2.0
// Progress: which token ranges are done and what was counted in them, in a small text file that is replaced as a whole.
// docs/operate/migrate-kairosdb.md says what stands in it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "migrate/token_ranges.h"
#include "migrate/totals.h"
#include "model/time.h"

namespace varve::migrate {

struct Progress {
  std::string source, target;  // what it belongs to; one line each
  model::Timestamp started_ms = 0;
  std::vector<bool> done = std::vector<bool>(kRanges);
  Totals totals;  // of the ranges that are done

  [[nodiscard]] std::size_t ranges_done() const;
  bool operator==(const Progress&) const = default;
};

std::string to_text(const Progress& progress);
// Error: corrupt (not this format, or damaged).
Result<Progress> from_text(std::string_view text);

// nullopt: there is no such file. Errors: io, corrupt.
Result<std::optional<Progress>> load_progress(const std::string& path);
// Whatever happens, the file is the old or the new one, as a whole, and after this the new one, on the disk.
Status save_progress(const std::string& path, const Progress& progress);

}  // namespace varve::migrate
