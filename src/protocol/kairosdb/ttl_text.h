// SPDX-License-Identifier: Apache-2.0
// What stands as "fields" beside the name of a line group of KairosDB's: its time to live, if it has one. So the same
// name and tags with another "ttl" are another group.
#pragma once

#include <charconv>
#include <cstdint>
#include <string_view>

namespace varve::protocol::kairosdb {

class TtlText {
 public:
  // In seconds, 0: none.
  explicit TtlText(std::uint32_t ttl_s) {
    if (ttl_s != 0) end_ = std::to_chars(text_, text_ + sizeof text_, ttl_s).ptr;
  }
  TtlText(const TtlText&) = delete;
  TtlText& operator=(const TtlText&) = delete;

  // Decimal; empty: none.
  [[nodiscard]] std::string_view view() const { return {text_, static_cast<std::size_t>(end_ - text_)}; }

 private:
  char text_[10];
  const char* end_ = text_;
};

}  // namespace varve::protocol::kairosdb
