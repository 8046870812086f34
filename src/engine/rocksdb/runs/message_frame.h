// SPDX-License-Identifier: Apache-2.0
// Frames: rows of messages, compressed; the blocks of a message run. docs/formats/message-run.md.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "message/row.h"

namespace varve::engine::rocksdb {

inline constexpr std::size_t kFrameBytes = std::size_t{256} << 10;  // of rows; the row that passes it is its last

// Rows in order of time; at least one. `raw` is memory to work in, which is used again for the next one.
Result<std::string> encode_frame(std::span<const message::RowView> rows, std::string& raw);

// Replaces `out` with the frame's rows: whole, well-formed ones, at least one. Error: corrupt, with nothing left in
// `out`.
Status decode_frame(std::string_view frame, std::string& out);

// The times in it, without decompressing it. Error: corrupt.
struct FrameTimes {
  std::int64_t first_us = 0;
  std::int64_t last_us = 0;
};
Result<FrameTimes> times_of(std::string_view frame);

}  // namespace varve::engine::rocksdb
