// SPDX-License-Identifier: Apache-2.0
// Makes a sealed block of messages: docs/formats/message-block.md.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "message/row.h"

namespace varve::message::block {

struct EncodedBlock {
  std::vector<std::string> sections;
  std::size_t messages = 0;
  std::int64_t first_us = 0;
  std::int64_t last_us = 0;
  // Names that its messages have: of free fields, and what stands before the first colon of objects; sorted.
  std::vector<std::string> field_names = {};
  std::vector<std::string> object_types = {};
};

// 1 … 65,536 rows (kRowsMax) of at most 128 MiB together (kBlockBytesMax), which ascend by time, nanoseconds and
// arrival. Errors: invalid (they do not), limit (more bytes).
Result<EncodedBlock> encode_block(std::span<const RowView> rows);

}  // namespace varve::message::block
