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
#include "write/tenant_limit.h"

namespace varve::write {
namespace {

constexpr auto kFamilies = static_cast<std::size_t>(Family::end);
constexpr std::size_t kSpareBatches = 16;
constexpr std::size_t kSpareBatchBytes = std::size_t{8} << 20;  // a larger one is not worth keeping
constexpr std::size_t kCodes = static_cast<std::size_t>(Code::too_old) + 1;

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
  std::array<Counter*, kCodes> rejected{};

  explicit Counters(Metrics* metrics) {
    if (metrics == nullptr) return;
    accepted = &metrics->counter("varve_samples_accepted_total", "Samples taken in durably.");
    for (std::size_t i = 0; i < kCodes; ++i) {
      rejected[i] = &metrics->counter("varve_samples_rejected_total", "Samples, lines or points refused, by reason.",
                                      {{"reason", reason_of(static_cast<Code>(i))}});
    }
  }
  void count(const Status& status, std::size_t samples) const {
    if (accepted == nullptr) return;
    (status ? accepted : rejected[static_cast<std::size_t>(status.error().code)])->add(samples);
  }
};

// What a tenant's requests share. Never removed: the store does not forget tenants either.
struct Tenant {
  model::TenantId id{};
  std::array<std::unique_ptr<GroupTable>, kFamilies> tables;
};

}  // namespace

struct Writer::State {
  State(storage::SeriesStore& series, storage::SampleStore& samples_, const Options& options)
      : context{series, options.tag_limits, static_cast<std::int64_t>(options.name_bytes_max), {}},
        samples(samples_),
        clock(options.clock),
        kept_ms(options.kept_ms),
        counters(options.metrics),
        limit(options.tenants_max, options.uncounted_tenant),
        has_messages(options.has_messages),
        no_tenant(context, model::TenantId{}) {}

  // nullptr: nothing was written to it since the start.
  Tenant* find_tenant(std::string_view name) {
    const ReaderLock lock(tenants_mutex);
    const auto at = tenants.find(name);
    return at == tenants.end() ? nullptr : &at->second;
  }

  Result<Tenant*> make_tenant(std::string_view name) {
    VARVE_RETURN_IF_ERROR(limit.admit(name));
    VARVE_ASSIGN_OR_RETURN(const model::TenantId id, context.series.tenant(name));
    const MutexLock lock(tenants_mutex);
    const auto [at, is_new] = tenants.try_emplace(std::string(name));
    if (is_new) {
      at->second.id = id;
      for (auto& table : at->second.tables) table = std::make_unique<GroupTable>(context, id);
    }
    return &at->second;
  }

  [[nodiscard]] model::Timestamp kept_from() const {
    if (clock == nullptr || kept_ms == kForEverMs) return model::kTimestampMin;
    return std::max(clock->now_ms() - kept_ms, model::kTimestampMin);
  }

  // Rows that were old when they came go into groups that live longer by that.
  Status prolong(model::RowBatch& batch) const {
    if (clock == nullptr || batch.mortal_rows().empty()) return {};
    const model::Timestamp now = clock->now_ms();
    const model::LineGroup* group = nullptr;  // of the row before that was old
    std::uint32_t ttl_s = 0;
    model::GroupId other{};
    for (const auto& row : batch.mortal_rows()) {
      const std::uint32_t longer = model::ttl_s_of_age(row.group->ttl_s, batch.row_at(row.at).time(), now);
      if (longer == row.group->ttl_s) continue;
      if (row.group != group || longer != ttl_s) {
        VARVE_ASSIGN_OR_RETURN(other, context.series.group_of_ttl(row.group->id, longer));
        group = row.group;
        ttl_s = longer;
      }
      batch.regroup(row.at, other);
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
    batch.set_kept_from(kept_from());
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
  Counters counters;
  TenantLimit limit;
  const std::function<bool(std::string_view)> has_messages;
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
  TableIngest(State& state, model::GroupSource& table)
      : state_(state), generation_(state.context.retired.enter()), batch_(state.take_batch()), table_(table) {}
  // Of a tenant that is to be made.
  TableIngest(State& state, NewTenant::Birth birth)
      : state_(state),
        generation_(state.context.retired.enter()),
        batch_(state.take_batch()),
        new_tenant_(std::in_place, batch_, state.no_tenant, std::move(birth)),
        table_(*new_tenant_) {}
  ~TableIngest() override {
    state_.context.retired.leave(generation_);
    state_.give_back(std::move(batch_));
  }
  TableIngest(const TableIngest&) = delete;
  TableIngest& operator=(const TableIngest&) = delete;

  model::GroupSource& groups() override { return table_; }
  model::RowBatch& batch() override { return batch_; }
  Status settle() override { return new_tenant_ ? new_tenant_->settle() : Status(); }

 private:
  State& state_;
  unsigned generation_;
  model::RowBatch batch_;
  std::optional<NewTenant> new_tenant_;
  model::GroupSource& table_;
};

}  // namespace

Writer::Writer(storage::SeriesStore& series, storage::SampleStore& samples, Options options)
    : state_(std::make_unique<State>(series, samples, options)) {}
Writer::~Writer() = default;

Result<std::unique_ptr<Ingest>> Writer::open(std::string_view tenant, Family family) {
  const auto place = static_cast<std::size_t>(family);
  check(place < kFamilies, "each family has its tables");
  if (Tenant* const known = state_->find_tenant(tenant)) {
    return std::make_unique<TableIngest<State>>(*state_, *known->tables[place]);
  }
  if (!model::is_tenant_name(tenant)) return fail(Code::invalid, "'" + std::string(tenant) + "' is not a tenant name");
  VARVE_RETURN_IF_ERROR(model::check_writable(tenant));
  const auto birth = [state = state_.get(), name = std::string(tenant), place]() -> Result<model::GroupSource*> {
    VARVE_ASSIGN_OR_RETURN(Tenant* const made, state->make_tenant(name));
    return made->tables[place].get();
  };
  return std::make_unique<TableIngest<State>>(*state_, birth);
}

Status Writer::make_tenant(std::string_view tenant) {
  if (state_->find_tenant(tenant) != nullptr) return {};
  if (!model::is_tenant_name(tenant)) return fail(Code::invalid, "'" + std::string(tenant) + "' is not a tenant name");
  const auto made = state_->make_tenant(tenant);
  return made ? Status() : fail(made.error());
}

Status Writer::room_for(std::string_view tenant) const {
  return state_->find_tenant(tenant) != nullptr ? Status() : state_->limit.check(tenant);
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
  auto count = [&counters = state_->counters, samples = batch.samples(), done = std::move(done)](Status status) {
    counters.count(status, samples);
    done(std::move(status));
  };
  if (Status settled = ingest->settle(); !settled) return count(std::move(settled));
  if (Status longer = state_->prolong(batch); !longer) return count(std::move(longer));
  state_->samples.append(batch, std::move(count));
}

void Writer::count_rejected(Code why, std::size_t count) {
  if (state_->counters.accepted != nullptr && count > 0) {
    state_->counters.rejected[static_cast<std::size_t>(why)]->add(count);
  }
}

}  // namespace varve::write
