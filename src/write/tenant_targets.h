// SPDX-License-Identifier: Apache-2.0
// TenantTargets: the batches of one OpenTSDB request or connection, one for each tenant that its `tenant` tags name.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "protocol/opentsdb/route.h"
#include "write/writer.h"

namespace varve::write {

// One thread at a time.
class TenantTargets final : public protocol::opentsdb::Targets {
 public:
  // `own_tenant`: the tenant of samples without a tenant tag; "" if there is none.
  TenantTargets(Writer& writer, Family family, std::string own_tenant)
      : writer_(writer), family_(family), own_tenant_(std::move(own_tenant)) {}

  Result<protocol::opentsdb::Target> of(std::string_view tenant) override;

  [[nodiscard]] std::size_t bytes() const;  // of all batches
  // Commits every batch; `done` is called once, after the last one, with the first error if there is one.
  void commit(storage::SampleStore::AppendDone done);
  void drop() { ingests_.clear(); }

 private:
  Writer& writer_;
  Family family_;
  std::string own_tenant_;
  std::vector<std::pair<std::string, std::unique_ptr<Ingest>>> ingests_;  // a few at most, mostly one
};

}  // namespace varve::write
