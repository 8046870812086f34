// SPDX-License-Identifier: Apache-2.0
// UnderWay: one query of any API, from its beginning until the last byte of its answer is sent or nobody wants it any
// more: its place in the list of running queries, what it holds in memory, and how long it may take. Who works for it
// has a reference; who has its answer keeps it.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

#include "base/result.h"
#include "query/budget.h"
#include "query/deadline.h"
#include "query/engine.h"
#include "query/running.h"

namespace varve::query {

// Thread-safe where its parts are.
class UnderWay {
 public:
  // Of the request the list shows tenant, api, text and metrics. `cancelled`: nobody waits any more; killing sets it,
  // too; may be nullptr. It must outlive answered(), and the engine's clock this. Error: unavailable (limits.memory).
  static Result<std::shared_ptr<UnderWay>> begin(const Engine& engine, const Request& request,
                                                 std::atomic<bool>* cancelled);
  UnderWay(const Engine& engine, const Request& request, std::atomic<bool>* cancelled);

  [[nodiscard]] Budget& budget() { return budget_; }
  [[nodiscard]] RunningQueries::Ticket& ticket() { return ticket_; }
  [[nodiscard]] const Deadline& deadline() const { return deadline_; }

  // May it go on? Errors: cancelled, timeout.
  [[nodiscard]] Status check() const { return deadline_.check(); }
  // The same result, but an error of a killed query says that it was killed.
  template <class T>
  [[nodiscard]] Result<T> explain(Result<T> result) const {
    return ticket_.explain(std::move(result));
  }

  // The question is answered, and what is held from here on is the answer, of so many bytes; it is not to be check()ed
  // any more. Errors: limit (it was killed), unavailable. May be called again when it is known better.
  Status answered(std::size_t bytes);
  // Some of the answer is sent. One thread at a time.
  void sent(std::size_t bytes);

 private:
  // What the list of running queries holds of one is about this.
  static constexpr std::size_t kBytesAtLeast = 4096;

  const std::shared_ptr<RunningQueries> running_;  // an answer may be kept longer than the engine
  Budget budget_;
  RunningQueries::Ticket ticket_;
  const Deadline deadline_;
};

}  // namespace varve::query
