// SPDX-License-Identifier: Apache-2.0
// FakeTargets: for the tests of OpenTSDB's parsers. Groups stay, batches go (drop()); samples of other tenants than
// the request's own are printed with the tenant in front: "t1/cpu{host=a} 1000 5".
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "model/tenant.h"
#include "protocol/opentsdb/route.h"
#include "protocol/testing/fake_groups.h"

namespace varve::protocol::opentsdb {

class FakeTargets final : public Targets {
 public:
  Result<Target> of(std::string_view tenant) override {
    ++asked;
    if (tenant.empty() && own.empty()) return fail(Code::invalid, "no tenant");
    const std::string_view name = tenant.empty() ? std::string_view(own) : tenant;
    if (!model::is_tenant_name(name)) return fail(Code::invalid, "not a tenant: '" + std::string(name) + "'");
    auto& place = places_[std::string(name)];
    place.groups.keep_names = keep_names;
    place.groups.groups_max = groups_max;
    place.batch.set_kept_from(kept_from);
    return Target{&place.groups, &place.batch};
  }

  [[nodiscard]] std::string samples() const {
    std::string text;
    for (const auto& [tenant, place] : places_) {
      for (const auto& sample : place.groups.samples(place.batch)) {
        text += (text.empty() ? "" : " | ") + (tenant == own ? "" : tenant + '/') + sample;
      }
    }
    return text;
  }

  void drop() {
    for (auto& [tenant, place] : places_) place.batch.clear();
  }

  [[nodiscard]] std::size_t finds() const {
    return count([](const auto& groups) { return groups.finds; });
  }
  [[nodiscard]] std::size_t defines() const {
    return count([](const auto& groups) { return groups.defines; });
  }

  std::string own = "default";  // tenant of the request; empty: none
  bool keep_names = true;
  std::size_t groups_max = static_cast<std::size_t>(-1);
  std::size_t asked = 0;
  model::Timestamp kept_from = model::kTimestampMin;

 private:
  struct Place {
    testing::FakeGroups groups;
    model::RowBatch batch;
  };
  template <class F>
  [[nodiscard]] std::size_t count(F of) const {
    std::size_t sum = 0;
    for (const auto& [tenant, place] : places_) sum += of(place.groups);
    return sum;
  }
  std::map<std::string, Place> places_;
};

}  // namespace varve::protocol::opentsdb
