// SPDX-License-Identifier: Apache-2.0
// One point of /api/put: a fast way for points as machines write them, and a general one for the rest. See put.h.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/json/number.h"
#include "protocol/json/reader.h"
#include "protocol/opentsdb/route.h"

namespace varve::protocol::opentsdb {

// Integers below 2^32 are seconds, others milliseconds, as in OpenTSDB. What is before all times stays before them.
inline std::int64_t to_milliseconds(std::int64_t time) {
  if (time >= std::int64_t{1} << 32) return time;
  return std::max(time, std::numeric_limits<std::int64_t>::min() / 1000) * 1000;
}

class FastPoints {
 public:
  FastPoints(const char* end, Route& route) : end_(end), route_(route) {}
  // The point at `at` ('{') into a row; returns its end, or nullptr and no row if it is not as plain as expected.
  const char* read(const char* at);

 private:
  struct Point {
    unsigned seen = 0;
    std::int64_t time = 0;
    json::Number value;
    std::string_view text;  // of the value
    model::LineGroup* group = nullptr;
  };
  const char* field(const char* at, Point& point);
  const char* read_metric(const char* at);
  const char* read_tags(const char* at, Point& point);
  bool finish(Point& point);

  const char* end_;
  Route& route_;
  SplitKey key_;  // metric and tags as written, with quotes and braces
};

class PointReader {
 public:
  PointReader(json::Reader& reader, Route& route) : reader_(reader), route_(route) {}
  // The reader stands behind '{' and is left behind '}', or has failed. Errors as OpenTSDB words them.
  Status read();

 private:
  struct Point {
    json::Element metric, time, value;
    const char* metric_end = nullptr;
    bool has_tags = false;
    std::string_view tags_key;  // as written
    model::TagViews tags;
    std::string bad_tags;
  };
  void field(std::string_view name, Point& point);
  void read_tags(const json::Element& e, Point& point);

  json::Reader& reader_;
  Route& route_;
};

}  // namespace varve::protocol::opentsdb
