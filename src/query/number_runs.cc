// SPDX-License-Identifier: Apache-2.0
#include "query/number_runs.h"

#include <utility>

#include "base/check.h"

namespace varve::query {

bool NumberRuns::takes_stats(const storage::ChunkStats& /*stats*/) { return false; }

void NumberRuns::stats(const storage::ChunkStats& /*stats*/) { check(false, "only samples are taken"); }

Status NumberRuns::piece(const storage::Piece& piece) {
  if (model::in_text(piece.type)) return {};
  const std::size_t place = places_.empty() ? piece.series : places_[piece.series];
  if (piece.type == model::ValueType::stale_marker) {
    check(markers_ == Markers::wanted, "markers come to who wants them");
    const std::vector<std::uint64_t> bits(piece.size(), model::kStaleMarkerBits);
    return append_charged(runs_[place], model::ValueType::double_, piece.times, bits, budget_);
  }
  if (counts_ != nullptr) counts_->count().samples(piece.size());
  return append_charged(runs_[place], piece.type, piece.times, piece.bits, budget_);
}

Run NumberRuns::take(std::size_t series) {
  Run run = std::move(runs_.at(series));
  keep(run, 0, false);
  return run;
}

}  // namespace varve::query
