// SPDX-License-Identifier: Apache-2.0
// A query's answer as Ceres' JSON, written piece by piece: one element for each series that has numbers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/time.h"
#include "query/engine.h"

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
  CeresAnswer(CeresHead head, query::Engine::Streamed found);

  // Appends the next piece of some 64 KiB. False: that was the last one, call no more. Errors: those of
  // Streamed::has_point().
  Result<bool> next(std::string& out);

 private:
  // Closes it, too, unless the piece is full.
  Status append_series(std::string& out, std::size_t until_bytes);
  void open_series(std::string& out);

  CeresHead head_;
  query::Engine::Streamed found_;
  std::string metadata_;  // the same for all series
  std::size_t metric_ = 0;
  std::size_t group_ = 0;
  std::size_t point_ = 0;
  bool opened_ = false;
  bool in_series_ = false;
  bool first_series_ = true;
  bool first_point_ = true;  // of the series
};

}  // namespace varve::api
