// SPDX-License-Identifier: Apache-2.0
// LocalVersions: Versions in the process, for tests without a Redis. Several replicas of a test share one.
#pragma once

#include <map>

#include "base/mutex.h"
#include "tracker/redis/versions.h"

namespace varve::tracker::redis::testing {

class LocalVersions final : public Versions {
 public:
  Result<std::vector<TenantVersions>> ask(std::span<const VersionsAsked> tenants) override {
    const MutexLock lock(mutex_);
    ++asked_;
    if (away_) return fail(Code::unavailable, "Redis is away");
    std::vector<TenantVersions> out;
    for (const auto& asked : tenants) {
      TenantVersions& versions = out.emplace_back();
      versions.epoch = epoch_;
      const Of& of = tenants_[std::string(asked.tenant)];
      versions.index.assign(of.index.begin(), of.index.end());
      versions.names = of.names;
      for (const auto& [metric, number] : of.forgotten) {
        if (number > asked.forgotten_since) versions.forgotten.emplace_back(metric, number);
      }
    }
    return out;
  }

  void raise(std::span<const VersionsRaised> what, Done done) override {
    {
      const MutexLock lock(mutex_);
      if (!away_) {
        for (const auto& raised : what) {
          ++number_;
          Of& of = tenants_[raised.tenant];
          for (const auto period : raised.periods) of.index[period] = number_;
          for (const auto& metric : raised.metrics) of.forgotten[metric] = number_;
          if (raised.names) of.names = number_;
        }
        what = {};
      }
    }
    done(what.empty() ? Status() : Status(fail(Code::unavailable, "Redis is away")));
  }

  // While set, everything is unavailable.
  void away(bool is_away) {
    const MutexLock lock(mutex_);
    away_ = is_away;
  }
  // It came back empty.
  void lose() {
    const MutexLock lock(mutex_);
    tenants_.clear();
    ++epoch_;
  }
  [[nodiscard]] std::size_t asked() const {
    const MutexLock lock(mutex_);
    return asked_;
  }

 private:
  struct Of {
    std::map<model::Timestamp, std::uint64_t> index;
    std::map<std::string, std::uint64_t> forgotten;
    std::uint64_t names = 0;
  };
  mutable Mutex mutex_;
  bool away_ VARVE_GUARDED_BY(mutex_) = false;
  std::uint64_t epoch_ VARVE_GUARDED_BY(mutex_) = 1;
  std::uint64_t number_ VARVE_GUARDED_BY(mutex_) = 0;
  std::size_t asked_ VARVE_GUARDED_BY(mutex_) = 0;
  std::map<std::string, Of> tenants_ VARVE_GUARDED_BY(mutex_);
};

}  // namespace varve::tracker::redis::testing
