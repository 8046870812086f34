// SPDX-License-Identifier: Apache-2.0
#include "write/tenant_targets.h"

#include "base/mutex.h"

namespace varve::write {
namespace {

// A request that names a new tenant in each sample would keep a batch for each.
constexpr std::size_t kTenantsMax = 100;

// Several appends, one answer.
class Joint {
 public:
  Joint(std::size_t count, storage::SampleStore::AppendDone done) : left_(count), done_(std::move(done)) {}
  void one(Status status) {
    Status result;
    {
      const MutexLock lock(mutex_);
      if (!status && result_) result_ = std::move(status);
      if (--left_ != 0) return;
      result = std::move(result_);
    }
    done_(std::move(result));
  }

 private:
  Mutex mutex_;
  std::size_t left_ VARVE_GUARDED_BY(mutex_);
  Status result_ VARVE_GUARDED_BY(mutex_);
  storage::SampleStore::AppendDone done_;
};

}  // namespace

Result<protocol::opentsdb::Target> TenantTargets::of(std::string_view tenant) {
  if (tenant.empty()) tenant = own_tenant_;
  if (tenant.empty()) return fail(Code::invalid, "the request names no tenant");
  for (const auto& [name, ingest] : ingests_) {
    if (name == tenant) return protocol::opentsdb::Target{&ingest->groups(), &ingest->batch()};
  }
  if (ingests_.size() >= kTenantsMax) return fail(Code::invalid, "more than 100 tenants in one request");
  VARVE_RETURN_IF_ERROR(writer_.room_for(tenant));
  VARVE_ASSIGN_OR_RETURN(auto ingest, writer_.open(tenant, family_));
  const protocol::opentsdb::Target target{&ingest->groups(), &ingest->batch()};
  ingests_.emplace_back(tenant, std::move(ingest));
  return target;
}

std::size_t TenantTargets::bytes() const {
  std::size_t sum = 0;
  for (const auto& [name, ingest] : ingests_) sum += ingest->batch().bytes().size();
  return sum;
}

void TenantTargets::commit(storage::SampleStore::AppendDone done) {
  auto ingests = std::exchange(ingests_, {});
  if (ingests.empty()) return done({});
  if (ingests.size() == 1) return writer_.commit(std::move(ingests[0].second), std::move(done));
  const auto joint = std::make_shared<Joint>(ingests.size(), std::move(done));
  for (auto& [name, ingest] : ingests) {
    writer_.commit(std::move(ingest), [joint](Status status) { joint->one(std::move(status)); });
  }
}

}  // namespace varve::write
