// SPDX-License-Identifier: Apache-2.0
// A query's answer as KairosDB's JSON, written piece by piece, so that a large one is never in memory twice.
#pragma once

#include <compare>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/task_pool.h"
#include "query/answer.h"
#include "query/sliced_answer.h"

namespace varve::api {

// What the JSON says about a metric besides its answer.
struct KairosdbHead {
  std::string name;
  std::vector<std::string> group_by;
  std::vector<std::string> splits;  // JSON of each split's entry, up to the number of the group; then "}}"
  bool exclude_tags = false;
};

class KairosdbAnswer {
 public:
  // As many heads as answer.metrics, in the same order. Large texts are made by up to `threads` threads, the caller's
  // and those of `pool`, which has to outlive this. `later`: has the points of all groups; nullptr: they are there.
  KairosdbAnswer(std::vector<KairosdbHead> heads, query::Answer answer, TaskPool& pool, unsigned threads,
                 std::shared_ptr<query::SlicedAnswer> later = nullptr);

  // Appends the next piece, of some 256 KiB a thread. False: that was the last one, call no more. Errors: those of
  // `later`.
  Result<bool> next(std::string& out);

 private:
  // Before a point of the answer, in order. A metric is opened before its first group and closed after its last one, a
  // group before its first point and after its last one.
  struct Place {
    std::size_t metric = 0;
    std::size_t group = 0;
    std::size_t point = 0;
    auto operator<=>(const Place&) const = default;
  };

  [[nodiscard]] Place end() const { return {answer_.metrics.size()}; }
  [[nodiscard]] Place some_further(Place at) const;
  void write(std::string& out, Place from, Place until) const;
  void open_metric(std::string& out, const Place& at) const;
  void open_group(std::string& out, const Place& at) const;
  void free(Place from, Place until);
  [[nodiscard]] bool has_begun(Place at) const { return at.point != 0 || begun_ == at; }
  // Are the points of this group at hand, up to its last one?
  [[nodiscard]] bool is_whole(Place at) const {
    return later_ == nullptr || nothing_[at.metric] || whole_ == Place{at.metric, at.group};
  }
  Status load();
  void append_some(std::string& out);

  std::vector<KairosdbHead> heads_;
  query::Answer answer_;
  TaskPool& pool_;
  const unsigned threads_;
  Place written_;
  std::vector<std::string> texts_;  // of the threads but the first
  std::vector<bool> nothing_;       // of each metric: its group stands for none
  // Of points that come later:
  const std::shared_ptr<query::SlicedAnswer> later_;
  Place begun_ = {~std::size_t{0}};  // the group of which earlier points are written and gone
  Place whole_ = {~std::size_t{0}};  // the group of which the last points are at hand
};

// {"queries":[{"results":[{"name":…,"tags":{…},"values":[]}]}]}
std::string kairosdb_tags_json(const std::vector<std::string>& names, const std::vector<query::TagUnion>& tags);

}  // namespace varve::api
