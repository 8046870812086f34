// SPDX-License-Identifier: Apache-2.0
// A query's answer as Ceres' JSON, written piece by piece: one element for each series that has numbers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/time.h"
#include "query/answer.h"

namespace varve::api {

// What the JSON says besides the answer.
struct CeresHead {
  std::string tenant;
  std::vector<std::string> metrics;  // as many as answer.metrics, in the same order
  std::string aggregator;
  std::int64_t granularity_ms = 0;  // 0: raw
  model::TimeRange range;           // as asked
};

class CeresAnswer {
 public:
  CeresAnswer(CeresHead head, query::Answer answer);

  // Appends the next piece of some 64 KiB. False: that was the last one, call no more.
  bool next(std::string& out);

 private:
  void open_series(std::string& out);

  CeresHead head_;
  query::Answer answer_;
  std::string metadata_;  // the same for all series
  std::size_t metric_ = 0;
  std::size_t group_ = 0;
  std::size_t point_ = 0;
  bool opened_ = false;
  bool in_series_ = false;
  bool first_series_ = true;
};

}  // namespace varve::api
