// SPDX-License-Identifier: Apache-2.0
// Seal: what is new in raw slots is folded into the windows of every granularity that fits into a slot, and committed
// together with the marks that say so. Done again after a crash it gives the same windows.
#include <algorithm>
#include <set>

#include "engine/rocksdb/level_slots.h"
#include "engine/rocksdb/rollup_writer.h"
#include "engine/rocksdb/slot_folder.h"
#include "engine/rocksdb/store_state.h"
#include "engine/rocksdb/window_reader.h"

namespace varve::engine::rocksdb {
namespace {

using rollup::Kind;
using rollup::Windows;

// Groups that stand in a run which is not rolled up yet; ascending, each once.
Result<std::vector<std::uint32_t>> new_groups(const Database& database, const Runs::OfSlot& slot, bool all) {
  RunList fresh;
  for (const auto& run : slot.runs) {
    if (all || run->content > slot.mark.sealed) fresh.push_back(run);
  }
  std::vector<std::uint32_t> groups;
  VARVE_TRY(auto cursors, cursors_of(database, fresh));
  VARVE_CHECK_OK(for_each_group(cursors, [&](std::uint32_t group, const std::vector<RunCursor*>&) -> Status {
    groups.push_back(group);
    return {};
  }));
  return groups;
}

// Adds to the new windows what is stored of the same ones: where the samples that made them are gone.
class StoredWindows {
 public:
  StoredWindows(const ScanSource& source, const Runs& runs, std::int64_t chunk_width_ms)
      : source_(source), runs_(runs), chunk_width_ms_(chunk_width_ms) {}

  Status add_to(model::TenantId tenant, std::int64_t granularity_ms, std::uint32_t group, Windows& windows) {
    const auto width = level_slot_width_ms(granularity_ms, chunk_width_ms_);
    const auto slot = runs_.slots.find({tenant, granularity_ms, model::window_start(windows[0].start, width)});
    if (slot == runs_.slots.end()) return {};
    WindowReader reader(source_, slot->second);
    VARVE_CHECK_OK(reader.read(group, stored_));
    std::erase_if(stored_, [&](const rollup::Window& s) {
      return std::ranges::none_of(windows, [&](const rollup::Window& w) { return w.start == s.start; });
    });
    if (!stored_.empty() && !stored_[0].last.empty()) keep_texts();
    windows = rollup::merged(stored_, windows);
    return {};
  }

 private:
  void keep_texts() {
    for (auto& window : stored_) window.last = texts_.emplace_back(window.last);
  }

  const ScanSource& source_;
  const Runs& runs_;
  const std::int64_t chunk_width_ms_;
  Windows stored_;
  std::deque<std::string> texts_;
};

// Stands for the number of the last run of the commit, until that is known.
constexpr std::uint64_t kThisCommit = ~std::uint64_t{0};

}  // namespace

// Has the coarse window that holds `time` been built already? Else it will be, of the finer ones.
bool Store::State::has_coarse(model::TenantId tenant, std::int64_t width_ms, model::Timestamp time) const {
  const auto known = runs->slots.find({tenant, width_ms, model::window_start(time, width_ms)});
  return known != runs->slots.end() && known->second.mark.sealed > 0;
}

std::vector<std::int64_t> Store::State::granularities_of_raw() const {
  std::vector<std::int64_t> widths;
  for (const auto& level : options.rollups.levels) {
    if (level.width_ms <= chunk_width) widths.push_back(level.width_ms);
  }
  return widths;
}

Status Store::State::seal_slot(const SlotKey& slot, RollupWriter& writer, Database::Commit& commit) {
  const Runs::OfSlot& of_slot = runs->slots.at(slot);
  const auto widths = granularities_of_raw();
  const View nothing{nullptr, nullptr, runs, nullptr};
  const ScanSource source{nothing, append_mutex, *database, cache, clock, slot.tenant, chunk_width};
  StoredWindows stored(source, *runs, chunk_width);
  SlotFolder folder(source, of_slot, widths[0]);
  Windows windows;
  Windows coarser;
  std::set<SlotKey> coarse;  // windows wider than the slot that were added to
  std::vector<std::int64_t> all_widths = widths;
  if (of_slot.mark.dropped) {
    for (const auto& level : options.rollups.levels) {
      if (level.width_ms > chunk_width) all_widths.push_back(level.width_ms);
    }
  }
  const SlotFolder::Out out = [&](model::SeriesId series, bool text, const Windows& finest) -> Status {
    Kind kind = Kind::text;
    if (!text) {
      const std::shared_lock lock(index_mutex);
      kind = options.rollups.kind_of(index.metric(series));
    }
    const std::uint32_t group = text ? rollup::text_group(series) : rollup::number_group(series);
    windows = finest;
    for (const std::int64_t width : all_widths) {
      if (width > chunk_width && !has_coarse(slot.tenant, width, finest[0].start)) break;
      coarser.clear();
      rollup::coarsen(windows, width, coarser);
      windows = coarser;
      if (!of_slot.mark.dropped) {
        VARVE_CHECK_OK(writer.add(slot.tenant, width, group, kind, coarser));
        continue;
      }
      // The finer windows may be gone by now, so the coarser ones are not made of them but added to themselves.
      Windows sum = coarser;
      VARVE_CHECK_OK(stored.add_to(slot.tenant, width, group, sum));
      VARVE_CHECK_OK(writer.add(slot.tenant, width, group, kind, sum));
      if (width > chunk_width) coarse.insert({slot.tenant, width, sum[0].start});
    }
    return {};
  };
  const bool all = of_slot.mark.granularities_ms != widths && !of_slot.mark.dropped;
  VARVE_TRY(const auto groups, new_groups(*database, of_slot, all));
  std::vector<index::Place> places;
  for (const std::uint32_t group : groups) {
    std::span<const model::SeriesId> series;
    bool shared = false;
    {
      const std::shared_lock lock(index_mutex);
      series = index.group_series(model::GroupId{group});
      shared = shared_groups.contains(group);
    }
    if (!shared) {
      VARVE_CHECK_OK(folder.group(group, series, out));
      continue;
    }
    for (const model::SeriesId one : series) {
      {
        const std::shared_lock lock(index_mutex);
        index.places(one, places);
      }
      VARVE_CHECK_OK(folder.series(one, places, out));
    }
  }
  Mark mark = of_slot.mark;
  mark.sealed = of_slot.content();
  if (!mark.dropped) mark.granularities_ms = widths;
  // Samples of a slot that retention has dropped are in the windows now, once and for all.
  if (mark.dropped) commit.removed.insert(commit.removed.end(), of_slot.runs.begin(), of_slot.runs.end());
  commit.marks.emplace_back(slot, std::move(mark));
  for (const SlotKey& window : coarse) commit.marks.emplace_back(window, Mark{kThisCommit, false, {}});
  return {};
}

Status Store::State::seal(std::span<const SlotKey> slots) {
  step("seal.begin");
  RollupWriter writer(*database, chunk_width, checkpoint.next_run);
  Database::Commit commit;
  for (const SlotKey& slot : slots) VARVE_CHECK_OK(seal_slot(slot, writer, commit));
  return commit_rollups(writer, commit, slots.size());
}

Status Store::State::commit_rollups(RollupWriter& writer, Database::Commit& commit, std::size_t slots) {
  VARVE_TRY(commit.added, writer.finish());
  commit.checkpoint = {writer.next_run(), checkpoint.first_segment, checkpoint.sequence};
  for (auto& [slot, mark] : commit.marks) {
    if (mark.sealed == kThisCommit) mark.sealed = writer.next_run() - 1;
  }
  step("seal.written");
  VARVE_CHECK_OK(database->commit(commit));
  step("seal.committed");
  publish(commit, false);
  slots_sealed += slots;
  windows_written += writer.windows();
  step("seal.published");
  return commit.removed.empty() ? Status{} : database->erase_blocks(commit.removed);
}

std::vector<SlotKey> Store::State::sealable(std::int64_t ended_before_ms) const {
  std::vector<SlotKey> due;
  if (options.rollups.levels.empty()) return due;
  const auto widths = granularities_of_raw();
  for (const auto& [slot, of_slot] : runs->slots) {
    if (slot.granularity_ms != 0 || of_slot.runs.empty()) continue;
    if (of_slot.is_sealed() && of_slot.mark.granularities_ms == widths) continue;
    if (slot.start + chunk_width <= ended_before_ms) due.push_back(slot);
  }
  return due;
}

}  // namespace varve::engine::rocksdb
