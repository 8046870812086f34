// SPDX-License-Identifier: Apache-2.0
// ToldTargets: when target_info was last written, for each resource of each tenant, so that it is not written with
// every request. Bounded: what is forgotten is written once more.
#pragma once

#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/mutex.h"
#include "codec/hash.h"
#include "model/time.h"

namespace varve::api {

// Thread-safe.
class ToldTargets {
 public:
  // `most`: of resources that are remembered; the older half goes when there are more.
  explicit ToldTargets(std::size_t most = 100'000) : most_(most) {}

  [[nodiscard]] std::optional<model::Timestamp> last(std::string_view tenant, const codec::Hash128& resource) const;
  void note(std::string_view tenant, const codec::Hash128& resource, model::Timestamp time);

 private:
  struct HashOf {
    std::size_t operator()(const codec::Hash128& hash) const { return hash.low; }
  };
  using Times = std::unordered_map<codec::Hash128, model::Timestamp, HashOf>;

  const std::size_t most_;
  mutable Mutex mutex_;
  Times newer_ VARVE_GUARDED_BY(mutex_);
  Times older_ VARVE_GUARDED_BY(mutex_);
};

}  // namespace varve::api
