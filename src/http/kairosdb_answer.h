// SPDX-License-Identifier: Apache-2.0
// A query's answer as KairosDB's JSON, written piece by piece, so that a large one is never in memory twice.
#pragma once

#include <string>
#include <vector>

#include "query/answer.h"

namespace varve::http {

// What the JSON says about a metric besides its answer.
struct KairosdbHead {
  std::string name;
  std::vector<std::string> group_by;
  std::vector<std::string> splits;  // JSON of each split's entry, up to the number of the group; then "}}"
  bool exclude_tags = false;
};

class KairosdbAnswer {
 public:
  // As many heads as answer.metrics, in the same order.
  KairosdbAnswer(std::vector<KairosdbHead> heads, query::Answer answer);

  // Appends the next piece of some 64 KiB. False: that was the last one, call no more.
  bool next(std::string& out);

 private:
  void open_metric(std::string& out) const;
  void open_group(std::string& out) const;
  void append_points(std::string& out, std::size_t until_bytes);

  std::vector<KairosdbHead> heads_;
  query::Answer answer_;
  std::size_t metric_ = 0;
  std::size_t group_ = 0;
  std::size_t point_ = 0;
  bool in_metric_ = false;
  bool in_group_ = false;
  bool opened_ = false;
  std::vector<bool> nothing_;  // of each metric: its group stands for none
};

// {"queries":[{"results":[{"name":…,"tags":{…},"values":[]}]}]}
std::string kairosdb_tags_json(const std::vector<std::string>& names, const std::vector<query::TagUnion>& tags);

}  // namespace varve::http
