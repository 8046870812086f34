// SPDX-License-Identifier: Apache-2.0
// Counted series: how much one counter grew in windows, from the pieces of its samples and from what a rollup says of
// it. One thread at a time.
//
// Either pieces come in order of time: then one walk goes through all of them. Or pieces and a rollup's windows come in
// any order (`joins`): each is counted by itself, and the intervals between them in the end.
#pragma once

#include <vector>

#include "aggregate/counter_stage.h"
#include "base/result.h"
#include "counter/stretch.h"
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
    bool joins = false;
  };

  // Numbers, as a scan gives them (storage::PieceSink): a piece that overlaps the last one, of another type, is merged
  // with it. Error: what `charge` says.
  Status piece(const How& how, model::ValueType type, std::span<const model::Timestamp> times,
               std::span<const std::uint64_t> bits);

  // A rollup's windows, each of which lies in one window of `how`, in its range. Samples in the midst of one, which
  // came when its own samples were gone, are left out, if they come after it. Only with `joins`.
  // `summaries`: of each, where windows of `how` are base bins; of these only those become cells that may be the least
  // or the greatest of a rollup's window.
  Status windows(const How& how, std::span<const counter::Stretch> windows,
                 std::span<const counter::AnySummary> summaries);

  // After the last of them.
  Status finish(const How& how);

  [[nodiscard]] const aggregate::GrowthCells& cells() const { return cells_; }

 private:
  // The ends of what was counted by itself.
  struct Ends {
    counter::LastSample first, last;
  };

  Status count_or_hold(const How& how, model::ValueType type, std::span<const model::Timestamp> times,
                       std::span<const std::uint64_t> bits);
  Status count_held(const How& how);
  Status put(const How& how, const Ends& ends);
  template <counter::Increase I>
  Status put_bins(const How& how, const counter::Summary<I>& summary);

  aggregate::GrowthCells cells_;
  counter::LastSample last_;
  std::vector<Ends> counted_;              // with `joins`
  std::vector<model::TimeRange> windows_;  // a rollup's: from the first to the last sample, ascending
  // The last piece: with `joins` not counted yet, else to be counted once more, if another interleaves.
  Run piece_;
  counter::LastSample last_before_;
  aggregate::GrowthCells::Mark cells_before_;
};

}  // namespace varve::query
