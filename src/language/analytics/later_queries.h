// SPDX-License-Identifier: Apache-2.0
// LaterQueries: the queries of this process that are answered later (`Expect: 202-accepted`), and those that have
// failed lately.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "base/periodic.h"
#include "base/task_pool.h"
#include "language/analytics/later_query.h"

namespace varve::language::analytics {

// Thread-safe.
class LaterQueries {
 public:
  static constexpr std::size_t kFailedMax = 256;  // of all tenants, that are shown

  // The pool may run queries on after this has gone; what `source` names outlives the pool. `status_of`: the
  // status that an error is shown with.
  LaterQueries(const MessageSource& source, TaskPool& pool, std::shared_ptr<KeptResults> results,
               int (*status_of)(Code));
  ~LaterQueries();  // what runs is cancelled
  LaterQueries(const LaterQueries&) = delete;
  LaterQueries& operator=(const LaterQueries&) = delete;

  // Its id. Errors: those of the question; unavailable.
  Result<std::string> begin(const std::string& tenant, std::string body);

  struct Listed {
    std::string id;
    std::string text;
    std::int64_t asked_us = 0;
    int progress = 0;  // as QueryState::shown_progress()
    std::string error;
  };
  struct Lists {
    std::vector<Listed> pending, processed, abandoned, failed;
  };
  // Also those that are answered at once. Abandoned: somebody killed it.
  [[nodiscard]] Lists list(const std::string& tenant) const;

  [[nodiscard]] const std::shared_ptr<KeptResults>& results() const { return shared_->results; }
  [[nodiscard]] const MessageSource& source() const { return shared_->source; }

 private:
  struct Failed {
    std::string tenant;
    bool killed;
    Listed listed;
    std::int64_t ended_us;
  };
  struct Shared {
    Shared(const MessageSource& of, std::shared_ptr<KeptResults> kept, int (*shown)(Code))
        : source(of), results(std::move(kept)), status_of(shown) {}
    void ended(const LaterQuery& query);
    [[nodiscard]] std::vector<std::shared_ptr<LaterQuery>> all() const;

    const MessageSource source;
    const std::shared_ptr<KeptResults> results;
    int (*const status_of)(Code);
    mutable Mutex mutex;
    std::map<std::string, std::shared_ptr<LaterQuery>, std::less<>> queries VARVE_GUARDED_BY(mutex);
    std::deque<Failed> failed VARVE_GUARDED_BY(mutex);
  };
  static void look_after(const Shared& shared);

  TaskPool& pool_;
  const std::shared_ptr<Shared> shared_;
  Periodic look_after_;
};

}  // namespace varve::language::analytics
