// SPDX-License-Identifier: Apache-2.0
// The first three bytes choose how; the rest is a key (up to its length byte) and a value. Whatever they are, reading
// ends in a value or an error; a key that is read can be written again; text that is read is UTF-8.
#include <cstdint>
#include <cstdlib>

#include "migrate/kairosdb_cells.h"
#include "protocol/json/text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace varve::migrate;
  if (size < 7) return 0;
  const auto strings = (data[0] & 1) != 0 ? Strings::snappy : Strings::plain;
  const RowSpec spec{.legacy = (data[0] & 2) != 0, .unit_ms = (data[0] & 4) != 0 ? 1000 : 1};
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 7, size - 7);
  const std::string_view column(reinterpret_cast<const char*>(data) + 3, data[1] % 5);
  const std::string_view name = bytes.substr(0, data[2]);
  const std::string_view value = bytes.substr(name.size());
  std::int64_t row_time_ms = 0;
  if (const auto key = parse_key(name)) {
    row_time_ms = key->row_time_ms;
    if (key->type != DataType::other && key_with_type(*key, key->type) != name) std::abort();
    if (const auto tags = parse_tags(key->tags)) {
      std::size_t bytes_in_all = 0;
      for (const auto& [tag, text] : *tags) bytes_in_all += tag.size() + text.size() + 2;
      if (bytes_in_all > key->tags.size()) std::abort();
    }
  }
  (void)column_time(spec, row_time_ms, column);
  std::string room;
  for (int type = 0; type < 8; ++type) {
    const auto read = decode_value(static_cast<DataType>(type), column, value, strings, room);
    if (read && read->type == varve::model::ValueType::string && !varve::protocol::json::is_utf8(read->text))
      std::abort();
  }
  return 0;
}
