// SPDX-License-Identifier: Apache-2.0
// Living: how many series of each tenant still get samples. A tenant's limit is about those: the pods of last month
// must not keep today's out.
#pragma once

#include <cstdint>

#include "engine/rocksdb/env/env.h"
#include "engine/rocksdb/runs/view.h"
#include "engine/rocksdb/series/catalog.h"

namespace varve::engine::rocksdb {

// One thread at a time.
class Living {
 public:
  Living(const Env& env, Catalog& catalog, Visible& visible) : env_(env), catalog_(catalog), visible_(visible) {}

  [[nodiscard]] bool due() const { return env_.clock.steady_ns() - last_ns_ >= kEveryNs; }
  // Counts the series without a sample of the last day, of tenants for which it may soon matter.
  void count();

 private:
  static constexpr std::int64_t kEveryNs = 60'000'000'000;

  const Env& env_;
  Catalog& catalog_;
  Visible& visible_;
  std::int64_t last_ns_ = 0;  // steady
};

}  // namespace varve::engine::rocksdb
