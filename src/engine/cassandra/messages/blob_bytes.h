// SPDX-License-Identifier: Apache-2.0
// Cells are texts to the row store, and bytes to who reads them.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace varve::engine::cassandra {

inline std::span<const std::byte> blob_bytes(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}
inline std::string blob_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace varve::engine::cassandra
