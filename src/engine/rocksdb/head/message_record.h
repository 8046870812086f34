// SPDX-License-Identifier: Apache-2.0
// Messages in the log: the rows of a record are samples, or the messages of one tenant. docs/formats/log.md.
//
//   messages := 0xffffffff:u32 tenant:u32 name bytes:u8 name, message rows (message/row.h)
//
// No row of samples begins so: the first four bytes would be its line group. The name lets a start check the number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "model/ids.h"

namespace varve::engine::rocksdb {

inline constexpr std::uint32_t kMessages = 0xffff'ffff;
inline constexpr std::size_t kMessageHeadBytes = 9;  // before the name

struct MessageRecord {
  model::TenantId tenant{};
  std::string_view name;            // of the tenant
  std::span<const std::byte> rows;  // as they came, without arrivals
};

inline bool holds_messages(std::span<const std::byte> rows) {
  return rows.size() >= kMessageHeadBytes && load_le<std::uint32_t>(rows.data()) == kMessages;
}

// `name`: at most 64 bytes.
std::vector<std::byte> encode_messages(model::TenantId tenant, std::string_view name, std::span<const std::byte> rows);
// Of bytes that hold messages. The rows of one that is cut short are empty, and its name, too.
MessageRecord decode_messages(std::span<const std::byte> bytes);

// Are these well-formed rows?
bool whole_messages(std::span<const std::byte> rows);

// Messages of a record are numbered behind its sequence: what arrived later has a higher number.
inline constexpr unsigned kArrivalShift = 24;
inline constexpr std::size_t kRecordMessagesMax = std::size_t{1} << kArrivalShift;
constexpr std::uint64_t first_arrival(std::uint64_t sequence) { return sequence << kArrivalShift; }

}  // namespace varve::engine::rocksdb
