// SPDX-License-Identifier: Apache-2.0
// Versions: numbers that all replicas share, by which each knows whether what it has read of the index is still all
// there is (docs/formats/redis.md). Who writes into the index raises a number before he acknowledges; who asks and
// finds the number of his last look need not look again.
//
// A number is never given out for the second time, also not by a Redis that came back empty: it is the server's time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "model/time.h"
#include "tracker/redis/link.h"

namespace varve::tracker::redis {

// Of one tenant.
struct TenantVersions {
  std::uint64_t epoch = 0;                                        // another one: numbers may have been lost
  std::vector<std::pair<model::Timestamp, std::uint64_t>> index;  // by period, ascending; without a number: 0
  std::uint64_t names = 0;                                        // of metrics
  std::vector<std::pair<std::string, std::uint64_t>> forgotten;   // metrics, by those asked for

  [[nodiscard]] std::uint64_t of(model::Timestamp period) const {
    const auto at = std::ranges::lower_bound(index, period, {}, [](const auto& entry) { return entry.first; });
    return at == index.end() || at->first != period ? 0 : at->second;
  }
  [[nodiscard]] std::uint64_t latest() const {  // of all periods
    std::uint64_t most = 0;
    for (const auto& [period, number] : index) most = std::max(most, number);
    return most;
  }
};

struct VersionsAsked {
  std::string_view tenant;
  std::uint64_t forgotten_since = 0;  // metrics whose number is greater
};

// Something is new in the index of these periods, and perhaps among the names of metrics; series of these metrics were
// forgotten.
struct VersionsRaised {
  std::string tenant;
  std::vector<model::Timestamp> periods;
  std::vector<std::string> metrics;
  bool names = false;
};

// Thread-safe.
class Versions {
 public:
  using Done = std::function<void(Status)>;
  virtual ~Versions() = default;

  // In their order. Fails with `unavailable` also while numbers may be missing.
  virtual Result<std::vector<TenantVersions>> ask(std::span<const VersionsAsked> tenants) = 0;
  // Calls back exactly once, on any thread or before it returns.
  virtual void raise(std::span<const VersionsRaised> what, Done done) = 0;
};

class RedisVersions final : public Versions {
 public:
  explicit RedisVersions(Link& link) : link_(link) {}
  Result<std::vector<TenantVersions>> ask(std::span<const VersionsAsked> tenants) override;
  void raise(std::span<const VersionsRaised> what, Done done) override;
  Status raise(std::span<const VersionsRaised> what);  // and waits

 private:
  [[nodiscard]] Question raising(std::span<const VersionsRaised> what) const;
  Link& link_;
};

}  // namespace varve::tracker::redis
