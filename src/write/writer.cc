// SPDX-License-Identifier: Apache-2.0
#include "write/writer.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/mutex.h"
#include "model/tenant.h"
#include "write/group_table.h"
#include "write/new_tenant.h"
#include "write/refusals.h"
#include "write/seconds_watch.h"
#include "write/tenant_figures.h"
#include "write/tenant_limit.h"

namespace varve::write {
namespace {

constexpr auto kFamilies = static_cast<std::size_t>(Family::end);
constexpr std::size_t kSpareBatches = 16;
constexpr std::size_t kSpareBatchBytes = std::size_t{8} << 20;  // a larger one is not worth keeping
constexpr std::size_t kCodes = static_cast<std::size_t>(Code::too_old) + 1;

const char* name_of(Family family) {
  switch (family) {
    case Family::influx: return "influx";
    case Family::remote_write: return "remote_write";
    case Family::kairosdb: return "kairosdb";
    case Family::opentsdb: return "opentsdb";
    case Family::telnet: return "telnet";
    case Family::snmp: return "snmp";
    case Family::otlp: return "otlp";
    case Family::end: break;
  }
  return "";
}

const char* reason_of(Code code) {
  switch (code) {
    case Code::invalid: return "invalid";
    case Code::not_found: return "not_found";
    case Code::too_large: return "too_large";
    case Code::limit: return "limit";
    case Code::unavailable: return "unavailable";
    case Code::timeout: return "timeout";
    case Code::cancelled: return "cancelled";
    case Code::unsupported: return "unsupported";
    case Code::corrupt: return "corrupt";
    case Code::conflict: return "conflict";
    case Code::io: return "io";
    case Code::too_old: return "too_old";
  }
  return "unknown";
}

struct Counters {
  Counter* accepted = nullptr;
  Counter* markers = nullptr;
  std::array<Counter*, kCodes> rejected{};

  explicit Counters(Metrics* metrics) {
    if (metrics == nullptr) return;
    accepted = &metrics->counter("varve_samples_accepted_total", "Samples taken in durably.");
    markers = &metrics->counter("varve_stale_markers_total", "Staleness markers taken in durably.");
    for (std::size_t i = 0; i < kCodes; ++i) {
      rejected[i] = &metrics->counter("varve_samples_rejected_total", "Samples, lines or points refused, by reason.",
                                      {{"reason", reason_of(static_cast<Code>(i))}});
    }
  }
  void count(const Status& status, std::size_t samples, std::size_t stale_markers) const {
    if (accepted == nullptr) return;
    if (status) markers->add(stale_markers);
    (status ? accepted : rejected[static_cast<std::size_t>(status.error().code)])->add(samples);
  }
};

// What a tenant's requests share. Tenants stay: the store does not forget them either.
struct Tenant {
  model::TenantId id{};
  // Where there is none yet, or it was not used for long, the next request makes one.
  std::array<std::shared_ptr<GroupTable>, kFamilies> tables;
};

}  // namespace

struct Writer::State {
  State(storage::SeriesStore& series, storage::SampleStore& samples_, const Options& options)
      : context{series, options.tag_limits, static_cast<std::int64_t>(options.name_bytes_max), {}, options.shorter.of},
        samples(samples_),
        clock(options.clock),
        kept_ms(options.kept_ms),
        shorter_ms(options.shorter.kept_ms),
        counters(options.metrics),
        seconds(options.clock, options.metrics),
        limit(options.tenants_max, options.uncounted_tenant),
        has_messages(options.has_messages),
        refusals(options.refusals),
        figures(options.figures),
        no_tenant(context, model::TenantId{}) {}

  [[nodiscard]] bool knows(std::string_view name) {
    const ReaderLock lock(tenants_mutex);
    return tenants.contains(name);
  }

  // nullptr: nothing was written to it since the start.
  std::shared_ptr<GroupTable> find_table(std::string_view name, std::size_t family) {
    std::shared_ptr<GroupTable> table;
    {
      const ReaderLock lock(tenants_mutex);
      const auto at = tenants.find(name);
      if (at == tenants.end()) return nullptr;
      table = at->second.tables[family];
    }
    if (table == nullptr || !table->is_current()) table = make_table(name, family);
    if (clock != nullptr) table->used_ns.store(clock->steady_ns(), std::memory_order_relaxed);
    return table;
  }

  Status make_tenant(std::string_view name) {
    VARVE_RETURN_IF_ERROR(limit.admit(name));
    VARVE_ASSIGN_OR_RETURN(const model::TenantId id, context.series.tenant(name));
    const MutexLock lock(tenants_mutex);
    tenants.try_emplace(std::string(name)).first->second.id = id;
    return {};
  }

  // Of a tenant that is known. The one before is freed by the last request that uses it.
  std::shared_ptr<GroupTable> make_table(std::string_view name, std::size_t family) {
    std::shared_ptr<GroupTable> before;  // freed without the lock
    const MutexLock lock(tenants_mutex);
    const auto at = tenants.find(name);
    check(at != tenants.end(), "a tenant that is known stays so");
    auto& table = at->second.tables[family];
    if (table == nullptr || !table->is_current()) {
      before = std::exchange(table, std::make_shared<GroupTable>(context, at->second.id, name));
    }
    return table;
  }

  void forget_unused(std::int64_t before_ns) {
    std::vector<std::shared_ptr<GroupTable>> unused;  // freed without the lock, by the last request that uses them
    const MutexLock lock(tenants_mutex);
    for (auto& [name, tenant] : tenants) {
      for (auto& table : tenant.tables) {
        if (table != nullptr && table->used_ns < before_ns) unused.push_back(std::move(table));
      }
    }
  }

  [[nodiscard]] model::Timestamp kept_from(std::int64_t for_ms) const {
    if (clock == nullptr || for_ms == kForEverMs) return model::kTimestampMin;
    return std::max(clock->now_ms() - for_ms, model::kTimestampMin);
  }

  void set_kept_from(model::RowBatch& batch) const {
    std::vector<model::Timestamp> of_groups;
    for (const std::int64_t for_ms : shorter_ms) of_groups.push_back(kept_from(for_ms));
    batch.set_kept_from(kept_from(kept_ms), of_groups);
  }

  // Rows that were old when they came go into groups that live longer by that.
  Status prolong(model::RowBatch& batch) const {
    if (clock == nullptr || batch.mortal_rows().empty()) return {};
    const model::Timestamp now = clock->now_ms();
    model::GroupId group = model::kNoGroup;  // of the row before that was old
    std::uint32_t ttl_s = 0;
    model::GroupId other{};
    for (const auto& mortal : batch.mortal_rows()) {
      const model::RowView row = batch.row_at(mortal.at);
      const std::uint32_t longer = model::ttl_s_of_age(mortal.ttl_s, row.time(), now);
      if (longer == mortal.ttl_s) continue;
      if (row.group() != group || longer != ttl_s) {
        VARVE_ASSIGN_OR_RETURN(other, context.series.group_of_ttl(row.group(), longer));
        group = row.group();
        ttl_s = longer;
      }
      batch.regroup(mortal.at, other);
    }
    return {};
  }

  model::RowBatch take_batch() {
    model::RowBatch batch;
    {
      const MutexLock lock(spare_mutex);
      if (!spare.empty()) {
        batch = std::move(spare.back());
        spare.pop_back();
      }
    }
    set_kept_from(batch);
    return batch;
  }

  void give_back(model::RowBatch batch) {
    if (batch.bytes().size() > kSpareBatchBytes) return;
    batch.clear();
    const MutexLock lock(spare_mutex);
    if (spare.size() < kSpareBatches) spare.push_back(std::move(batch));
  }

  TableContext context;
  storage::SampleStore& samples;
  const Clock* const clock;
  const std::int64_t kept_ms;
  const std::vector<std::int64_t> shorter_ms;
  Counters counters;
  SecondsWatch seconds;
  TenantLimit limit;
  const std::function<bool(std::string_view)> has_messages;
  Refusals* const refusals;
  TenantFigures* const figures;
  GroupTable no_tenant;  // checks names for those that are not there yet; defines nothing

  SharedMutex tenants_mutex;
  std::map<std::string, Tenant, std::less<>> tenants VARVE_GUARDED_BY(tenants_mutex);  // addresses stay

  Mutex spare_mutex;
  std::vector<model::RowBatch> spare VARVE_GUARDED_BY(spare_mutex);
};

namespace {

template <class State>
class TableIngest final : public Ingest {
 public:
  TableIngest(State& state, std::string_view tenant, Family family, std::shared_ptr<model::GroupSource> table)
      : Ingest(tenant, family),
        state_(state),
        table_(std::move(table)),
        generation_(state.context.retired.enter()),
        batch_(state.take_batch()),
        groups_(*table_) {}
  // Of a tenant that is to be made.
  TableIngest(State& state, std::string_view tenant, Family family, NewTenant::Birth birth, NewTenant::Exists exists,
              NewTenant::Kept kept)
      : Ingest(tenant, family),
        state_(state),
        generation_(state.context.retired.enter()),
        batch_(state.take_batch()),
        new_tenant_(std::in_place, batch_, state.no_tenant, std::move(birth), std::move(exists), std::move(kept)),
        groups_(*new_tenant_) {}
  ~TableIngest() override {
    state_.context.retired.leave(generation_);
    state_.give_back(std::move(batch_));
  }
  TableIngest(const TableIngest&) = delete;
  TableIngest& operator=(const TableIngest&) = delete;

  model::GroupSource& groups() override { return groups_; }
  model::RowBatch& batch() override { return batch_; }
  Status settle() override { return new_tenant_ ? new_tenant_->settle() : Status(); }

 private:
  State& state_;
  const std::shared_ptr<model::GroupSource> table_;  // is there as long as somebody uses it; of a known tenant
  unsigned generation_;
  model::RowBatch batch_;
  std::optional<NewTenant> new_tenant_;
  model::GroupSource& groups_;
};

}  // namespace

Writer::Writer(storage::SeriesStore& series, storage::SampleStore& samples, Options options)
    : state_(std::make_unique<State>(series, samples, options)) {}
Writer::~Writer() = default;

Result<std::unique_ptr<Ingest>> Writer::open(std::string_view tenant, Family family) {
  const auto place = static_cast<std::size_t>(family);
  check(place < kFamilies, "each family has its tables");
  if (auto known = state_->find_table(tenant, place)) {
    return std::make_unique<TableIngest<State>>(*state_, tenant, family, std::move(known));
  }
  if (!model::is_tenant_name(tenant)) return fail(Code::invalid, "'" + std::string(tenant) + "' is not a tenant name");
  VARVE_RETURN_IF_ERROR(model::check_writable(tenant));
  const auto birth = [state = state_.get(), name = std::string(tenant),
                      place]() -> Result<std::shared_ptr<model::GroupSource>> {
    VARVE_RETURN_IF_ERROR(state->make_tenant(name));
    return state->find_table(name, place);
  };
  const auto exists = [state = state_.get(), name = std::string(tenant)]() -> Result<bool> {
    VARVE_ASSIGN_OR_RETURN(const auto known, state->context.series.find_tenant(name));
    return known.has_value();
  };
  const auto kept = [state = state_.get(), name = std::string(tenant)](const auto& tags, const auto& metrics) {
    return state->context.kept(name, tags, metrics);
  };
  return std::make_unique<TableIngest<State>>(*state_, tenant, family, birth, exists, kept);
}

Status Writer::make_tenant(std::string_view tenant) {
  if (state_->knows(tenant)) return {};
  if (!model::is_tenant_name(tenant)) return fail(Code::invalid, "'" + std::string(tenant) + "' is not a tenant name");
  return state_->make_tenant(tenant);
}

Status Writer::room_for(std::string_view tenant) const {
  return state_->knows(tenant) ? Status() : state_->limit.check(tenant);
}

Status Writer::count_tenants() {
  storage::SeriesStore& series = state_->context.series;
  VARVE_ASSIGN_OR_RETURN(auto tenants, series.tenants());
  if (series.in_memory()) {
    std::erase_if(tenants, [&](const std::string& name) {
      const auto id = series.find_tenant(name);
      if (!id || !*id || series.series_count(**id) != 0) return false;
      return !state_->has_messages || !state_->has_messages(name);
    });
  }
  state_->limit.set(tenants);
  return {};
}

bool Writer::has_refused_tenants() const { return state_->limit.has_refused(); }

void Writer::commit(std::unique_ptr<Ingest> ingest, storage::SampleStore::AppendDone done) {
  model::RowBatch& batch = ingest->batch();
  if (batch.empty()) {
    ingest.reset();
    return done({});
  }
  state_->seconds.look(ingest->tenant(), name_of(ingest->family()), batch);
  auto told = [state = state_.get(), samples = batch.samples(), markers = batch.markers(),
               bytes = batch.bytes().size()](const Status& status) {
    state->counters.count(status, samples, markers);
    if (state->refusals != nullptr) state->refusals->note(status, bytes);
    return samples;
  };
  Status ready = ingest->settle();
  if (ready) ready = state_->prolong(batch);
  if (!ready) {
    told(ready);
    return done(std::move(ready));
  }
  // A tenant that is refused has no figures.
  Counter* const own = state_->figures == nullptr ? nullptr : &state_->figures->samples(ingest->tenant());
  state_->samples.append(batch, [told, own, done = std::move(done)](Status status) {
    const std::size_t samples = told(status);
    if (status && own != nullptr) own->add(samples);
    done(std::move(status));
  });
}

void Writer::forget_unused() {
  if (state_->clock != nullptr) state_->forget_unused(state_->clock->steady_ns() - kUnusedNs);
}

std::uint64_t Writer::group_generation() const { return state_->context.series.group_generation(); }

void Writer::count_rejected(Code why, std::size_t count) {
  if (state_->counters.accepted != nullptr && count > 0) {
    state_->counters.rejected[static_cast<std::size_t>(why)]->add(count);
  }
}

}  // namespace varve::write
