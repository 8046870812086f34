// SPDX-License-Identifier: Apache-2.0
// A query's answer as OpenTSDB's JSON, written piece by piece:
//   [{"metric":"cpu","tags":{"host":"a"},"aggregateTags":["dc"],"dps":{"1700000000":1.5}}]
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "model/tags.h"
#include "protocol/opentsdb/query.h"
#include "query/engine.h"

namespace varve::api {

class OpentsdbAnswer {
 public:
  // The answer to the same queries, in order.
  OpentsdbAnswer(protocol::opentsdb::Query query, query::Engine::Streamed found);

  // Appends the next piece of some 64 KiB. False: that was the last one, call no more. Errors: those of
  // Streamed::has_point().
  Result<bool> next(std::string& out);

 private:
  void open_group(std::string& out);
  // Closes it, too, unless the piece is full.
  Status append_group(std::string& out, std::size_t until_bytes);
  void append_points(std::string& out, std::size_t until_bytes);
  void append_summary(std::string& out) const;

  const protocol::opentsdb::Query query_;
  query::Engine::Streamed found_;
  std::size_t metric_ = 0;
  std::size_t group_ = 0;
  std::size_t point_ = 0;
  bool in_group_ = false;
  bool first_point_ = true;  // of the group
  bool opened_ = false;
  std::uint64_t groups_written_ = 0;
  std::uint64_t points_written_ = 0;
};

// A number; null for what is none.
void append_value(std::string& out, const aggregate::Points& points, std::size_t i);

// Names a series for ever: the hash of its key, in 32 hexadecimal digits.
std::string opentsdb_series_id(std::string_view metric, const model::Tags& tags);

}  // namespace varve::api
