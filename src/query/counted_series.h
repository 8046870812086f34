// SPDX-License-Identifier: Apache-2.0
// Counted series: how much one counter grew in windows, from the pieces of its samples. One thread at a time.
#pragma once

#include "aggregate/counter_stage.h"
#include "base/result.h"
#include "counter/walk.h"
#include "query/runs.h"
#include "storage/sample_store.h"

namespace varve::query {

class CountedSeries {
 public:
  // What all pieces of a series are counted by.
  struct How {
    counter::Evidence evidence;
    model::TimeRange range;  // of which growth is asked
    const aggregate::Windows& windows;
    const aggregate::Charge& charge;
  };

  // Numbers, as a scan gives them (storage::PieceSink): a piece that begins before the last one ended, of another type,
  // is merged with it. Error: what `charge` says.
  Status piece(const How& how, model::ValueType type, std::span<const model::Timestamp> times,
               std::span<const std::uint64_t> bits);

  // Windows that are known from elsewhere may be added, of stretches of time that no piece is of.
  [[nodiscard]] aggregate::GrowthCells& cells() { return cells_; }
  [[nodiscard]] const aggregate::GrowthCells& cells() const { return cells_; }

 private:
  aggregate::GrowthCells cells_;
  counter::LastSample last_;
  // To count the last piece once more, with another that interleaves.
  Run piece_;
  counter::LastSample last_before_;
  aggregate::GrowthCells::Mark cells_before_;
};

}  // namespace varve::query
