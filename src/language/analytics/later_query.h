// SPDX-License-Identifier: Apache-2.0
// LaterQuery: one query that is answered later. It waits, runs on the query pool, and leaves its result behind.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "base/mutex.h"
#include "language/analytics/answering.h"
#include "language/analytics/kept_results.h"

namespace varve::language::analytics {

class LaterQuery {
 public:
  // Its question is read: what is wrong with that is an error now. `status_of`: the status that an error is shown with.
  static Result<std::shared_ptr<LaterQuery>> read(const MessageSource& source, KeptResults& results,
                                                  int (*status_of)(Code), const std::string& tenant, std::string body);
  LaterQuery(const LaterQuery&) = delete;
  LaterQuery& operator=(const LaterQuery&) = delete;

  [[nodiscard]] const QueryName& name() const { return name_; }
  [[nodiscard]] const std::string& body() const { return body_; }
  [[nodiscard]] bool has_begun() const { return begun_; }
  [[nodiscard]] bool was_killed() const { return killed_; }
  [[nodiscard]] QueryState state() const;

  // Says that it is still there. Errors: as of KeptResults.
  Status tell();
  // Blocks as long as it takes. state() says how it ended then; nobody has been told.
  void run();
  // After run(): the result or what went wrong can be asked for.
  void tell_end();
  void cancel() { *gone_ = true; }

 private:
  struct Made {
    std::uint64_t rows = 0;
    std::uint32_t parts = 0;
  };
  LaterQuery(const MessageSource& source, KeptResults& results, int (*status_of)(Code), std::string body)
      : source_(source), results_(results), status_of_(status_of), body_(std::move(body)) {}
  Result<Made> make();
  Status keep(std::string& text, std::size_t at_least, Made& made);
  void seen(std::int64_t time_us);
  void advance(int progress);
  void end(const Result<Made>& made);

  const MessageSource source_;
  KeptResults& results_;
  int (*const status_of_)(Code);
  const std::string body_;
  QueryName name_;
  const std::shared_ptr<std::atomic<bool>> gone_ = std::make_shared<std::atomic<bool>>(false);
  std::shared_ptr<query::UnderWay> query_;
  std::unique_ptr<Answering> answering_;
  std::unique_ptr<const MessageQuestion> question_;
  std::atomic<bool> begun_{false}, killed_{false};
  std::size_t kept_bytes_ = 0;
  std::int64_t told_ns_ = 0;
  Mutex tell_mutex_;  // what is told last is true
  mutable Mutex mutex_;
  QueryState state_ VARVE_GUARDED_BY(mutex_);
};

}  // namespace varve::language::analytics
