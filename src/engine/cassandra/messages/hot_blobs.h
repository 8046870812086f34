// SPDX-License-Identifier: Apache-2.0
// Hot blobs: the cells of a row of messages that are not sealed yet (docs/formats/cluster.md). Decoding is safe for any
// bytes. Errors: corrupt, unsupported (another version).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace varve::engine::cassandra {

// What is known of a row without reading it.
struct HotHead {
  std::uint32_t messages = 0;
  std::uint32_t bytes = 0;  // of its rows, before compression
  std::int64_t first_us = 0;
  std::int64_t last_us = 0;
};
std::string encode_hot_head(const HotHead& head);
Result<HotHead> decode_hot_head(std::string_view blob);

// Packed message rows with their arrivals; compressed where that pays.
std::string encode_hot_messages(std::string_view rows);
// To `rows`: well-formed ones, as many as the head says.
Status decode_hot_messages(std::string_view value, const HotHead& head, std::string& rows);

}  // namespace varve::engine::cassandra
