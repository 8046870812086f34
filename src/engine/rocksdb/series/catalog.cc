// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/series/catalog.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "engine/rocksdb/head/message_record.h"

namespace varve::engine::rocksdb {

model::TenantId Catalog::tenant(std::string_view name) {
  const MutexLock lock(mutex);
  const MutexLock waiting(waiting_mutex_);
  return index.tenant(name, definitions_);
}

Result<model::GroupId> Catalog::define_group(model::TenantId tenant, const model::TagViews& tags,
                                             std::span<const std::string_view> metrics, std::uint32_t ttl_s) {
  const MutexLock lock(mutex);
  const MutexLock waiting(waiting_mutex_);
  VARVE_ASSIGN_OR_RETURN(const auto group, index.define_group(tenant, tags, metrics, series_max_, definitions_, ttl_s));
  check(model::to_int(group) < index.group_count(), "a group that is defined is in the index");
  shared_groups.catch_up(index);
  row_check.catch_up(index);
  return group;
}

std::vector<shared::SharedGroup> Catalog::shared_of(std::span<const std::uint32_t> groups) const {
  std::vector<shared::SharedGroup> out;
  for_each_in_pieces(mutex, groups.size(), [&](std::size_t i) VARVE_REQUIRES_SHARED(mutex) {
    if (!shared_groups.contains(groups[i])) return;
    const model::GroupId id{groups[i]};
    out.push_back({groups[i], index.group_ttl_s(id), index.group_series(id)});
  });
  return out;
}

std::vector<bool> Catalog::which_are_shared() const {
  const ReaderLock lock(mutex);
  return shared_groups.any() ? shared_groups.groups() : std::vector<bool>{};
}

const shared::SeriesRetentions::OfTenant& Catalog::retentions_of(model::TenantId tenant) const {
  if (const auto* const known = retentions.find(tenant)) return *known;
  std::string name;
  {
    const ReaderLock lock(mutex);
    name = index.tenant_name(tenant);
  }
  return retentions.add(tenant, name);
}

const rollup::Retention& Catalog::kept(model::TenantId tenant) const {
  if (!retentions.any()) return retentions.classes().retention(rollup::RetentionClasses::kNone);
  return retentions_of(tenant).longest;
}

bool Catalog::keeps_differently(model::TenantId tenant) const {
  return retentions.any() && retentions_of(tenant).differ;
}

std::vector<model::TenantId> Catalog::filling_tenants() const {
  std::vector<model::TenantId> tenants;
  const ReaderLock lock(mutex);
  for (std::uint32_t number = 0; number < index.tenant_count(); ++number) {
    const model::TenantId tenant{number};
    if (index.series_count(tenant) > series_max_ / 2) tenants.push_back(tenant);
  }
  return tenants;
}

void Catalog::set_quiet(model::TenantId tenant, std::size_t series) {
  const MutexLock lock(mutex);
  index.set_quiet(tenant, series);
}

std::string Catalog::take_definitions() {
  std::string taken;
  const MutexLock waiting(waiting_mutex_);
  note_pending();
  taken.swap(definitions_);
  noted_from_ = 0;
  return taken;
}

void Catalog::put_back_definitions(std::string_view taken) {
  const MutexLock waiting(waiting_mutex_);
  definitions_.insert(0, taken);
  noted_from_ += taken.size();
}

bool Catalog::keeps_out(std::span<const std::byte> rows) const {
  if (holds_messages(rows)) return false;
  const MutexLock waiting(waiting_mutex_);
  return kept_out_.any_in(rows);
}

std::size_t Catalog::leave_out(std::span<const std::byte> rows, std::vector<std::byte>& out) const {
  const MutexLock waiting(waiting_mutex_);
  return kept_out_.leave_out(rows, out);
}

void Catalog::leave_out_markers(std::span<const std::byte> rows, std::vector<std::byte>& out) const {
  const MutexLock waiting(waiting_mutex_);
  kept_out_.leave_out_markers(rows, out);
}

// Values first: the markers beside them may be of series that these have brought back.
Status Catalog::revive(std::span<const std::byte> rows) {
  Status full;
  const MutexLock lock(mutex);
  const MutexLock waiting(waiting_mutex_);
  for (const bool values : {true, false}) {
    const std::byte* const end = rows.data() + rows.size();
    for (const std::byte* at = rows.data(); at != end;) {
      const model::RowView row{at};
      at += row.bytes();
      if ((row.samples() != 0) != values || !kept_out_.contains(row.group())) continue;
      if (auto status = let_in(row.group(), values); !status) full = std::move(status);
    }
  }
  return full;
}

Status Catalog::let_in(model::GroupId group, bool has_values) {
  check(model::to_int(group) < index.group_count(), "what is kept out is defined");
  const auto series = index.group_series(group);
  const auto is_gone = [this](model::SeriesId one) VARVE_REQUIRES(mutex) { return index.is_forgotten(one); };
  if (!has_values && std::ranges::all_of(series, is_gone)) return {};
  if (series.empty()) return fail(Code::invalid, "a series that was gone has left the index meanwhile; send it again");
  VARVE_RETURN_IF_ERROR(index.may_revive(group, series_max_));
  index.revive(group, definitions_);
  kept_out_.remove(group);
  return {};
}

void Catalog::keep_out(std::span<const model::GroupId> groups) {
  const MutexLock waiting(waiting_mutex_);
  for (const auto group : groups) kept_out_.add(group);
}

void Catalog::forget(std::span<const model::SeriesId> series) {
  std::vector<model::SeriesId> sure;
  std::vector<model::GroupId> groups;
  const MutexLock lock(mutex);
  const MutexLock waiting(waiting_mutex_);
  for (const auto one : series) {
    check(model::to_int(one) < index.series_end(), "what is forgotten was defined");
    index.groups(one, groups);
    bool all = true;
    for (const auto group : groups) all = all && kept_out_.contains(group);
    if (all) sure.push_back(one);
  }
  if (!sure.empty()) index.forget(sure, definitions_);
}

// The log brings rows back behind the records that revived their series, unless those were lost and left out.
void Catalog::revive_written(const Head& head) {
  const MutexLock lock(mutex);
  const MutexLock waiting(waiting_mutex_);
  std::vector<model::GroupId> groups;
  const auto end = static_cast<std::uint32_t>(index.series_end());
  for (std::uint32_t s = 0; s < end; ++s) {
    if (!index.is_forgotten(model::SeriesId{s})) continue;
    index.groups(model::SeriesId{s}, groups);
    for (const auto group : groups) {
      if (head.holds_values(group)) index.revive(group, definitions_);
    }
  }
  keep_out_forgotten();
}

void Catalog::keep_out_forgotten() {
  std::vector<model::GroupId> groups;
  for (std::uint32_t s = 0; s < index.series_end(); ++s) {
    if (!index.is_forgotten(model::SeriesId{s})) continue;
    index.groups(model::SeriesId{s}, groups);
    for (const auto group : groups) kept_out_.add(group);
  }
}

void Catalog::note_definitions(bool note) {
  const MutexLock waiting(waiting_mutex_);
  notes_ = note;
  noted_.clear();
  noted_from_ = definitions_.size();
}

void Catalog::note_pending() {
  if (notes_) noted_.append(definitions_, noted_from_);
  noted_from_ = definitions_.size();
}

std::string Catalog::take_noted() {
  const MutexLock waiting(waiting_mutex_);
  note_pending();
  return std::exchange(noted_, {});
}

// The groups of what has left stay kept out: nobody writes rows of them into the log.
Result<std::string> Catalog::exchange_index(index::SeriesIndex& other, std::string_view left_out) {
  const MutexLock lock(mutex);
  const MutexLock waiting(waiting_mutex_);
  note_pending();
  VARVE_RETURN_IF_ERROR(other.catch_up(std::as_bytes(std::span(noted_))));
  index.exchange(other);
  change_group_generation();  // what was found since the last change, and forgotten again, may have left
  definitions_ += left_out;
  return std::exchange(noted_, {});
}

}  // namespace varve::engine::rocksdb
