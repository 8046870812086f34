// SPDX-License-Identifier: Apache-2.0
// Engine: select → plan → read → group → aggregate. One for all query APIs; see README.md for the way through.
//
//   query::Engine engine(series, samples, clock, {.memory_bytes = 1 << 30, .timeout = std::chrono::seconds(60)});
//   auto answer = engine.run(request, gone.get());
//
// Thread-safe. A call blocks until the answer is whole (so an error can still become a status), which takes as long
// as the query takes: call it from a pool.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>

#include "base/clock.h"
#include "base/memory_ledger.h"
#include "base/result.h"
#include "counter/declared.h"
#include "query/answer.h"
#include "query/limits.h"
#include "query/request.h"
#include "query/running.h"
#include "storage/sample_store.h"
#include "storage/series_store.h"

namespace varve::query {

class Budget;        // budget.h
class SlicedAnswer;  // sliced_answer.h

class Engine {
 public:
  // `memory`: what all requests hold; nullptr: nobody counts that. `declared`: which series are counters; nullptr: none
  // is known to be one.
  Engine(const storage::SeriesStore& series, storage::SampleStore& samples, const Clock& clock, Limits limits,
         std::shared_ptr<MemoryLedger> memory = nullptr, std::shared_ptr<const counter::Declared> declared = nullptr);

  // Errors: invalid (a bad regex, a sampling of 0), limit (over query.memory, or killed by an operator, which also sets
  // `cancelled`), unavailable (no memory left of limits.memory), timeout, cancelled (`cancelled` was set meanwhile; may
  // be nullptr), or what the store says. An unknown tenant or metric has an empty answer.
  [[nodiscard]] Result<Answer> run(const Request& request, std::atomic<bool>* cancelled) const;
  // The same, but samples as they are that take more than slice_bytes come later: their groups are without points, and
  // `later` has these.
  struct Streamed {
    Answer answer;
    std::shared_ptr<SlicedAnswer> later;  // or nullptr

    // Has the group a point `at`? Where those at hand end, the next ones are read in their place, and `at` is 0 then.
    // Groups are asked for in order. Errors: those of SlicedAnswer::next().
    Result<bool> has_point(std::size_t metric, std::size_t group, std::size_t& at);
  };
  // `cancelled` ends what is read later, too.
  [[nodiscard]] Result<Streamed> stream(const Request& request, std::shared_ptr<std::atomic<bool>> cancelled) const;
  // As run(), as a part of a query that has begun and goes on: what is read counts for that, and what it charged stays
  // so.
  [[nodiscard]] Result<Answer> run(const Request& request, UnderWay& query) const;

  // Will it take well under a millisecond? A few series named by their tags, a few hours. Handing such a query to
  // another thread would take longer than answering it.
  [[nodiscard]] bool is_small(const Request& request) const;

  // For each metric the tags of the series that fit and were seen in the range (SeriesStats::seen_in(); from 1970 or
  // before to the future: of all that fit). No sample is read; stages and groups are ignored.
  struct Tags {
    std::vector<TagUnion> metrics;
    std::shared_ptr<UnderWay> query;  // not answered() yet
  };
  [[nodiscard]] Result<Tags> tags(const Request& request, std::atomic<bool>* cancelled) const;

  [[nodiscard]] const storage::SeriesStore& series() const { return series_; }
  [[nodiscard]] storage::SampleStore& samples() const { return samples_; }
  [[nodiscard]] const Clock& clock() const { return clock_; }
  [[nodiscard]] const Limits& limits() const { return limits_; }
  [[nodiscard]] RunningQueries& running() const { return *running_; }
  [[nodiscard]] const std::shared_ptr<RunningQueries>& shared_running() const { return running_; }
  [[nodiscard]] const std::shared_ptr<MemoryLedger>& memory() const { return memory_; }

 private:
  Result<Answer> answer(const Request& request, UnderWay& query, Budget& budget) const;
  Result<Streamed> sliced_or_whole(const Request& request, UnderWay& query) const;
  Result<std::vector<TagUnion>> seen_tags(const Request& request, UnderWay& under_way) const;

  const storage::SeriesStore& series_;
  storage::SampleStore& samples_;
  const Clock& clock_;
  Limits limits_;
  std::shared_ptr<RunningQueries> running_;
  std::shared_ptr<MemoryLedger> memory_;
  std::shared_ptr<const counter::Declared> declared_;
};

}  // namespace varve::query
