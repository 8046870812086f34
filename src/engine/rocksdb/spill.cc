// SPDX-License-Identifier: Apache-2.0
// Spill: a frozen head becomes one run for each tenant and slot in it, and its log segments go.
#include <algorithm>
#include <tuple>

#include "engine/rocksdb/runs/run_writer.h"
#include "engine/rocksdb/store_state.h"
#include "engine/shared/gather.h"
#include "engine/shared/reconcile.h"

namespace varve::engine::rocksdb {
namespace {

struct Item {
  std::uint32_t tenant;
  std::uint32_t group;
  const Head::Fragment* fragment;
  std::span<const model::SeriesId> series;  // of the group
};

// Every fragment of the head, by tenant, slot and group.
std::vector<Item> items_of(const Head& head, const index::SeriesIndex& index) {
  std::vector<Item> items;
  for (std::uint32_t g = 0; g < head.groups_max(); ++g) {
    const auto* at = head.fragments(model::GroupId{g});
    if (at == nullptr) continue;
    const std::uint32_t tenant = model::to_int(index.group_tenant(model::GroupId{g}));
    for (; at != nullptr; at = at->next) items.push_back({tenant, g, at, index.group_series(model::GroupId{g})});
  }
  std::sort(items.begin(), items.end(), [](const Item& a, const Item& b) {
    return std::tie(a.tenant, a.fragment->slot, a.group) < std::tie(b.tenant, b.fragment->slot, b.group);
  });
  return items;
}

// Of one tenant and slot.
Result<shared::Patches> patches_of(std::span<const Item> items, const index::SeriesIndex& index,
                                   const shared::SharedGroups& shared) {
  std::vector<std::uint32_t> groups;
  for (const Item& item : items) {
    if (shared.contains(item.group)) groups.push_back(item.group);
  }
  if (groups.empty()) return shared::Patches{};
  const auto add = [&](shared::SeriesMerge& merge, std::uint32_t group, std::uint16_t column) -> Status {
    const auto item = std::ranges::lower_bound(items, group, {}, &Item::group);
    Head::Pieces pieces;
    Head::pieces(*item->fragment, pieces);
    for (const auto& rows : pieces) merge.add_rows(rows, shared::RowForm::with_arrival, column, kHeadRank);
    return {};
  };
  return shared::reconcile(index, groups, add);
}

Status write_run(std::span<const Item> items, const shared::Patches& patches, shared::Gather& gather, RunWriter& writer,
                 LifeChanges& lives) {
  Head::Pieces pieces;
  for (const Item& item : items) {
    gather.clear();
    pieces.clear();
    Head::pieces(*item.fragment, pieces);
    for (const auto& rows : pieces) gather.add_rows(rows, shared::RowForm::with_arrival);
    const auto patch = patches.empty() ? patches.end() : patches.find(item.group);
    gather.finish(patch == patches.end() ? std::span<const shared::Gather::Patch>{} : std::span(patch->second));
    lives.add(item.series, gather.times(), gather.columns());
    VARVE_CHECK_OK(writer.add({model::GroupId{item.group}, gather.times(), gather.columns()}));
  }
  return {};
}

}  // namespace

Status Store::State::spill_frozen() {
  VARVE_CHECK_OK(finish_commit());
  std::shared_ptr<const Head> spilling;
  Change change;
  {
    const std::lock_guard lock(append_mutex);
    spilling = frozen;
    change.commit.checkpoint = frozen_checkpoint;
  }
  if (spilling == nullptr) return {};
  change.what = "spill";
  change.spills = true;
  Status status = spill(*spilling, numbers.begin_flush(), std::move(change));
  {
    const std::lock_guard lock(append_mutex);
    spill_error = status ? std::string() : status.error().message;
  }
  if (status) return step("spill.done");
  const std::lock_guard lock(commit_mutex);
  if (!unfinished || !unfinished->spills) numbers.end_flush();
  return status;
}

Status Store::State::spill(const Head& spilling, std::uint64_t number, Change change) {
  VARVE_CHECK_OK(step("spill.begin"));
  VARVE_CHECK_OK(hand_over_definitions());
  std::vector<Item> items;
  {
    const std::shared_lock lock(index_mutex);
    items = items_of(spilling, index);
  }
  shared::Gather gather;
  Database::Draft draft(*database);
  RunWriter writer(draft);
  for (std::span<const Item> rest(items); !rest.empty();) {
    const auto same = [&](const Item& item) {
      return item.tenant == rest[0].tenant && item.fragment->slot == rest[0].fragment->slot;
    };
    const auto count = static_cast<std::size_t>(std::ranges::find_if_not(rest, same) - rest.begin());
    const auto of_slot = rest.first(count);
    shared::Patches patches;
    {
      const std::shared_lock lock(index_mutex);
      if (shared_groups.any()) {
        VARVE_TRY(patches, patches_of(of_slot, index, shared_groups));
      }
    }
    writer.start({{model::TenantId{rest[0].tenant}, 0, rest[0].fragment->slot}, number});
    VARVE_CHECK_OK(write_run(of_slot, patches, gather, writer, change.lives));
    VARVE_TRY(auto run, writer.finish());
    change.commit.added.push_back(std::move(run));
    rest = rest.subspan(count);
  }
  return commit(std::move(change), draft);
}

}  // namespace varve::engine::rocksdb
