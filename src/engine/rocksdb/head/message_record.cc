// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/head/message_record.h"

#include <algorithm>

#include "base/check.h"
#include "message/row.h"

namespace varve::engine::rocksdb {

std::vector<std::byte> encode_messages(model::TenantId tenant, std::string_view name, std::span<const std::byte> rows) {
  check(name.size() < 256, "a tenant's name is short");
  std::vector<std::byte> out(kMessageHeadBytes + name.size() + rows.size());
  store_le(out.data(), kMessages);
  store_le(out.data() + 4, model::to_int(tenant));
  store_le(out.data() + 8, static_cast<std::uint8_t>(name.size()));
  std::memcpy(out.data() + kMessageHeadBytes, name.data(), name.size());
  std::ranges::copy(rows, out.data() + kMessageHeadBytes + name.size());
  return out;
}

bool whole_messages(std::span<const std::byte> rows) {
  for (const std::byte *at = rows.data(), *const end = at + rows.size(); at != end;) {
    const std::size_t bytes = message::check_row(at, end);
    if (bytes == 0) return false;
    at += bytes;
  }
  return true;
}

MessageRecord decode_messages(std::span<const std::byte> bytes) {
  check(holds_messages(bytes), "messages");
  const std::size_t name = load_le<std::uint8_t>(bytes.data() + 8);
  if (bytes.size() < kMessageHeadBytes + name) return {};
  return {model::TenantId{load_le<std::uint32_t>(bytes.data() + 4)},
          {reinterpret_cast<const char*>(bytes.data()) + kMessageHeadBytes, name},
          bytes.subspan(kMessageHeadBytes + name)};
}

}  // namespace varve::engine::rocksdb
