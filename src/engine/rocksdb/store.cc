// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/store.h"

#include <algorithm>

#include "engine/rocksdb/scan/scan.h"
#include "engine/rocksdb/store_state.h"

namespace varve::engine::rocksdb {

constexpr std::size_t kLivesUnderLock = 1024;  // appends wait while their types are looked up

Store::Store(std::unique_ptr<State> state) : state_(std::move(state)) {}

Store::~Store() {
  {
    const std::lock_guard lock(state_->append_mutex);
    state_->admits = false;
  }
  state_->room.notify_all();
  state_->maintenance.stop();
  state_->flusher.stop();
  if (state_->admitter.joinable()) state_->admitter.join();
  if (state_->log) state_->log->stop();
}

Result<std::unique_ptr<Store>> Store::open(const Options& options, const Clock& clock) {
  VARVE_CHECK_OK(options.rollups.check(options.slot_width_ms));
  auto state = std::make_unique<State>(options, clock);
  VARVE_TRY(state->directory, Directory::open(options.path, options.slot_width_ms));
  VARVE_TRY(state->database, Database::open(state->directory.database(), options.at_step));
  VARVE_CHECK_OK(state->recover());
  State* const shared = state.get();
  std::unique_ptr<Store> store(new Store(std::move(state)));
  if (options.repair) VARVE_CHECK_OK(shared->take_in_aside(*store));
  // At full priority: they must keep up with whoever parses, or slots pile up.
  shared->maintenance.start("a round of maintenance failed", [shared] { return shared->maintain_once(); });
  shared->flusher.start("a flush failed", [shared] { return shared->flush_once(); });
  shared->admitter = std::thread([shared] { shared->admit(); });
  return store;
}

const RecoveryReport& Store::recovery() const { return state_->recovery; }

// --- series

Result<model::TenantId> Store::tenant(std::string_view name) {
  if (const auto known = *find_tenant(name)) return *known;
  const std::unique_lock lock(state_->index_mutex);
  const std::lock_guard definitions(state_->definitions_mutex);
  return state_->index.tenant(name, state_->pending_definitions);
}

Result<std::optional<model::TenantId>> Store::find_tenant(std::string_view name) const {
  const std::shared_lock lock(state_->index_mutex);
  return state_->index.find_tenant(name);
}

Result<std::vector<std::string>> Store::tenants() const {
  const std::shared_lock lock(state_->index_mutex);
  return state_->index.tenants();
}

Result<model::GroupId> Store::define_group(model::TenantId tenant, const model::TagViews& tags,
                                           std::span<const std::string_view> metrics, std::uint32_t ttl_s) {
  const std::unique_lock lock(state_->index_mutex);
  const std::lock_guard definitions(state_->definitions_mutex);
  VARVE_TRY(const auto group, state_->index.define_group(tenant, tags, metrics, state_->options.series_per_tenant_max,
                                                         state_->pending_definitions, ttl_s));
  state_->shared_groups.catch_up(state_->index);
  return group;
}

index::GroupNames Store::group_names(model::GroupId group) const {
  const std::shared_lock lock(state_->index_mutex);
  return state_->index.group_names(group);
}

Result<std::vector<model::SeriesId>> Store::select(model::TenantId tenant, std::string_view metric,
                                                   const index::Matchers& matchers) const {
  const std::shared_lock lock(state_->index_mutex);
  return state_->index.select(tenant, metric, matchers);
}

std::vector<model::Tags> Store::tags(model::TenantId tenant, std::span<const model::SeriesId> series) const {
  const std::shared_lock lock(state_->index_mutex);
  std::vector<model::Tags> out;
  out.reserve(series.size());
  for (const auto id : series) {
    // A series of another tenant has no tags here.
    out.push_back(state_->index.series_tenant(id) == tenant ? state_->index.tags(id) : model::Tags{});
  }
  return out;
}

Result<std::vector<std::string>> Store::metric_names(model::TenantId tenant, std::string_view prefix,
                                                     std::size_t limit) const {
  const std::shared_lock lock(state_->index_mutex);
  return state_->index.metric_names(tenant, prefix, limit);
}

Result<std::vector<std::string>> Store::tag_keys(model::TenantId tenant, std::string_view metric) const {
  const std::shared_lock lock(state_->index_mutex);
  return state_->index.tag_keys(tenant, metric);
}

Result<std::vector<std::string>> Store::tag_values(model::TenantId tenant, std::string_view metric,
                                                   std::string_view key) const {
  const std::shared_lock lock(state_->index_mutex);
  return state_->index.tag_values(tenant, metric, key);
}

std::size_t Store::series_count() const {
  const std::shared_lock lock(state_->index_mutex);
  return state_->index.series_count();
}

std::size_t Store::series_count(model::TenantId tenant) const {
  const std::shared_lock lock(state_->index_mutex);
  return state_->index.series_count(tenant);
}

// --- samples

void Store::append(const model::RowBatch& batch, AppendDone done) {
  if (batch.empty()) return done({});
  state_->append(batch.bytes(), std::move(done));
}

// Of windows of which nothing but histograms is wanted, those of series that never had one need not be looked at: which
// of the series these are. Empty: none.
std::vector<std::uint8_t> Store::State::plain_series(std::span<const model::SeriesId> series,
                                                     const storage::PieceSink& sink) {
  std::vector<std::uint8_t> plain;
  for (std::size_t i = 0; i < series.size(); ++i) {
    const storage::WindowFields fields = sink.window_fields(i);
    if (fields.numbers || !fields.histograms) continue;
    if (plain.empty()) plain.resize(series.size());
    plain[i] = 1;
  }
  for (std::size_t first = 0; first < plain.size(); first += kLivesUnderLock) {
    const std::lock_guard lock(append_mutex);
    for (std::size_t i = first; i < std::min(plain.size(), first + kLivesUnderLock); ++i) {
      if (plain[i] != 0 && lives.of(series[i]).has(model::ValueType::histogram)) plain[i] = 0;
    }
  }
  return plain;
}

Status Store::scan(model::TenantId tenant, std::span<const model::SeriesId> series, const storage::ScanOptions& options,
                   storage::PieceSink& sink) {
  if (series.empty() || options.range.empty()) return {};
  const bool windows = options.windows && !state_->options.rollups.levels.empty();
  const auto* rollups = windows ? &state_->options.rollups : nullptr;
  std::vector<std::uint8_t> counters(windows ? series.size() : 0);
  std::vector<Place> places;
  places.reserve(series.size());
  {
    std::vector<index::Place> of_one;
    const std::shared_lock lock(state_->index_mutex);
    for (std::uint32_t i = 0; i < series.size(); ++i) {
      if (state_->index.series_tenant(series[i]) != tenant) continue;
      state_->index.places(series[i], of_one);
      if (rollups != nullptr) {
        const auto metric = state_->index.metric(series[i]);
        counters[i] = state_->options.rollups.kind_of(metric) == rollup::Kind::counter ? 1 : 0;
      }
      for (const auto& place : of_one) places.push_back({model::to_int(place.group), place.column, i, place.ttl_s});
    }
  }
  const std::vector<std::uint8_t> plain = windows ? state_->plain_series(series, sink) : std::vector<std::uint8_t>();
  const View view = state_->view();
  const ScanSource source{view,   state_->append_mutex, *state_->database, state_->cache, state_->clock,
                          tenant, state_->chunk_width,  rollups,           series,        counters,
                          plain};
  return scan_places(source, std::move(places), options, state_->scan_pool, sink);
}

storage::StorageBytes Store::storage_bytes() const {
  storage::StorageBytes bytes;
  bytes.wal = state_->log->bytes();
  bytes.sealed = state_->database->bytes();
  const auto runs = state_->runs_now();
  for (const auto& [slot, of_slot] : runs->slots) {
    if (slot.granularity_ms == 0) continue;
    for (const auto& run : of_slot.runs) bytes.rollup += run->bytes;
  }
  bytes.sealed -= std::min(bytes.sealed, bytes.rollup);
  {
    const std::lock_guard lock(state_->append_mutex);
    bytes.index = state_->lives.memory_bytes();
    bytes.hot = state_->head->memory_bytes() + (state_->frozen ? state_->frozen->memory_bytes() : 0);
  }
  const std::shared_lock lock(state_->index_mutex);
  bytes.index += state_->index.memory_bytes();
  return bytes;
}

}  // namespace varve::engine::rocksdb
