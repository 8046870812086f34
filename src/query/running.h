// SPDX-License-Identifier: Apache-2.0
// RunningQueries: what an engine works on now, so that an operator sees it and can end it. Every query of every API
// passes the engine, so this is the one place where they are all known.
//
// Thread-safe. Whoever asks names a tenant and sees that tenant's queries only; ids are not in sequence, so they do not
// tell how many queries others ask.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "query/budget.h"
#include "query/read_count.h"
#include "query/request.h"

namespace varve::query {

struct RunningQuery {
  std::string id;  // 16 hexadecimal digits
  std::string api;
  std::string text;  // as it was asked, at most kQueryTextMax bytes; "" if the API did not say
  std::vector<std::string> metrics;
  std::int64_t started_ms = 0;  // since 1970
  double seconds = 0;           // so far
  Read read;                    // so far
  std::uint64_t bytes = 0;      // held now
};

inline constexpr std::size_t kQueryTextMax = std::size_t{16} * 1024;

class RunningQueries {
 public:
  RunningQueries();

  // A query is listed while its ticket lives. One thread makes it; counting is thread-safe.
  class Ticket {
   public:
    // All must outlive the ticket. `cancelled` is set when the query is killed; nullptr: the ticket has a flag itself.
    Ticket(RunningQueries& owner, const Request& request, const Budget& budget, const Clock& clock,
           std::atomic<bool>* cancelled);
    ~Ticket();
    Ticket(const Ticket&) = delete;
    Ticket& operator=(const Ticket&) = delete;

    [[nodiscard]] const std::atomic<bool>* cancelled() const { return stop_; }
    [[nodiscard]] bool killed() const { return killed_.load(std::memory_order_relaxed); }
    [[nodiscard]] ReadCount& count() { return count_; }
    [[nodiscard]] Read read() const;  // so far

    // The same, but an error of a killed query says that it was killed.
    template <class T>
    [[nodiscard]] Result<T> explain(Result<T> result) const {
      if (!result && result.error().code == Code::cancelled && killed()) return killed_error();
      return result;
    }

   private:
    friend class RunningQueries;
    static std::unexpected<Error> killed_error();
    [[nodiscard]] RunningQuery describe() const;

    RunningQueries& owner_;
    const Request& request_;
    const Budget& budget_;
    const Clock& clock_;
    std::atomic<bool> own_{false};
    std::atomic<bool>* const stop_;
    std::atomic<bool> killed_{false};
    ReadCount count_;
    const std::int64_t started_ms_;
    const std::int64_t started_ns_;
    std::string id_;
  };

  // Oldest first.
  [[nodiscard]] std::vector<RunningQuery> list(std::string_view tenant) const;
  // False: the tenant has no such query (any more). The query ends soon after, with an error of code limit.
  bool kill(std::string_view tenant, std::string_view id);
  // Of all queries that have ended, also those that failed.
  [[nodiscard]] Read read_in_all() const;

 private:
  mutable std::mutex mutex_;
  std::uint64_t next_ = 0;
  const std::uint64_t seed_;
  std::map<std::uint64_t, Ticket*> tickets_;  // by the order they came in
  Read read_;                                 // by those that have ended
};

}  // namespace varve::query
