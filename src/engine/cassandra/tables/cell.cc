// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/tables/cell.h"

#include <optional>

#include "base/bytes.h"

namespace varve::engine::cassandra {
namespace {

// 0: of any size.
std::size_t size_of(CellType type) {
  switch (type) {
    case CellType::smallint: return 2;
    case CellType::integer: return 4;
    case CellType::bigint:
    case CellType::timestamp: return 8;
    default: return 0;
  }
}

std::uint16_t load_be16(const char* from) { return __builtin_bswap16(load_le<std::uint16_t>(from)); }

void append_be32(std::string& out, std::size_t value) {
  char bytes[4];
  store_be32(bytes, static_cast<std::uint32_t>(value));
  out.append(bytes, sizeof bytes);
}

void append_text(std::string& out, std::string_view text) {
  append_be32(out, text.size());
  out += text;
}

std::unexpected<Error> corrupt(std::string_view what, std::string_view cell) {
  return fail(Code::corrupt, "a cell of " + std::to_string(cell.size()) + " bytes is not a " + std::string(what));
}

// Takes `size` bytes off the front.
std::optional<std::string_view> take(std::string_view& rest, std::size_t size) {
  if (rest.size() < size) return std::nullopt;
  const std::string_view taken = rest.substr(0, size);
  rest.remove_prefix(size);
  return taken;
}

// All texts of a collection, `each` for every one that is counted; an absent cell is an empty collection.
std::optional<std::vector<std::string_view>> texts_of(std::string_view cell, std::size_t each) {
  std::vector<std::string_view> texts;
  if (cell.empty()) return texts;
  const auto count = take(cell, 4);
  // Each text takes four bytes at least: a count that cannot be makes no room.
  if (!count || load_be32(count->data()) > cell.size() / 4 / each) return std::nullopt;
  texts.resize(load_be32(count->data()) * each);
  for (std::string_view& text : texts) {
    const auto size = take(cell, 4);
    const auto bytes = size ? take(cell, load_be32(size->data())) : std::nullopt;
    if (!bytes) return std::nullopt;
    text = *bytes;
  }
  if (!cell.empty()) return std::nullopt;
  return texts;
}

}  // namespace

std::string smallint_cell(std::int16_t value) {
  const std::uint16_t swapped = __builtin_bswap16(static_cast<std::uint16_t>(value));
  return {reinterpret_cast<const char*>(&swapped), sizeof swapped};
}

std::string integer_cell(std::int32_t value) {
  std::string out(4, 0);
  store_be32(out.data(), static_cast<std::uint32_t>(value));
  return out;
}

std::string bigint_cell(std::int64_t value) {
  std::string out(8, 0);
  store_be64(out.data(), static_cast<std::uint64_t>(value));
  return out;
}

std::string timestamp_cell(std::int64_t ms) { return bigint_cell(ms); }

std::string list_cell(std::span<const std::string_view> cells) {
  std::string out;
  append_be32(out, cells.size());
  for (const std::string_view cell : cells) append_text(out, cell);
  return out;
}

std::string text_map_cell(const model::TagViews& entries) {
  std::string out;
  append_be32(out, entries.size());
  for (const auto& [key, value] : entries) {
    append_text(out, key);
    append_text(out, value);
  }
  return out;
}

Result<std::int16_t> smallint_of(std::string_view cell) {
  if (cell.size() != 2) return corrupt("smallint", cell);
  return static_cast<std::int16_t>(load_be16(cell.data()));
}

Result<std::int32_t> integer_of(std::string_view cell) {
  if (cell.size() != 4) return corrupt("int", cell);
  return static_cast<std::int32_t>(load_be32(cell.data()));
}

Result<std::int64_t> bigint_of(std::string_view cell) {
  if (cell.size() != 8) return corrupt("bigint", cell);
  return static_cast<std::int64_t>(load_be64(cell.data()));
}

Result<std::int64_t> timestamp_of(std::string_view cell) {
  if (cell.size() != 8) return corrupt("timestamp", cell);
  return static_cast<std::int64_t>(load_be64(cell.data()));
}

Result<std::vector<std::string_view>> text_list_of(std::string_view cell) {
  auto texts = texts_of(cell, 1);
  if (!texts) return corrupt("list of texts", cell);
  return std::move(*texts);
}

Result<model::TagViews> text_map_of(std::string_view cell) {
  const auto texts = texts_of(cell, 2);
  if (!texts) return corrupt("map of texts", cell);
  model::TagViews entries(texts->size() / 2);
  for (std::size_t i = 0; i < entries.size(); ++i) entries[i] = {(*texts)[2 * i], (*texts)[2 * i + 1]};
  return entries;
}

std::strong_ordering compare_cells(CellType type, std::string_view a, std::string_view b) {
  switch (size_of(type)) {
    case 2: return static_cast<std::int16_t>(load_be16(a.data())) <=> static_cast<std::int16_t>(load_be16(b.data()));
    case 4: return static_cast<std::int32_t>(load_be32(a.data())) <=> static_cast<std::int32_t>(load_be32(b.data()));
    case 8: return static_cast<std::int64_t>(load_be64(a.data())) <=> static_cast<std::int64_t>(load_be64(b.data()));
    default: return a <=> b;
  }
}

Status check_cells(std::span<const ColumnDefinition> columns, std::span<const std::string> cells) {
  if (columns.size() != cells.size()) {
    return fail(Code::invalid, std::to_string(cells.size()) + " cells for " + std::to_string(columns.size()) +
                                   " columns" + (columns.empty() ? "" : ", the first " + columns[0].name));
  }
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (const std::size_t size = size_of(columns[i].type); size != 0 && cells[i].size() != size) {
      return fail(Code::invalid,
                  columns[i].name + " has " + std::to_string(size) + " bytes, not " + std::to_string(cells[i].size()));
    }
  }
  return {};
}

}  // namespace varve::engine::cassandra
