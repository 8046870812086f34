// SPDX-License-Identifier: Apache-2.0
// Cells: values as the CQL binary protocol (v4) has them, in both directions. Integers are big endian; a collection is
// a count and then each element as length and bytes, all of 32 bits. Text and blobs are their bytes.
//
// Decoding takes foreign bytes: what does not fit is corrupt, nothing outside is read. Views point into the cell.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/cassandra/tables/schema.h"
#include "model/tags.h"

namespace varve::engine::cassandra {

std::string smallint_cell(std::int16_t value);
std::string integer_cell(std::int32_t value);
std::string bigint_cell(std::int64_t value);
std::string timestamp_cell(std::int64_t ms);
std::string list_cell(std::span<const std::string_view> cells);  // of texts or blobs
std::string text_map_cell(const model::TagViews& entries);       // ascending by key

Result<std::int16_t> smallint_of(std::string_view cell);
Result<std::int32_t> integer_of(std::string_view cell);
Result<std::int64_t> bigint_of(std::string_view cell);
Result<std::int64_t> timestamp_of(std::string_view cell);
Result<std::vector<std::string_view>> text_list_of(std::string_view cell);
Result<model::TagViews> text_map_of(std::string_view cell);  // in the order that stands there

// As Cassandra orders clustering columns: numbers by value, all others by bytes. Cells that fit their type.
std::strong_ordering compare_cells(CellType type, std::string_view a, std::string_view b);

// Are these cells of these columns? Errors: invalid, naming the column.
Status check_cells(std::span<const ColumnDefinition> columns, std::span<const std::string> cells);

}  // namespace varve::engine::cassandra
