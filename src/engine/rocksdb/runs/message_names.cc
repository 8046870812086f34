// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/runs/message_names.h"

#include <span>

#include "base/bytes.h"
#include "codec/crc32c.h"
#include "codec/varint.h"

namespace varve::engine::rocksdb {
namespace {

constexpr std::uint32_t kNamesVersion = 1;
constexpr std::size_t kNamesHeadBytes = 8;

using NameSet = std::set<std::string, std::less<>>;

void add_name(NameSet& names, std::string_view name) {
  if (!names.contains(name)) names.emplace(name);
}

void append_set(std::string& out, const NameSet& names) {
  codec::append_varint(out, names.size());
  for (const std::string& name : names) {
    codec::append_varint(out, name.size());
    out += name;
  }
}

// Behind the set, or nullptr.
const std::byte* read_set(const std::byte* at, const std::byte* end, NameSet& names) {
  std::uint64_t count = 0, size = 0;
  at = codec::get_varint(at, end, count);
  for (; at != nullptr && count > 0; --count) {
    at = codec::get_varint(at, end, size);
    if (at == nullptr || size > static_cast<std::uint64_t>(end - at)) return nullptr;
    add_name(names, {reinterpret_cast<const char*>(at), size});
    at += size;
  }
  return at;
}

}  // namespace

void add_names(message::RowView row, storage::MessageNames& out) {
  message::CellReader cells = row.reader();
  for (message::Cell cell; cells.next(cell);) {
    if (cell.column == message::Column::field) add_name(out.fields, cell.name);
    if (cell.column == message::Column::object) add_name(out.object_types, cell.text.substr(0, cell.text.find(':')));
  }
}

std::string encode_names(const storage::MessageNames& names) {
  std::string out(kNamesHeadBytes, '\0');
  store_le(out.data() + 4, kNamesVersion);
  append_set(out, names.fields);
  append_set(out, names.object_types);
  store_le(out.data(), codec::crc32c(std::as_bytes(std::span(out)).subspan(4)));
  return out;
}

Status decode_names(std::string_view section, storage::MessageNames& out) {
  const auto bytes = std::as_bytes(std::span(section));
  const bool good = section.size() >= kNamesHeadBytes &&
                    codec::crc32c(bytes.subspan(4)) == load_le<std::uint32_t>(section.data()) &&
                    load_le<std::uint32_t>(section.data() + 4) == kNamesVersion;
  const std::byte* const end = bytes.data() + bytes.size();
  const std::byte* at = good ? read_set(bytes.data() + kNamesHeadBytes, end, out.fields) : nullptr;
  if (at != nullptr) at = read_set(at, end, out.object_types);
  if (at != end) return fail(Code::corrupt, "the names of a message run are damaged, or of a later version");
  return {};
}

}  // namespace varve::engine::rocksdb
