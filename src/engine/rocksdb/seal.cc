// SPDX-License-Identifier: Apache-2.0
// Seal: what is new in raw slots is folded into the windows of every granularity that fits into a slot, and committed
// together with the marks that say so. Done again after a crash it gives the same windows.
#include <algorithm>
#include <deque>
#include <limits>
#include <optional>
#include <span>

#include "base/check.h"
#include "base/sort_unique.h"
#include "engine/rocksdb/jobs.h"
#include "engine/rocksdb/runs/level_slots.h"
#include "engine/rocksdb/settle/rollup_writer.h"
#include "engine/rocksdb/settle/slot_sealer.h"
#include "engine/shared/declared_counter.h"
#include "model/series_key.h"
#include "tracker/ownership.h"
#include "tracker/partition.h"

namespace varve::engine::rocksdb {
namespace {

// Of a batch, unless one group has more: windows of all its slots are held, and should stay in the cache.
constexpr std::size_t kSeriesPerBatch = 64;
constexpr std::size_t kWindowsPerBatch = 65'536;

// Asks the catalog about some groups at once, so that nobody who defines series waits for each. One thread.
class SealBatcher {
 public:
  // `partitions` that are ours, ascending.
  SealBatcher(const Options& options, const Catalog& catalog, std::span<const std::uint32_t> partitions)
      : options_(options), catalog_(catalog), partitions_(partitions) {}

  // The first of `groups` (ascending, not empty), of about `series_max` series; valid until the next call.
  std::span<const SealedGroup> next(std::span<const std::uint32_t> groups, std::size_t series_max);

 private:
  [[nodiscard]] bool is_ours(std::span<const model::SeriesId> series, model::TenantId tenant)
      VARVE_REQUIRES_SHARED(catalog_.mutex);

  const Options& options_;
  const Catalog& catalog_;
  const std::span<const std::uint32_t> partitions_;
  std::vector<SealedGroup> batch_;
  model::TagViews tags_;
};

std::span<const SealedGroup> SealBatcher::next(std::span<const std::uint32_t> groups, std::size_t series_max) {
  batch_.clear();
  const ReaderLock lock(catalog_.mutex);
  std::size_t series = 0;
  for (const std::uint32_t number : groups) {
    const model::GroupId id{number};
    SealedGroup group{number, catalog_.index.group_series(id), {}, {}, catalog_.shared_groups.contains(number), true};
    if (group.series.empty()) {  // nothing is left of it: it has no windows
      batch_.push_back(std::move(group));
      continue;
    }
    const model::TenantId tenant = catalog_.index.group_tenant(id);
    series += group.series.size();
    if (series > series_max && !batch_.empty()) break;
    group.ours = is_ours(group.series, tenant);
    for (const model::SeriesId one : group.series) {
      if (options_.rollups.kind_of(catalog_.index.metric(one)) != rollup::Kind::gauge) group.counters.push_back(one);
      if (auto declared = shared::declared_counter(options_.rollups, catalog_.index, tenant, one)) {
        group.declared.emplace_back(one, std::move(*declared));
      }
    }
    batch_.push_back(std::move(group));
  }
  return batch_;
}

bool SealBatcher::is_ours(std::span<const model::SeriesId> series, model::TenantId tenant) {
  if (partitions_.size() == options_.partitions) return true;
  catalog_.index.tags(series[0], tags_);
  const auto hash = model::series_set_hash(model::series_key(catalog_.index.metric(series[0]), tags_));
  return std::ranges::binary_search(
      partitions_, tracker::partition_of(catalog_.index.tenant_name(tenant), hash, options_.partitions));
}

// Several slots of one tenant sealed together, group by group, so that what they give to one series is written at once.
// One thread, under the maintenance lock. A slot that is damaged is set aside; other errors end the whole. What was
// folded of such a slot may be committed with the others if its samples are kept: it is made again of them. If they are
// not, it would be added twice: then nothing is committed, and the others begin again without it.
class Sealing {
 public:
  Sealing(SealBatcher& batcher, SetAside& set_aside, RollupWriter& writer)
      : batcher_(batcher), set_aside_(set_aside), writer_(writer) {}

  Status start(const SealContext& context, const SlotKey& slot);
  // To be called once. Returns how many slots are sealed by this commit.
  Result<std::size_t> finish(Database::Commit& commit);
  // The slot because of which nothing may be committed, if that is why start() or finish() failed.
  [[nodiscard]] const std::optional<SlotKey>& spoiler() const { return spoiler_; }

 private:
  Status set_aside(SlotSealer& sealer, const Status& status);

  SealBatcher& batcher_;
  SetAside& set_aside_;
  RollupWriter& writer_;
  std::deque<SlotSealer> sealers_;
  std::optional<SlotKey> spoiler_;
};

Status Sealing::start(const SealContext& context, const SlotKey& slot) {
  SlotSealer& sealer = sealers_.emplace_back(context, slot, writer_);
  const Status status = sealer.start();
  return status ? Status{} : set_aside(sealer, status);
}

Status Sealing::set_aside(SlotSealer& sealer, const Status& status) {
  if (status.error().code != Code::corrupt) return status;
  set_aside_.failed(sealer.slot(), kSealOfSlot, status.error());
  sealer.give_up();
  if (!sealer.has_lost_samples()) return {};
  spoiler_ = sealer.slot();
  return status;
}

Result<std::size_t> Sealing::finish(Database::Commit& commit) {
  std::vector<std::uint32_t> groups;
  std::size_t windows = 1;  // of a series
  for (const SlotSealer& sealer : sealers_) {
    groups.insert(groups.end(), sealer.groups().begin(), sealer.groups().end());
    windows += sealer.windows_of_series();
  }
  sort_unique(groups);
  const std::size_t series_max = std::min(kSeriesPerBatch, kWindowsPerBatch / windows);
  for (std::span<const std::uint32_t> rest(groups); !rest.empty();) {
    const std::span<const SealedGroup> batch = batcher_.next(rest, series_max);
    for (SlotSealer& sealer : sealers_) {
      if (const Status status = sealer.add(batch); !status) VARVE_RETURN_IF_ERROR(set_aside(sealer, status));
    }
    VARVE_RETURN_IF_ERROR(writer_.complete());
    rest = rest.subspan(batch.size());
  }
  VARVE_RETURN_IF_ERROR(writer_.close_runs());
  std::size_t sealed = 0;
  for (SlotSealer& sealer : sealers_) {
    if (sealer.has_given_up()) continue;
    sealer.finish(commit);
    set_aside_.succeeded(sealer.slot(), kSealOfSlot);
    ++sealed;
  }
  return sealed;
}

// A slot that is done but for what cannot be done now is looked at again when something may have changed.
void rest_if_open(const JobContext& job, const SlotKey& slot) {
  const auto current = job.tables.runs();
  const auto known = current->slots.find(slot);
  if (known == current->slots.end() || known->second.mark.open.empty()) return;
  std::int64_t until = std::numeric_limits<std::int64_t>::max();
  for (const auto& entry : job.set_aside.list()) {
    if (entry.slot == slot) until = std::min(until, entry.retry_ms);
  }
  job.set_aside.rest(slot, known->second.mark.open.size(), until);
}

}  // namespace

std::vector<std::uint32_t> owned_partitions(const Options& options) {
  return options.owned ? options.owned() : tracker::all_partitions(options.partitions);
}

namespace {

Status seal_together(const JobContext& job, std::span<const SlotKey> slots, std::optional<SlotKey>& spoiler) {
  VARVE_RETURN_IF_ERROR(job.env.step("seal.begin"));
  Database::Draft draft(job.tables.database());
  RollupWriter writer(draft, job.env.chunk_width_ms, job.tables.numbers());
  Change change{.what = "seal"};
  const auto current = job.tables.runs();
  const View nothing{nullptr, nullptr, current, nullptr};
  const auto partitions = owned_partitions(job.env.options);
  SealBatcher batcher(job.env.options, job.catalog, partitions);
  for (auto rest = slots; !rest.empty();) {
    const auto together = next_together(job.env, rest);
    const ScanSource source = job.tables.source(nothing, together[0].tenant);
    Sealing sealing(batcher, job.set_aside, writer);
    Status status;
    for (auto slot = together.begin(); status && slot != together.end(); ++slot) {
      status = sealing.start({job.env.options, job.catalog, current, source, job.set_aside}, *slot);
    }
    Result<std::size_t> sealed = 0;
    if (status) sealed = sealing.finish(change.commit);
    spoiler = sealing.spoiler();
    VARVE_RETURN_IF_ERROR(status);
    VARVE_RETURN_IF_ERROR(sealed);
    change.slots_sealed += *sealed;
  }
  if (change.slots_sealed == 0) return {};
  VARVE_RETURN_IF_ERROR(commit_rollups(job.tables, writer, std::move(change), draft));
  for (const SlotKey& slot : slots) rest_if_open(job, slot);
  return {};
}

}  // namespace

Status seal(const JobContext& job, std::span<const SlotKey> slots) {
  check(!slots.empty() && !job.env.options.rollups.levels.empty(), "there is something to be sealed");
  std::vector<SlotKey> left(slots.begin(), slots.end());
  while (!left.empty()) {
    std::optional<SlotKey> spoiler;
    const Status status = seal_together(job, left, spoiler);
    if (!spoiler) return status;
    std::erase(left, *spoiler);
  }
  return {};
}

Status commit_rollups(Tables& tables, RollupWriter& writer, Change change, Database::Draft& draft) {
  VARVE_ASSIGN_OR_RETURN(change.commit.added, writer.finish());
  for (auto& [slot, mark] : change.commit.marks) {
    if (mark.sealed == kThisCommit) mark.sealed = writer.last_run();
  }
  change.windows = writer.windows();
  return tables.commit(std::move(change), draft);
}

}  // namespace varve::engine::rocksdb
