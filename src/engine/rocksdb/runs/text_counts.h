// SPDX-License-Identifier: Apache-2.0
// TextCounts: how many texts of the key-value store there are, and a sum over them that says whether they are the same;
// docs/formats/keys.md. Kept from write to write, so that a start notices texts that are missing, or older ones.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace varve::engine::rocksdb {

class TextCounts {
 public:
  void add(std::string_view key, std::string_view text);
  void remove(std::string_view key, std::string_view text);
  [[nodiscard]] std::uint64_t texts() const { return texts_; }
  bool operator==(const TextCounts&) const = default;

 private:
  friend std::string encode_text_counts(const TextCounts& counts, std::uint64_t commit);
  friend Status check_text_counts(std::string_view record, std::uint64_t commit, const TextCounts& found);
  std::uint64_t texts_ = 0;
  std::uint64_t sum_ = 0;
};

// `commit`: the number of the last one. Versions that do not count texts make commits, too.
std::string encode_text_counts(const TextCounts& counts, std::uint64_t commit);
// Error: corrupt. Nothing is compared with the record of another commit. Safe for untrusted bytes.
Status check_text_counts(std::string_view record, std::uint64_t commit, const TextCounts& found);

}  // namespace varve::engine::rocksdb
