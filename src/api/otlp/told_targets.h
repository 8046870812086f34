// SPDX-License-Identifier: Apache-2.0
// ToldTargets: when target_info was written, for each resource of each tenant, so that it is not written with
// every request. Bounded: what is forgotten is written once more.
#pragma once

#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/mutex.h"
#include "codec/hash.h"
#include "protocol/otlp/metric_points.h"

namespace varve::api {

// Thread-safe.
class ToldTargets {
 public:
  // `most`: of resources that are remembered; the older half goes when there are more.
  explicit ToldTargets(std::size_t most = 100'000) : most_(most) {}

  [[nodiscard]] std::optional<protocol::otlp::TargetSpan> span(std::string_view tenant,
                                                               const codec::Hash128& resource) const;
  void note(std::string_view tenant, const codec::Hash128& resource, const protocol::otlp::TargetSpan& span);

 private:
  struct HashOf {
    std::size_t operator()(const codec::Hash128& hash) const { return hash.low; }
  };
  using Spans = std::unordered_map<codec::Hash128, protocol::otlp::TargetSpan, HashOf>;

  const std::size_t most_;
  mutable Mutex mutex_;
  Spans newer_ VARVE_GUARDED_BY(mutex_);
  Spans older_ VARVE_GUARDED_BY(mutex_);
};

}  // namespace varve::api
