// SPDX-License-Identifier: Apache-2.0
#include "migrate/kairosdb_cells.h"

#include <array>
#include <bit>

#include "base/bytes.h"
#include "base/hex.h"
#include "codec/compression.h"
#include "codec/varint.h"
#include "migrate/kairosdb_objects.h"
#include "migrate/utf8.h"
#include "protocol/json/text.h"

namespace varve::migrate {
namespace {

using model::Value;

// By DataType.
constexpr std::array<std::string_view, 8> kTypeNames = {
    "", "kairos_long",    "kairos_double",       "kairos_string",
    "", "kairos_complex", "kairos_histogram_v1", "kairos_histogram_v2"};
constexpr std::size_t kInflatedMax = std::size_t{16} << 20;

DataType type_of(std::string_view name) {
  for (std::size_t i = 1; i < kTypeNames.size(); ++i) {
    if (!name.empty() && name == kTypeNames[i]) return static_cast<DataType>(i);
  }
  return DataType::other;
}

// From `at` to the `end` that is not escaped; `at` is left behind it. nullopt: there is none.
std::optional<std::string> read_until(std::string_view text, std::size_t& at, char end, char escape) {
  std::string out;
  for (std::size_t i = at; i < text.size(); ++i) {
    if (text[i] == end) {
      at = i + 1;
      return out;
    }
    if (text[i] == escape && ++i == text.size()) break;
    out += text[i];
  }
  return std::nullopt;
}

Result<Value> long_of(std::string_view bytes) {
  std::uint64_t zigzag = 0;
  const auto* begin = reinterpret_cast<const std::byte*>(bytes.data());
  const auto* end = codec::get_varint(begin, begin + bytes.size(), zigzag);
  if (end == nullptr || end != begin + bytes.size()) return fail(Code::corrupt, "the value is not a packed long");
  return Value::of_long(codec::unzigzag(zigzag));
}

Result<Value> double_of(std::string_view bytes) {
  if (bytes.size() != 8) return fail(Code::corrupt, "a double has " + std::to_string(bytes.size()) + " bytes, not 8");
  return Value::of_double(std::bit_cast<double>(load_be64(bytes.data())));
}

Result<Value> legacy_of(bool is_double, std::string_view bytes) {
  if (!is_double) {
    if (bytes.size() > 8) return fail(Code::corrupt, "an old integer has " + std::to_string(bytes.size()) + " bytes");
    std::uint64_t bits = 0;
    for (const char c : bytes) bits = bits << 8 | static_cast<unsigned char>(c);
    return Value::of_long(std::bit_cast<std::int64_t>(bits));
  }
  if (bytes.size() == 5 && bytes[0] == 1) return Value::of_double(std::bit_cast<float>(load_be32(bytes.data() + 1)));
  if (bytes.size() == 9 && bytes[0] != 1) return double_of(bytes.substr(1));
  return fail(Code::corrupt, "an old float or double has " + std::to_string(bytes.size()) + " bytes");
}

Result<Value> string_of(std::string_view bytes, Strings strings, std::string& room) {
  const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(bytes[i])); };
  if (bytes.size() < 2 || bytes.size() - 2 != (byte(0) << 8 | byte(1))) {
    return fail(Code::corrupt, "a string is not as long as it says");
  }
  bytes.remove_prefix(2);
  if (strings == Strings::snappy) {
    if (!codec::decompress(codec::Coding::snappy, bytes, kInflatedMax, room)) room = bytes;
    if (!protocol::json::is_utf8(room)) return fail(Code::corrupt, "a string is neither snappy's nor UTF-8");
  } else if (!from_modified_utf8(bytes, room)) {
    return fail(Code::corrupt,
                "a string is not modified UTF-8 (of SnappyStringDataPointFactory? then say strings=snappy)");
  }
  return Value::of_string(room);
}

}  // namespace

Result<DataKey> parse_key(std::string_view key) {
  DataKey out;
  const std::size_t zero = key.find('\0');
  if (zero == std::string_view::npos) return fail(Code::corrupt, "the key has no zero byte behind the metric");
  out.metric = key.substr(0, zero);
  if (out.metric.empty()) return fail(Code::corrupt, "the metric is empty");
  if (!protocol::json::is_utf8(out.metric)) return fail(Code::corrupt, "the metric is not UTF-8");
  key.remove_prefix(zero + 1);
  if (key.size() < 8) return fail(Code::corrupt, "the key ends in its row time");
  out.row_time_ms = std::bit_cast<std::int64_t>(load_be64(key.data()));
  key.remove_prefix(8);
  out.type = DataType::legacy;
  if (!key.empty() && key[0] == '\0') {
    const std::size_t size = key.size() < 2 ? key.size() : static_cast<unsigned char>(key[1]);
    if (key.size() < 2 + size) return fail(Code::corrupt, "the key ends in its data type");
    out.type_name = key.substr(2, size);
    if (!protocol::json::is_utf8(out.type_name)) return fail(Code::corrupt, "the data type is not UTF-8");
    out.type = type_of(out.type_name);
    key.remove_prefix(2 + size);
  }
  out.tags = key;
  return out;
}

std::string key_with_type(const DataKey& key, DataType type) {
  std::string out(key.metric);
  out.append(9, '\0');
  store_be64(out.data() + key.metric.size() + 1, std::bit_cast<std::uint64_t>(key.row_time_ms));
  if (type != DataType::legacy) {
    const std::string_view name = kTypeNames[static_cast<std::size_t>(type)];
    out += '\0';
    out += static_cast<char>(name.size());
    out += name;
  }
  return out.append(key.tags);
}

Result<model::Tags> parse_tags(std::string_view stored) {
  model::Tags tags;
  if (!protocol::json::is_utf8(stored)) return fail(Code::corrupt, "the tags are not UTF-8");
  for (std::size_t at = 0; at < stored.size();) {
    auto name = read_until(stored, at, '=', ':');
    auto value = name ? read_until(stored, at, ':', '=') : std::nullopt;
    if (!value) return fail(Code::corrupt, "the tags end in the middle");
    tags.emplace_back(std::move(*name), std::move(*value));
  }
  return tags;
}

Result<RowSpec> row_spec(std::optional<std::string_view> row_time_unit) {
  if (!row_time_unit || *row_time_unit == "LEGACY") return RowSpec{.legacy = true, .unit_ms = 1};
  if (*row_time_unit == "MILLISECONDS") return RowSpec{.legacy = false, .unit_ms = 1};
  if (*row_time_unit == "SECONDS") return RowSpec{.legacy = false, .unit_ms = 1000};
  return fail(Code::unsupported, "table spec: row_time_unit is \"" + std::string(*row_time_unit) +
                                     "\"; LEGACY, MILLISECONDS and SECONDS are known");
}

Result<model::Timestamp> column_time(const RowSpec& spec, std::int64_t row_time_ms, std::string_view column) {
  if (column.size() != 4) return fail(Code::corrupt, "a column has " + std::to_string(column.size()) + " bytes, not 4");
  const std::uint32_t bits = load_be32(column.data());
  const std::int64_t offset_ms =
      spec.legacy ? std::int64_t{bits >> 1} : spec.unit_ms * std::bit_cast<std::int32_t>(bits);
  // No sum of two such overflows.
  if (row_time_ms < model::kTimestampMin || row_time_ms > model::kTimestampMax ||
      row_time_ms + offset_ms < model::kTimestampMin || row_time_ms + offset_ms > model::kTimestampMax) {
    return fail(Code::corrupt, "the time is beyond 2^53 ms");
  }
  return row_time_ms + offset_ms;
}

Result<model::Value> decode_value(DataType type, std::string_view column, std::string_view bytes, Strings strings,
                                  std::string& room) {
  switch (type) {
    case DataType::legacy: return legacy_of(!column.empty() && (column.back() & 1) != 0, bytes);
    case DataType::long_: return long_of(bytes);
    case DataType::double_: return double_of(bytes);
    case DataType::string: return string_of(bytes, strings, room);
    case DataType::complex: {
      VARVE_ASSIGN_OR_RETURN(room, complex_of(bytes));
      return Value::of_complex(room);
    }
    case DataType::histogram_v1: {
      VARVE_ASSIGN_OR_RETURN(room, histogram_v1_of(bytes));
      return Value::of_histogram(room);
    }
    case DataType::histogram_v2: {
      VARVE_ASSIGN_OR_RETURN(room, histogram_v2_of(bytes));
      return Value::of_histogram(room);
    }
    case DataType::other: break;
  }
  return fail(Code::unsupported, "this data type is not migrated");
}

std::string to_hex(std::string_view bytes) {
  constexpr std::size_t kBytesMax = 256;
  std::string out;
  append_hex(out, bytes.substr(0, kBytesMax));
  return bytes.size() > kBytesMax ? out + "…" : out;
}

}  // namespace varve::migrate
