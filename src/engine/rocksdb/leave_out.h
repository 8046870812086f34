// SPDX-License-Identifier: Apache-2.0
// Leaving out: where pods come and go, most series that were ever seen are gone with their samples. They leave the
// index, and the definitions in the database: so memory, and the time of a start, follow what is left
// (docs/decisions/0069-what-is-gone-leaves-the-index.md).
//
// Series and groups keep their numbers, but those of what has left are good no more. So all who keep numbers of groups
// are told some time before (Catalog::group_generation); a row of a group that has left is refused.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/rocksdb/directory.h"
#include "engine/rocksdb/env/env.h"
#include "engine/rocksdb/flush.h"
#include "engine/rocksdb/ingest.h"
#include "engine/rocksdb/runs/tables.h"
#include "engine/rocksdb/series/catalog.h"

namespace varve::engine::rocksdb {

// A job of maintenance: one at a time with all others.
class LeaveOut {
 public:
  LeaveOut(const Env& env, const Directory& directory, Catalog& catalog, Visible& visible, Ingest& ingest,
           Tables& tables, Flush& flush)
      : env_(env),
        directory_(directory),
        catalog_(catalog),
        visible_(visible),
        ingest_(ingest),
        tables_(tables),
        flush_(flush) {}

  // Looks whether so much is gone, tells those who keep numbers, and some time later says true.
  [[nodiscard]] bool due();
  // Does it. If something that is gone, or its name, is needed again at this moment, it is tried again: at once, and in
  // a minute. Error: it is not done, or the database does not follow yet; then the log says to the next start what has
  // left.
  Status run();

 private:
  static constexpr std::int64_t kLookEveryNs = 60'000'000'000;

  [[nodiscard]] bool much_is_gone() const;
  Status leave();
  // False: something is needed again.
  Result<bool> exchange(std::string& definitions, std::uint64_t& sequence);
  void forget_stats();

  const Env& env_;
  const Directory& directory_;
  Catalog& catalog_;
  Visible& visible_;
  Ingest& ingest_;
  Tables& tables_;
  Flush& flush_;
  std::int64_t next_look_ns_ = 0;        // steady
  std::optional<std::int64_t> told_ns_;  // steady; since when others know of it
};

}  // namespace varve::engine::rocksdb
