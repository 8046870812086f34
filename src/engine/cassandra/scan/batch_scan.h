// SPDX-License-Identifier: Apache-2.0
// Batch scan: reads some series of some line groups, coarsest first: rollup blocks where they exist and give the same
// answer as the samples, finer ones where they do not, sealed and hot rows where there are none.
//
// A series that is in one group is read with others of its group. One that is in several is read alone, with all its
// places: samples of several places at one timestamp are one sample, that of the later writer.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "engine/cassandra/hot/pending.h"
#include "engine/cassandra/scan/slot_reader.h"
#include "engine/cassandra/scan/window_rows.h"
#include "engine/shared/emit.h"
#include "engine/shared/series_merge.h"
#include "engine/shared/stored_for.h"
#include "engine/shared/window_plan.h"
#include "rollup/counter_columns.h"
#include "storage/sample_store.h"

namespace varve::engine::cassandra {

// What all batches of a scan have in common. Constant while it runs.
struct ScanContext {
  RowStore& rows;
  const SlotReader& reader;
  const std::vector<ChunkTable>& levels;        // of windows, finest first
  std::span<const std::int64_t> granularities;  // of each
  std::span<const rollup::Level> rollups;       // the same, with how long their windows are shown
  const Pending& pending;
  const TimeRanges& active;  // where there may be anything
  const storage::ScanOptions& options;
  storage::PieceSink& sink;
  std::int64_t now_ms = 0;
  std::size_t bytes_at_once = 16 << 20;  // of samples that each batch holds, about
  // raw.retention. Samples are stored for longer: they are read where windows are wanted and not there yet.
  std::int64_t samples_shown_ms = rollup::kForEver;
};

// A window, as far as it says how a counter grew.
struct WindowCounter {
  std::uint64_t count = 0;
  rollup::CounterStretch counter;
  std::optional<counter::AnySummary> summary;  // if it was asked for
};

// Some series of one shard of a group.
struct Member {
  const GroupRef* group = nullptr;
  unsigned shard = 0;
  std::vector<std::uint16_t> columns;  // ascending
  std::vector<std::size_t> series;     // of each column: position in the caller's list
  std::vector<bool> counter;           // of each: windows without extremes
  rollup::RetentionClasses::Number kept = rollup::RetentionClasses::kNone;  // of all of these series

  // Since when its samples are there, as far as their time to live says.
  [[nodiscard]] model::Timestamp alive_from(std::int64_t now_ms) const {
    return shared::alive_from(group->cells.ttl_s, now_ms);
  }
};

// One thread.
class BatchScan {
 public:
  // `merged`: all members are places of one series, a column each. Members live as long as one another, unless merged.
  BatchScan(const ScanContext& context, std::vector<Member> members, bool merged);
  Status run();

 private:
  using Subset = std::vector<std::size_t>;  // of members_, ascending

  // Reads the range with the first `levels` granularities. Where histograms or counters are wanted as windows, and not
  // numbers, what is gone and what is not are read apart: a rollup block has both, and it may say nothing of them.
  Status read_apart(model::TimeRange range, std::size_t levels, const Subset& members);
  [[nodiscard]] bool wants_no_numbers(const Subset& members) const;
  // The same without reading apart.
  Status read(model::TimeRange range, std::size_t levels, const Subset& members);
  [[nodiscard]] model::TimeRange shown(model::TimeRange range) const;  // of samples
  [[nodiscard]] model::Timestamp samples_kept_from() const;
  [[nodiscard]] bool samples_are_gone(model::TimeRange range) const;  // some of them
  [[nodiscard]] bool all_samples_are_gone(model::TimeRange range) const;
  [[nodiscard]] bool takes(model::TimeRange range, std::size_t level, const Subset& members) const;
  Status read_rollup_blocks(model::TimeRange range, std::size_t level, const Subset& members);
  Status read_samples(model::TimeRange range, const Subset& members);
  [[nodiscard]] model::TimeRange next_samples(model::Timestamp from, std::size_t members) const;
  void measure(std::span<const std::vector<SlotData>> lists);

  struct RollupRow {
    std::size_t member;
    std::shared_ptr<const chunk::Block> block;  // nullptr: no windows
  };
  // Rollup blocks of a partition bucket, by their start.
  Result<std::map<model::Timestamp, std::vector<RollupRow>>> load_rollup_rows(model::TimeRange range, std::size_t level,
                                                                              const Subset& members);
  // Do its windows in the range say all that is asked? Not of texts, of which they keep only the last, but for
  // histograms where nothing else is there; and not of extremes where it was made of a delta counter; unless the
  // samples are gone, too.
  [[nodiscard]] Result<bool> says_enough(const RollupRow& row, model::TimeRange range);
  [[nodiscard]] Result<bool> histograms_say_enough(const RollupRow& row, std::size_t column, model::TimeRange range);
  // Does it say how the counters grew, by the rules that the sink asks for?
  [[nodiscard]] Result<bool> counters_say_enough(const RollupRow& row, std::size_t column, model::TimeRange range);
  // Of a counter in several groups nobody can tell how the samples of two of them follow each other.
  [[nodiscard]] bool are_mixed_counters(std::span<const RollupRow> rows) const;
  Status give_counters(std::size_t series, std::size_t level, std::span<const WindowCounter> windows);
  Status give_windows(const RollupRow& row, std::size_t level, model::TimeRange range);
  Status give_numbers(const RollupRow& row, std::size_t column, std::size_t level, model::TimeRange range);
  Status give_merged_windows(std::span<const RollupRow> rows, std::size_t level, model::TimeRange range);
  void give_merged_numbers(const rollup::Windows& merged, std::size_t level);

  Status give_slot(const Member& member, const SlotData& data, shared::Emitter& emitter);
  Status give_merged_slot(std::span<const std::pair<std::size_t, const SlotData*>> slots, shared::Emitter& emitter);
  [[nodiscard]] Status interrupted() const;
  [[nodiscard]] RowStore::ReadLimits limits() const;

  const ScanContext& context_;
  const std::vector<Member> members_;
  const bool merged_;
  shared::Gather gather_;
  shared::SeriesMerge merge_;
  shared::HistogramEmitter histograms_;
  std::vector<model::Timestamp> times_;
  std::vector<chunk::DecodedColumn> columns_;
  std::vector<std::uint64_t> unknown_, arrivals_;
  // Of each member: a rollup block had none. So where samples are there, no more rollup blocks are read for histograms
  // alone.
  std::vector<bool> no_histograms_;
  std::size_t block_bytes_ = 0;  // of a slot of a member, about; 0: not known yet
};

}  // namespace varve::engine::cassandra
