// SPDX-License-Identifier: Apache-2.0
// Known lengths: of which slots this process has written lately how many bits their hash prefixes have
// (tables/prefix_lengths.h), so that it writes that once a day and not with each request. A row stands before a hot row
// that relies on it is written, and lives longer.
//
// Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "base/mutex.h"
#include "engine/cassandra/hot/hot_pieces.h"

namespace varve::engine::cassandra {

class KnownLengths {
 public:
  static constexpr std::int64_t kKnownMs = kLengthsSlackMs / 2;  // a hot row may be written late, too
  explicit KnownLengths(std::size_t entries_max = std::size_t{1} << 16) : entries_max_(entries_max) {}

  struct Length {
    model::TenantId tenant{};
    model::Timestamp slot = 0;
    unsigned bits = 0;
    auto operator<=>(const Length&) const = default;
  };
  // Those of the pieces whose rows have to be written: now_ms is when. Ascending, each once.
  [[nodiscard]] std::vector<Length> missing(model::TenantId tenant, std::span<const HotPiece> pieces,
                                            model::Timestamp now_ms) const;
  // Their rows, which were written at now_ms or later, stand.
  void stand(std::span<const Length> lengths, model::Timestamp now_ms);

 private:
  const std::size_t entries_max_;
  mutable Mutex mutex_;
  std::map<Length, model::Timestamp> written_ VARVE_GUARDED_BY(mutex_);  // when
};

}  // namespace varve::engine::cassandra
