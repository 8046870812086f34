// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/flush.h"

#include <algorithm>
#include <limits>

#include "base/check.h"
#include "engine/rocksdb/flush_list.h"
#include "engine/rocksdb/runs/message_run.h"
#include "engine/rocksdb/runs/run_writer.h"
#include "engine/shared/gather.h"
#include "engine/shared/reconcile.h"

namespace varve::engine::rocksdb {
namespace {

using Items = std::span<const FlushList::Item>;

// What the head holds of one group, in the order of writing within each hour.
void list_pieces(const Head& head, Items of_group, Head::Pieces& out) {
  out.clear();
  const MutexLock lock(head.mutex);
  for (const auto& item : of_group) head.pieces(*item.fragment, out);
}

Result<shared::Patches> patches_of(const Head& head, const FlushList::OfRun& of_run, const Catalog& catalog) {
  std::vector<std::uint32_t> all;
  for (const auto& item : of_run.items) {
    if (all.empty() || all.back() != item.group) all.push_back(item.group);
  }
  const auto groups = catalog.shared_of(all);
  if (groups.empty()) return shared::Patches{};
  Head::Pieces pieces;
  const auto add = [&](shared::SeriesMerge& merge, std::uint32_t group, std::uint16_t column) -> Status {
    list_pieces(head, of_run.of(group), pieces);
    for (const auto& rows : pieces) merge.add_rows(rows, shared::RowForm::with_arrival, column, kHeadRank);
    return {};
  };
  return shared::reconcile(groups, add);
}

Status write_run(const Head& head, const FlushList::OfRun& of_run, const shared::Patches& patches,
                 shared::Gather& gather, RunWriter& writer, StatsChanges& stats) {
  Head::Pieces pieces;
  for (Items rest = of_run.items; !rest.empty();) {
    const std::uint32_t group = rest[0].group;
    const auto end = std::ranges::find_if_not(rest, [group](const auto& item) { return item.group == group; });
    const Items items = rest.first(static_cast<std::size_t>(end - rest.begin()));
    rest = rest.subspan(items.size());
    list_pieces(head, items, pieces);
    gather.clear();
    for (const auto& rows : pieces) gather.add_rows(rows, shared::RowForm::with_arrival);
    const auto patch = patches.empty() ? patches.end() : patches.find(group);
    gather.finish(patch == patches.end() ? std::span<const shared::Gather::Patch>{} : std::span(patch->second));
    stats.add(items[0].series, gather.times(), gather.columns());
    VARVE_RETURN_IF_ERROR(writer.add({model::GroupId{group}, gather.times(), gather.columns()}));
  }
  return {};
}

// A run of each tenant and slot.
Status write_messages(const MessageHead& head, std::uint64_t number, Database::Draft& draft, Database::Commit& commit) {
  constexpr std::int64_t kFirst = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kLast = std::numeric_limits<std::int64_t>::max();
  for (const model::TenantId tenant : head.tenants()) {
    for (const MessageHead::Fragment& fragment : head.fragments(tenant, kFirst, kLast)) {
      const RunKey key{message_slot(tenant, fragment.of, fragment.slot), number};
      VARVE_ASSIGN_OR_RETURN(auto run, write_message_run(key, fragment.rows, draft));
      check(run->samples == fragment.messages, "every message of a head is written");
      commit.added.push_back(std::move(run));
    }
  }
  return {};
}

}  // namespace

bool Flush::once() {
  const MutexLock lock(mutex);
  static_cast<void>(ingest_.rotate(Ingest::When::full));
  if (ingest_.immutable().head != nullptr) {
    const Status status = immutable();
    if (status) flushed_();
    return troubles_.note("samples cannot be moved into the database; they stay in the log", status);
  }
  if (!ingest_.has_logged_definitions()) return false;
  const auto moved = hand_over_definitions();
  return troubles_.note("definitions cannot be moved into the database", moved ? Status() : fail(moved.error()));
}

Status Flush::all() {
  const MutexLock lock(mutex);
  return all_locked();
}

// What is immutable, then what the head holds.
Status Flush::all_locked() {
  for (int heads = 0; heads < 2; ++heads) {
    VARVE_RETURN_IF_ERROR(ingest_.rotate(Ingest::When::filled));
    VARVE_RETURN_IF_ERROR(immutable());
  }
  return {};
}

Status Flush::between(const std::function<void(std::uint64_t handed_over)>& work) {
  const MutexLock lock(mutex);
  VARVE_ASSIGN_OR_RETURN(const std::uint64_t handed_over, hand_over_definitions());
  work(handed_over);
  return {};
}

Result<std::uint64_t> Flush::hand_over_definitions() {
  const auto [sequence, definitions] = ingest_.take_logged_definitions();
  if (definitions.empty()) return sequence;
  if (const Status status = tables_.database().put_definitions(sequence, definitions); !status) {
    ingest_.put_back_logged_definitions(definitions);
    return fail(status.error());
  }
  return sequence;
}

Status Flush::immutable() {
  VARVE_RETURN_IF_ERROR(tables_.finish_commit());
  const auto [head, checkpoint] = ingest_.immutable();
  if (head == nullptr) return {};
  Change change{.what = "flush", .flushes = true};
  check(checkpoint.first_segment > 1, "a flush ends segments of the log");
  change.commit.checkpoint = checkpoint;
  const Status status = write(*head, tables_.numbers().begin_flush(), std::move(change));
  ingest_.note_flush(status);
  if (status) return env_.step("flush.done");
  tables_.give_up_flush();
  return status;
}

Status Flush::write(const Head& head, std::uint64_t number, Change change) {
  VARVE_RETURN_IF_ERROR(env_.step("flush.begin"));
  VARVE_RETURN_IF_ERROR(hand_over_definitions());
  FlushList list(env_, head, catalog_);
  check(list.empty() == (head.rows() == 0), "every row of a head is listed");
  shared::Gather gather;
  Database::Draft draft(tables_.database());
  RunWriter writer(draft);
  const auto runs = tables_.runs();
  while (!list.empty()) {
    const FlushList::OfRun of_run = list.next(*runs);
    VARVE_ASSIGN_OR_RETURN(const shared::Patches patches, patches_of(head, of_run, catalog_));
    writer.start({of_run.slot, number});
    VARVE_RETURN_IF_ERROR(write_run(head, of_run, patches, gather, writer, change.stats));
    VARVE_ASSIGN_OR_RETURN(auto run, writer.finish());
    change.commit.added.push_back(std::move(run));
  }
  VARVE_RETURN_IF_ERROR(write_messages(head.messages, number, draft, change.commit));
  return tables_.commit(std::move(change), draft);
}

}  // namespace varve::engine::rocksdb
