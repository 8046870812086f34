// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/scan/batch_scan.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "base/check.h"

namespace varve::engine::cassandra {
namespace {

using model::TimeRange;
using model::Timestamp;

// Held in memory, or fewer where they are large; and until it is known how large they are.
constexpr std::size_t kBlocksAtOnce = 1024;
constexpr std::size_t kBlocksAtFirst = 256;

}  // namespace

BatchScan::BatchScan(const ScanContext& context, std::vector<Member> members, bool merged)
    : context_(context), members_(std::move(members)), merged_(merged), no_histograms_(members_.size()) {}

Status BatchScan::run() {
  const std::size_t levels = context_.options.windows ? context_.levels.size() : 0;
  // From where each of them is there on, it is read with those that have been before.
  Subset order(members_.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](std::size_t m) { return members_[m].alive_from(context_.now_ms); });
  Subset there;
  model::TimeRange range = context_.options.range;
  for (const std::size_t m : order) {
    const Timestamp from = members_[m].alive_from(context_.now_ms);
    if (from > range.first) {
      VARVE_RETURN_IF_ERROR(read_apart({range.first, std::min(from, range.last)}, levels, there));
      range.first = from;
    }
    there.insert(std::ranges::lower_bound(there, m), m);
  }
  return read_apart(range, levels, there);
}

Status BatchScan::interrupted() const {
  if (context_.options.cancelled != nullptr && context_.options.cancelled->load(std::memory_order_relaxed)) {
    return fail(Code::cancelled, "the query was cancelled");
  }
  return {};
}

RowStore::ReadLimits BatchScan::limits() const {
  return {context_.options.cancelled, context_.options.deadline_steady_ns};
}

bool BatchScan::wants_no_numbers(const Subset& members) const {
  return std::ranges::any_of(members, [&](std::size_t m) {
    return std::ranges::any_of(members_[m].series, [&](std::size_t series) {
      const storage::WindowFields fields = context_.sink.window_fields(series);
      return (fields.histograms || fields.counters) && !fields.numbers;
    });
  });
}

Status BatchScan::read_apart(TimeRange range, std::size_t levels, const Subset& members) {
  if (levels > 0) {
    const Timestamp gone = model::window_start(samples_kept_from(), context_.granularities[0]);
    if (gone > range.first && gone < range.last && wants_no_numbers(members)) {
      VARVE_RETURN_IF_ERROR(read({range.first, gone}, levels, members));
      range.first = gone;
    }
  }
  return read(range, levels, members);
}

Status BatchScan::read(TimeRange range, std::size_t levels, const Subset& members) {
  if (members.empty()) return {};
  shared::PlanRules rules;
  if (context_.options.windows) rules.levels = context_.rollups;
  rules.now_ms = context_.now_ms;
  rules.takes = [&](TimeRange piece, std::size_t level) { return takes(piece, level, members); };
  rules.trusted = [&](TimeRange piece, std::size_t level) {
    return without(piece, distrusted(context_.pending, level, context_.granularities, context_.reader.slot_ms()));
  };
  std::vector<shared::Segment> plan;
  for (const TimeRange& active : context_.active) {
    plan.clear();
    shared::plan_windows(rules, both(range, active), levels, plan);
    for (const shared::Segment& segment : plan) {
      if (!segment.of_samples()) {
        VARVE_RETURN_IF_ERROR(read_rollup_blocks(segment.range, segment.level, members));
      } else {
        VARVE_RETURN_IF_ERROR(read_samples(segment.for_windows ? segment.range : shown(segment.range), members));
      }
    }
  }
  return {};
}

// In whole slots. What was put a moment ago is shown, however old it is.
TimeRange BatchScan::shown(TimeRange range) const {
  const std::int64_t slot_ms = context_.reader.slot_ms();
  const Timestamp first = std::max(range.first, model::window_start(samples_kept_from(), slot_ms));
  for (const Timestamp slot : context_.pending.slots) {
    if (TimeRange{range.first, first}.overlaps({slot, slot + slot_ms})) return range;
  }
  return {first, range.last};
}

Timestamp BatchScan::samples_kept_from() const { return shared::kept_from(context_.samples_shown_ms, context_.now_ms); }

bool BatchScan::samples_are_gone(TimeRange range) const { return range.first < samples_kept_from(); }

bool BatchScan::all_samples_are_gone(TimeRange range) const { return range.last <= samples_kept_from(); }

// A counter's windows say nothing of extremes, and its samples do; but where those are gone the windows at least say
// that there is something unknown.
bool BatchScan::takes(TimeRange range, std::size_t level, const Subset& members) const {
  const bool gone = samples_are_gone(range);
  return std::ranges::all_of(members, [&](std::size_t m) {
    const Member& member = members_[m];
    for (std::size_t c = 0; c < member.columns.size(); ++c) {
      if (!context_.sink.takes_windows(member.series[c], range, context_.granularities[level])) return false;
      const storage::WindowFields fields = context_.sink.window_fields(member.series[c]);
      if (!gone && member.counter[c] && fields.extremes()) return false;
      if (no_histograms_[m] && !fields.numbers && !all_samples_are_gone(range)) return false;
    }
    return true;
  });
}

Result<std::map<Timestamp, std::vector<BatchScan::RollupRow>>> BatchScan::load_rollup_rows(TimeRange range,
                                                                                           std::size_t level,
                                                                                           const Subset& members) {
  std::vector<RowRead> reads;
  std::vector<std::size_t> owners;
  for (const std::size_t m : members) {
    add_reads(reads, context_.levels[level], members_[m].group->cells, members_[m].shard, range);
    owners.resize(reads.size(), m);
  }
  check(owners.size() == reads.size(), "each reading is of a member");
  std::map<Timestamp, std::vector<RollupRow>> blocks;
  VARVE_RETURN_IF_ERROR(context_.rows.read(reads, limits(), [&](std::size_t number, const RowView& view) -> Status {
    VARVE_ASSIGN_OR_RETURN(const ChunkRow row, chunk_row(view));
    VARVE_ASSIGN_OR_RETURN(auto block, open_windows(row.chunk));
    blocks[row.start].push_back({owners[number], std::move(block)});
    return {};
  }));
  for (auto& [start, list] : blocks) std::ranges::sort(list, {}, &RollupRow::member);
  return blocks;
}

// Bucket by bucket, so that what is held is bounded. What has no rollup block, or one that does not say enough, is read
// finer, before what comes later.
Status BatchScan::read_rollup_blocks(TimeRange range, std::size_t level, const Subset& members) {
  check(level < context_.levels.size() && !members.empty(), "rollup blocks of a granularity that there is");
  const std::int64_t row_ms = context_.levels[level].row_ms;
  const std::int64_t bucket_ms = context_.levels[level].bucket_ms;
  for (Timestamp bucket = model::window_start(range.first, bucket_ms); bucket < range.last; bucket += bucket_ms) {
    const TimeRange here = both(range, {bucket, bucket + bucket_ms});
    if (here.empty()) continue;
    VARVE_ASSIGN_OR_RETURN(const auto blocks, load_rollup_rows(here, level, members));
    TimeRange gap{here.first, here.first};
    Subset missing;  // in the gap
    for (Timestamp start = model::window_start(here.first, row_ms); start < here.last; start += row_ms) {
      const TimeRange piece = both(here, {start, start + row_ms});
      const auto found = blocks.find(start);
      std::vector<RollupRow> there;
      Subset absent = members;
      bool is_lacking = false;
      if (found != blocks.end()) {
        for (const RollupRow& one : found->second) {
          VARVE_ASSIGN_OR_RETURN(const bool enough, says_enough(one, piece));
          is_lacking = is_lacking || !enough;
          if (!enough) continue;
          std::erase(absent, one.member);
          there.push_back(one);
        }
        // Of groups that share a series each has counted other samples: who is read finer would say all of its own.
        if (merged_ && !samples_are_gone(piece) && (is_lacking || are_mixed_counters(found->second))) {
          there.clear();
          absent = members;
        }
      }
      if (absent != missing) {
        VARVE_RETURN_IF_ERROR(read(gap, level, missing));
        gap = {piece.first, piece.first};
        missing = absent;
      }
      gap.last = piece.last;
      if (merged_) {
        VARVE_RETURN_IF_ERROR(give_merged_windows(there, level, piece));
      } else {
        for (const RollupRow& one : there) VARVE_RETURN_IF_ERROR(give_windows(one, level, piece));
      }
    }
    VARVE_RETURN_IF_ERROR(read(gap, level, missing));
  }
  return {};
}

// How much of the time after `from` to read for so many members: what it holds is about known from what came before.
TimeRange BatchScan::next_samples(Timestamp from, std::size_t members) const {
  const std::int64_t slot_ms = context_.reader.slot_ms();
  const std::size_t blocks =
      block_bytes_ == 0 ? kBlocksAtFirst : std::min(context_.bytes_at_once / block_bytes_, kBlocksAtOnce);
  const auto slots = static_cast<std::int64_t>(std::max<std::size_t>(1, blocks / members));
  const Timestamp bucket = model::window_start(from, context_.reader.sealed().bucket_ms);
  const Timestamp wanted =
      std::min(model::window_start(from, slot_ms) + slots * slot_ms, bucket + context_.reader.sealed().bucket_ms);
  // A stratum, which is read as a whole, is not read twice.
  const Timestamp day = model::window_start(wanted, stratum_ms(slot_ms));
  return {from, day > from ? day : wanted};
}

Status BatchScan::read_samples(TimeRange range, const Subset& members) {
  const std::int64_t slot_ms = context_.reader.slot_ms();
  shared::Emitter emitter(context_.sink, range);
  for (TimeRange here{range.first, range.first}; here.last < range.last;) {
    VARVE_RETURN_IF_ERROR(interrupted());
    here = both(range, next_samples(here.last, members.size()));
    std::vector<Timestamp> hot;
    for (const Timestamp slot : context_.pending.slots) {
      if (here.overlaps({slot, slot + slot_ms})) hot.push_back(slot);
    }
    std::vector<SlotsWanted> wanted;
    for (const std::size_t m : members) wanted.push_back({members_[m].group, here, {members_[m].shard}, hot});
    VARVE_ASSIGN_OR_RETURN(const auto lists, context_.reader.read(wanted, limits()));
    check(here.last > here.first && lists.size() == members.size(), "a step forward, for each member");
    if (merged_) {
      std::map<Timestamp, std::vector<std::pair<std::size_t, const SlotData*>>> slots;
      for (std::size_t i = 0; i < members.size(); ++i) {
        for (const SlotData& data : lists[i]) slots[data.slot].emplace_back(members[i], &data);
      }
      for (const auto& [start, list] : slots) VARVE_RETURN_IF_ERROR(give_merged_slot(list, emitter));
    } else {
      for (std::size_t i = 0; i < members.size(); ++i) {
        for (const SlotData& data : lists[i]) VARVE_RETURN_IF_ERROR(give_slot(members_[members[i]], data, emitter));
      }
    }
    measure(lists);
  }
  return {};
}

// With all that was decoded of them. Slots differ: what was large a while ago may come again.
void BatchScan::measure(std::span<const std::vector<SlotData>> lists) {
  std::size_t bytes = 0, count = 0;
  for (const auto& list : lists) {
    count += list.size();
    for (const SlotData& data : list) bytes += data.memory_bytes();
  }
  if (count > 0) block_bytes_ = std::max({bytes / count, block_bytes_ / 2, std::size_t{1}});
}

Status BatchScan::give_slot(const Member& member, const SlotData& data, shared::Emitter& emitter) {
  const SlotData::Sealed* const chunk = data.chunk(member.shard);
  if (data.hot.empty()) {
    if (chunk == nullptr || !emitter.start_chunk(*chunk->block, chunk->at)) return {};
    for (std::size_t c = 0; c < member.columns.size(); ++c) {
      const std::size_t in_shard = member.columns[c] - std::size_t{member.shard} * kSeriesPerColumnShard;
      VARVE_RETURN_IF_ERROR(emitter.chunk_column(member.series[c], in_shard));
    }
    return {};
  }
  VARVE_RETURN_IF_ERROR(gather_columns(data, member.columns, gather_, emitter.range()));
  if (gather_.empty()) return {};
  gather_.finish();
  for (std::size_t c = 0; c < member.columns.size(); ++c) {
    VARVE_RETURN_IF_ERROR(emitter.emit(member.series[c], gather_.times(), gather_.columns()[c]));
  }
  return {};
}

// Of equal times that of the later writer counts.
Status BatchScan::give_merged_slot(std::span<const std::pair<std::size_t, const SlotData*>> slots,
                                   shared::Emitter& emitter) {
  merge_.clear(emitter.range());
  for (const auto& [m, data] : slots) {
    const Member& member = members_[m];
    merge_.live(member.group->cells.ttl_s, model::kAllTime.first);  // what is over is not in the range
    check(member.columns.size() == 1 && member.columns[0] / kSeriesPerColumnShard == member.shard,
          "a place of one series");
    const std::size_t in_shard = member.columns[0] - std::size_t{member.shard} * kSeriesPerColumnShard;
    if (const SlotData::Sealed* const chunk = data->chunk(member.shard); chunk != nullptr) {
      VARVE_RETURN_IF_ERROR(chunk_arrivals(*chunk, member.group->columns, arrivals_));
      VARVE_RETURN_IF_ERROR(merge_.add_chunk(*chunk->block, chunk->at, static_cast<unsigned>(in_shard), arrivals_));
    }
    for (const SlotData::Hot& row : data->hot) {
      merge_.add_rows(std::as_bytes(std::span(row.rows)), shared::RowForm::plain, member.columns[0],
                      static_cast<std::uint64_t>(row.arrival.us));
    }
  }
  return emitter.emit(members_[0].series[0], merge_);
}

}  // namespace varve::engine::cassandra
