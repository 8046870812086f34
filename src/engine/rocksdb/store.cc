// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/store.h"

#include <algorithm>
#include <iterator>

#include "base/log.h"
#include "engine/rocksdb/beside.h"
#include "engine/rocksdb/recovery.h"
#include "engine/rocksdb/scan/scan.h"
#include "engine/rocksdb/slots_fit.h"
#include "engine/rocksdb/store_state.h"
#include "engine/shared/reader_turns.h"

namespace varve::engine::rocksdb {
namespace {

// Of windows of which nothing but histograms is wanted, those of series that never had one need not be looked at: which
// of the series these are. Empty: none.
std::vector<std::uint8_t> plain_series(const StatsTable& stats, std::span<const model::SeriesId> series,
                                       const storage::PieceSink& sink) {
  std::vector<std::uint8_t> plain;
  for (std::size_t i = 0; i < series.size(); ++i) {
    const storage::WindowFields fields = sink.window_fields(i);
    if (fields.numbers || !fields.histograms) continue;
    if (plain.empty()) plain.resize(series.size());
    plain[i] = 1;
  }
  for (std::size_t i = 0; i < plain.size(); ++i) {
    if (plain[i] != 0 && stats.of(series[i]).has(model::ValueType::histogram)) plain[i] = 0;
  }
  return plain;
}

// What `list` says of a page, in parts, so that nobody who defines series waits for all of them.
template <class List>
std::vector<std::string> list_in_parts(const index::NamePage& page, const List& list) {
  constexpr std::size_t kPart = 1024;
  std::vector<std::string> out;
  for (index::NamePage part = page;; part.after = out.back()) {
    part.limit = page.limit == 0 ? kPart : std::min(kPart, page.limit - out.size());
    auto names = list(part);
    const bool is_last = names.size() < part.limit;
    out.insert(out.end(), std::move_iterator(names.begin()), std::move_iterator(names.end()));
    if (is_last || out.size() == page.limit) return out;
  }
}

}  // namespace

Store::Store(std::unique_ptr<State> state) : state_(std::move(state)) {}

Store::~Store() = default;

Result<std::unique_ptr<Store>> Store::open(const Options& options, const Clock& clock) {
  VARVE_RETURN_IF_ERROR(options.rollups.check(options.slot_width_ms));
  // RocksDB takes the time for a number without a sign, and checks that it is none.
  if (clock.now_ms() < 0) return fail(Code::invalid, "the clock of this machine is before 1970: set it, then start");
  VARVE_ASSIGN_OR_RETURN(auto directory, Directory::open(options.path, options.slot_width_ms, options.repair));
  VARVE_ASSIGN_OR_RETURN(const auto segments, log_segments(directory.wal()));
  Database::Opening opening{directory.is_new(), options.repair, std::nullopt};
  if (!segments.empty()) opening.oldest_segment = segments.front();
  VARVE_ASSIGN_OR_RETURN(auto database, Database::open(directory.database(), options.at_step, opening));
  if (directory.is_new()) VARVE_RETURN_IF_ERROR(directory.write_format());
  VARVE_ASSIGN_OR_RETURN(const LevelList known, known_levels(*database));
  std::unique_ptr<Store> store(
      new Store(std::make_unique<State>(options, known, clock, std::move(directory), std::move(database))));
  VARVE_RETURN_IF_ERROR(store->state_->start(*store));
  store->state_->remember_levels(known);
  store->state_->directory.add_sum();
  return store;
}

Status Store::State::start(Store& store) {
  VARVE_ASSIGN_OR_RETURN(recovery, recover(env, directory, catalog, visible, tables, ingest));
  if (directory.format_is_damaged()) VARVE_RETURN_IF_ERROR(repair_format());
  tables.database().drop_old_definitions();
  tables.database().complete_copies();
  VARVE_RETURN_IF_ERROR(maintenance.recover());
  if (recovery.is_partial()) VARVE_RETURN_IF_ERROR(flush.all());
  if (env.options.repair) {
    VARVE_ASSIGN_OR_RETURN(recovery.taken_rows, take_in_aside(directory, catalog, ingest, flush, store));
  }
  // It shares the processors with large requests as their equal: neither may keep the other waiting. Queries go first.
  maintainer.start("a round of maintenance failed", [this] { return maintenance.once(); }, Worker::Priority::low);
  // At full priority: it must keep up with whoever parses, or writes wait.
  flusher.start("a flush failed", [this] {
    slabs.shrink(env.clock.steady_ns());
    tables.drop_unused(env.clock.steady_ns());
    return flush.once();
  });
  ingest.start();
  return {};
}

Status Store::State::repair_format() {
  VARVE_RETURN_IF_ERROR(slots_fit(*tables.runs(), env.chunk_width_ms));
  VARVE_RETURN_IF_ERROR(directory.write_format());
  log::warn("FORMAT was damaged and is written anew: the data fit the slots.width that is configured",
            {{"path", env.options.path}, {"slot_width_ms", env.options.slot_width_ms}});
  return {};
}

void Store::State::remember_levels(const LevelList& known) {
  for (const rollup::Level& level : env.former) {
    if (env.former_stored_ms(level.width_ms) == Env::kAtOnce) continue;
    const auto runs = visible.runs();
    const bool any =
        std::ranges::any_of(runs->slots, [&](const auto& slot) { return slot.first.granularity_ms == level.width_ms; });
    if (!any) continue;
    log::warn(
        "a granularity is not in `rollups` any more: its windows stay until their retention is over; to drop them now, "
        "configure its retention as 0",
        {{"granularity_seconds", level.width_ms / 1000}, {"retention_days", level.retention_ms / model::kDayMs}});
  }
  const LevelList all = with_configured(known, env.options.rollups.levels);
  if (all == known) return;
  if (auto status = store_known_levels(tables.database(), all); !status) {
    log::warn("the granularities are not noted for the next start", {{"error", status.error().message}});
  }
}

// Nothing comes in any more, then nothing is moved, then the log has its last sync.
Store::State::~State() {
  ingest.refuse();
  maintainer.stop();
  maintenance.store_time();
  flusher.stop();
  ingest.stop();
}

const RecoveryReport& Store::recovery() const { return state_->recovery; }

std::uint64_t Store::damaged_tables() const { return state_->tables.database().damaged_tables(); }
std::uint64_t Store::copies_read() { return Database::copies_read(); }
bool Store::compacts() const { return state_->tables.database().compacts(); }

// --- series

Result<model::TenantId> Store::tenant(std::string_view name) {
  if (const auto known = *find_tenant(name)) return *known;
  return state_->catalog.tenant(name);
}

Result<std::optional<model::TenantId>> Store::find_tenant(std::string_view name) const {
  const ReaderLock lock(state_->catalog.mutex);
  return state_->catalog.index.find_tenant(name);
}

Result<std::vector<std::string>> Store::tenants() const {
  const ReaderLock lock(state_->catalog.mutex);
  return state_->catalog.index.tenants();
}

Result<model::GroupId> Store::define_group(model::TenantId tenant, const model::TagViews& tags,
                                           std::span<const std::string_view> metrics, std::uint32_t ttl_s) {
  return state_->catalog.define_group(tenant, tags, metrics, ttl_s);
}

index::GroupNames Store::group_names(model::GroupId group) const {
  const ReaderLock lock(state_->catalog.mutex);
  return state_->catalog.index.group_names(group);
}

std::uint64_t Store::group_generation() const { return state_->catalog.group_generation(); }

Result<std::vector<model::SeriesId>> Store::select(model::TenantId tenant, std::string_view metric,
                                                   const index::Matchers& matchers, model::TimeRange seen,
                                                   const storage::GoOn& go_on) const {
  const Catalog& catalog = state_->catalog;
  const auto beside = [&] { return series_beside(state_->visible.now(), catalog, seen); };
  const ReaderLock lock(catalog.mutex);
  shared::ReaderTurns turns(catalog.mutex, go_on);
  return catalog.index.select(tenant, metric, matchers, beside, &turns);
}

std::vector<model::Tags> Store::tags(model::TenantId tenant, std::span<const model::SeriesId> series) const {
  const Catalog& catalog = state_->catalog;
  std::vector<model::Tags> out;
  out.reserve(series.size());
  for_each_in_pieces(catalog.mutex, series.size(), [&](std::size_t i) VARVE_REQUIRES_SHARED(catalog.mutex) {
    // A series of another tenant has no tags here.
    out.push_back(catalog.index.series_tenant(series[i]) == tenant ? catalog.index.tags(series[i]) : model::Tags{});
  });
  return out;
}

Result<std::vector<std::string>> Store::metric_names(model::TenantId tenant, const index::NamePage& page) const {
  return list_in_parts(page, [&](const index::NamePage& part) {
    const ReaderLock lock(state_->catalog.mutex);
    return state_->catalog.index.metric_names(tenant, part);
  });
}

Result<std::vector<std::string>> Store::tag_keys(model::TenantId tenant, std::string_view metric,
                                                 const index::NamePage& page) const {
  return list_in_parts(page, [&](const index::NamePage& part) {
    const ReaderLock lock(state_->catalog.mutex);
    return state_->catalog.index.tag_keys(tenant, metric, part);
  });
}

Result<std::vector<std::string>> Store::tag_values(model::TenantId tenant, std::string_view metric,
                                                   std::string_view key, const index::NamePage& page) const {
  return list_in_parts(page, [&](const index::NamePage& part) {
    const ReaderLock lock(state_->catalog.mutex);
    return state_->catalog.index.tag_values(tenant, metric, key, part);
  });
}

std::size_t Store::series_count() const {
  const ReaderLock lock(state_->catalog.mutex);
  return state_->catalog.index.series_count();
}

std::size_t Store::series_count(model::TenantId tenant) const {
  const ReaderLock lock(state_->catalog.mutex);
  return state_->catalog.index.series_count(tenant);
}

// --- samples

void Store::append(const model::RowBatch& batch, storage::SampleStore::AppendDone done) {
  if (batch.empty()) return done({});
  const auto append = [this](const model::RowBatch& fitting, storage::SampleStore::AppendDone fitting_done) {
    state_->ingest.append(fitting.bytes(), std::move(fitting_done));
  };
  storage::append_fitting(state_->catalog.row_check, batch, std::move(done), append);
}

Status Store::scan(model::TenantId tenant, std::span<const model::SeriesId> series, const storage::ScanOptions& options,
                   storage::PieceSink& sink) {
  if (series.empty() || options.range.empty()) return {};
  const bool windows = options.windows && !state_->env.options.rollups.levels.empty();
  const auto* rollups = windows ? &state_->env.options.rollups : nullptr;
  std::vector<std::uint8_t> counters(windows ? series.size() : 0);
  std::vector<Place> places;
  places.reserve(series.size());
  std::vector<index::Place> of_one;
  const Catalog& catalog = state_->catalog;
  for_each_in_pieces(catalog.mutex, series.size(), [&](std::size_t i) VARVE_REQUIRES_SHARED(catalog.mutex) {
    if (catalog.index.series_tenant(series[i]) != tenant) return;
    catalog.index.places(series[i], of_one);
    if (rollups != nullptr) {
      counters[i] = rollups->kind_of(catalog.index.metric(series[i])) == rollup::Kind::counter ? 1 : 0;
    }
    const auto number = static_cast<std::uint32_t>(i);
    const auto kept = catalog.retentions.class_of(catalog.index, series[i]);
    for (const auto& place : of_one) {
      places.push_back({model::to_int(place.group), place.column, number, place.ttl_s, kept});
    }
  });
  const View view = state_->visible.with_snapshot(state_->tables.database());
  const auto plain = windows ? plain_series(*view.stats, series, sink) : std::vector<std::uint8_t>();
  ScanSource source = state_->tables.source(view, tenant);
  source.fills_cache = true;
  source.rollups = rollups;
  source.series = series;
  source.counters = counters;
  source.plain = plain;
  return scan_places(source, std::move(places), options, state_->scan_pool, sink);
}

Result<storage::EraseReport> Store::erase(model::TenantId tenant, std::span<const model::SeriesId> series,
                                          model::TimeRange range, const std::atomic<bool>* cancelled) {
  return state_->maintenance.erase(tenant, series, range, cancelled);
}

Result<storage::SettleReport> Store::settle() { return state_->maintenance.settle(); }

void Store::forget_empty(model::TenantId tenant, std::span<const model::SeriesId> series) {
  state_->maintenance.forget_empty(tenant, series);
}

double Store::backlog_percent() const { return state_->ingest.percent(); }

std::int64_t Store::unsynced_ms() const { return state_->ingest.unsynced_ms(); }

storage::StorageBytes Store::storage_bytes() const {
  storage::StorageBytes bytes;
  bytes.wal = state_->ingest.log_bytes();
  bytes.sealed = state_->tables.database().bytes();
  const View now = state_->visible.now();
  bytes.rollup = now.runs->rollup_bytes();
  bytes.message = now.runs->message_bytes();
  bytes.sealed -= std::min(bytes.sealed, bytes.rollup + bytes.message);
  bytes.index = now.stats->memory_bytes();
  bytes.hot = now.head->memory_bytes() + (now.immutable ? now.immutable->memory_bytes() : 0);
  const ReaderLock lock(state_->catalog.mutex);
  bytes.index += state_->catalog.index.memory_bytes();
  return bytes;
}

}  // namespace varve::engine::rocksdb
