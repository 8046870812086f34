// SPDX-License-Identifier: Apache-2.0
// What KairosDB 1.x writes into Cassandra: keys, columns and values. docs/formats/kairosdb.md has every byte. Pure;
// views point into what was given.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "model/tags.h"
#include "model/time.h"
#include "model/value.h"

namespace varve::migrate {

// In the progress file as bits: DO NOT CHANGE THE NUMBERS.
enum class DataType : std::uint8_t {
  legacy = 0,
  long_ = 1,
  double_ = 2,
  string = 3,
  other = 4,
  complex = 5,
  histogram_v1 = 6,
  histogram_v2 = 7
};

struct DataKey {
  std::string_view metric;
  std::int64_t row_time_ms = 0;
  DataType type = DataType::other;
  std::string_view type_name;  // as stored; empty: legacy
  std::string_view tags;       // as stored
};
Result<DataKey> parse_key(std::string_view key);

// The key of the same series and row with another type (not `other`).
std::string key_with_type(const DataKey& key, DataType type);

// In the order in which they stand.
Result<model::Tags> parse_tags(std::string_view stored);

struct RowSpec {
  bool legacy = true;  // the lowest bit of a column is no time
  std::int64_t unit_ms = 1;
};
// From `row_time_unit` of table spec; nullopt: there is none.
Result<RowSpec> row_spec(std::optional<std::string_view> row_time_unit);

Result<model::Timestamp> column_time(const RowSpec& spec, std::int64_t row_time_ms, std::string_view column);

enum class Strings : std::uint8_t { plain, snappy };

// The value's text points into `room`, which is overwritten. `type` is not `other`.
Result<model::Value> decode_value(DataType type, std::string_view column, std::string_view bytes, Strings strings,
                                  std::string& room);

// For a person; long ones are cut.
std::string to_hex(std::string_view bytes);

}  // namespace varve::migrate
