// SPDX-License-Identifier: Apache-2.0
// Sequence: numbers that ascend over all replicas. Each is the server's time in µs, or one more than the last if that
// is greater. A Redis that came back empty, and with another time, begins again lower: so each process asks for a
// number above the time that replicas share, which never goes back, above the last it has got, and above what has
// passed since then.
#pragma once

#include <cstdint>

#include "base/mutex.h"
#include "tracker/redis/link.h"

namespace varve::tracker::redis {

// Thread-safe.
class Sequence {
 public:
  explicit Sequence(Link& link) : link_(link) {}
  // Greater than all that were drawn before by anybody, and than `above`. Errors: unavailable; corrupt: nothing is
  // above that.
  Result<std::int64_t> draw(std::int64_t above);

 private:
  [[nodiscard]] std::int64_t floor() const;

  Link& link_;
  mutable Mutex mutex_;
  std::int64_t drawn_ VARVE_GUARDED_BY(mutex_) = 0;
  std::int64_t drawn_ns_ VARVE_GUARDED_BY(mutex_) = 0;
};

}  // namespace varve::tracker::redis
