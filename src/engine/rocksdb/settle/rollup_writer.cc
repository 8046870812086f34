// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/settle/rollup_writer.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "engine/rocksdb/runs/level_slots.h"

namespace varve::engine::rocksdb {
namespace {

constexpr std::size_t kWindowsMax = 800'000;  // held, complete or not: about 50 MB
constexpr std::size_t kPartBytesMax = std::size_t{64} << 20;

}  // namespace

Status RollupWriter::add(model::TenantId tenant, std::int64_t granularity_ms, std::uint32_t group, rollup::Kind kind,
                         std::span<const rollup::Window> windows) {
  if (windows.empty()) return {};
  check(granularity_ms > 0, "a window has a width");
  const auto width = level_slot_width_ms(granularity_ms, chunk_width_ms_);
  const SlotKey slot{tenant, granularity_ms, model::window_start(windows[0].start, width)};
  const bool of_counter = kind != rollup::Kind::text && rollup::any_of_counter(windows);
  const std::size_t first = held(kind).starts.size();
  entries_[slot].push_back({group, kind, windows[0].start, first, windows.size(), counters_.size(), of_counter});
  hold(kind, windows, of_counter);
  return held_windows_ < kWindowsMax && part_bytes() < kPartBytesMax ? Status{} : flush();
}

void RollupWriter::hold(rollup::Kind kind, std::span<const rollup::Window> windows, bool of_counter) {
  held_windows_ += windows.size();
  if (of_counter) rollup::pack(windows, counters_, parts_);
  if (kind != rollup::Kind::text) return held(kind).add(kind, windows);
  texts_.assign(windows.begin(), windows.end());
  for (rollup::Window& window : texts_) window.text = parts_.copy(window.text);
  held(kind).add(kind, texts_);
}

Status RollupWriter::write(std::span<const Entry> entries, RunWriter& writer) {
  const Entry& entry = entries[0];
  chunk_.start(entry.kind);
  for (const Entry& part : entries) {
    const auto counters = std::span(counters_).subspan(part.first_of_counter, part.of_counter ? part.count : 0);
    chunk_.add(held(entry.kind), part.first, part.count, counters);
  }
  return writer.add(chunk_.finish(model::GroupId{entry.group}));
}

RunWriter& RollupWriter::open(const SlotKey& slot) {
  if (open_.empty()) number_ = numbers_.draw();
  const auto [at, fresh] = open_.try_emplace(slot, draft_);
  if (fresh) at->second.start({slot, number_});
  return at->second;
}

// By group and time. Slots give their few groups one slot after the other, so mostly counting the groups is enough.
void RollupWriter::sort(std::vector<Entry>& entries) {
  const auto [least, most] = std::ranges::minmax(entries, {}, &Entry::group);
  const std::size_t groups = std::size_t{most.group} - least.group + 1;
  const auto by_time = [](const Entry& e) { return std::pair(e.group, e.start); };
  if (groups < 4 * entries.size()) {
    places_.assign(groups + 1, 0);
    for (const Entry& e : entries) ++places_[e.group - least.group + 1];
    for (std::size_t g = 1; g <= groups; ++g) places_[g] += places_[g - 1];
    sorted_.resize(entries.size());
    for (const Entry& e : entries) sorted_[places_[e.group - least.group]++] = e;
    entries.swap(sorted_);
  }
  if (!std::ranges::is_sorted(entries, {}, by_time)) std::ranges::sort(entries, {}, by_time);
}

Status RollupWriter::flush() {
  for (auto& [slot, entries] : entries_) sort(entries);
  if (!std::ranges::all_of(entries_, [this](const auto& e) { return open(e.first).takes(e.second[0].group); })) {
    VARVE_RETURN_IF_ERROR(finish_open());
  }
  for (const auto& [slot, entries] : entries_) {
    RunWriter& writer = open(slot);
    for (std::span<const Entry> rest(entries); !rest.empty();) {
      std::size_t same = 1;  // what several raw slots gave to one series
      while (same < rest.size() && rest[same].group == rest[0].group) ++same;
      VARVE_RETURN_IF_ERROR(write(rest.first(same), writer));
      rest = rest.subspan(same);
    }
  }
  written_ += std::exchange(held_windows_, 0);
  entries_.clear();
  for (rollup::Columns& columns : held_) columns.clear();
  counters_.clear();
  parts_.clear();
  return {};
}

Status RollupWriter::finish_open() {
  for (auto& [slot, writer] : open_) {
    VARVE_ASSIGN_OR_RETURN(auto run, writer.finish());
    if (run->chunks > 0) runs_.push_back(std::move(run));
  }
  open_.clear();
  return {};
}

Status RollupWriter::close_runs() {
  VARVE_RETURN_IF_ERROR(flush());
  return finish_open();
}

Result<RunList> RollupWriter::finish() {
  VARVE_RETURN_IF_ERROR(close_runs());
  return std::move(runs_);
}

}  // namespace varve::engine::rocksdb
