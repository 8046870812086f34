// SPDX-License-Identifier: Apache-2.0
// RunningQueries: what an engine works on now, so that an operator sees it and can end it: every query of every API,
// from its beginning until the last byte of its answer is sent.
//
// Thread-safe. Whoever asks names a tenant and sees that tenant's queries only; ids are not in sequence, so they do not
// tell how many queries others ask.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
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
  struct Entry;

 public:
  RunningQueries();

  // A query is listed while its ticket lives. One thread makes it; counting is thread-safe.
  class Ticket {
   public:
    // `owner`, `budget` and `clock` must outlive the ticket, `cancelled` its answered(). `cancelled` is set when the
    // query is killed; nullptr: the ticket has a flag itself. Of the request the list keeps what it shows.
    Ticket(RunningQueries& owner, const Request& request, const Budget& budget, const Clock& clock,
           std::atomic<bool>* cancelled);
    ~Ticket();
    Ticket(const Ticket&) = delete;
    Ticket& operator=(const Ticket&) = delete;

    [[nodiscard]] const std::string& id() const { return id_; }
    [[nodiscard]] const std::atomic<bool>* cancelled() const { return stop_; }
    [[nodiscard]] bool killed() const { return killed_.load(std::memory_order_relaxed); }
    [[nodiscard]] ReadCount& count() { return count_; }
    [[nodiscard]] Read read() const;  // so far, until it was answered

    // What is left is to send the answer. From here on killing does not set `cancelled` any more.
    void answered();
    // Is called once if the query is killed, from any thread. False, and it is not kept: it has been killed.
    bool on_kill(std::function<void()> call);

    // The same, but an error of a killed query says that it was killed.
    template <class T>
    [[nodiscard]] Result<T> explain(Result<T> result) const {
      if (!result && result.error().code == Code::cancelled && killed()) return killed_error();
      return result;
    }

   private:
    friend class RunningQueries;
    static std::unexpected<Error> killed_error();
    [[nodiscard]] Read so_far() const;
    [[nodiscard]] Entry& entry() const VARVE_REQUIRES(owner_.mutex_) { return owner_.entries_.at(number_); }

    RunningQueries& owner_;
    const Budget& budget_;
    const Clock& clock_;
    const std::string tenant_, api_, text_;
    std::vector<std::string> metrics_;
    std::atomic<bool> own_{false};
    std::atomic<bool>* const stop_;
    std::atomic<bool> killed_{false};
    ReadCount count_;
    const std::int64_t started_ms_;
    const std::int64_t started_ns_;
    std::uint64_t number_ = 0;
    std::string id_;
  };

  // Oldest first.
  [[nodiscard]] std::vector<RunningQuery> list(std::string_view tenant) const;
  // False: the tenant has no such query (any more). The query ends soon after, with an error of code limit; where its
  // answer is on its way already, who sends it is told.
  bool kill(std::string_view tenant, std::string_view id);
  // Of all queries that are answered, also those that failed.
  [[nodiscard]] Read read_in_all() const;

 private:
  // What changes of a ticket.
  struct Entry {
    Ticket* ticket;
    std::atomic<bool>* stop;  // nullptr once it is answered
    std::function<void()> on_kill;
    std::optional<Read> answered;  // what had been read by then
  };
  [[nodiscard]] static RunningQuery describe(const Entry& entry);

  const std::uint64_t seed_;
  mutable Mutex mutex_;
  std::uint64_t next_ VARVE_GUARDED_BY(mutex_) = 0;
  std::map<std::uint64_t, Entry> entries_ VARVE_GUARDED_BY(mutex_);  // by the order they came in
  Read read_ VARVE_GUARDED_BY(mutex_);                               // by those that are answered
};

}  // namespace varve::query
