// SPDX-License-Identifier: Apache-2.0
// Bloom filters over pairs of a word and a text frame that has it; each word belongs to one filter.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "message/block/format.h"
#include "message/block/packed.h"
#include "message/block/parts.h"
#include "message/block/word_column.h"

namespace varve::message::block {

// Of a word in lower case.
std::uint64_t hash_of_word(std::string_view lowered);

class WordFilterWriter {
 public:
  WordFilterWriter() : recent_(kRecent) {}
  // Of any case.
  void add(std::string_view word, std::uint32_t frame);
  void add(const WordColumn& words, std::uint32_t frame);
  void write(PartWriter& parts) const;

 private:
  void add_lowered(std::string_view word, std::uint32_t frame);

  static constexpr std::size_t kRecent = 1 << 14;
  struct Entry {
    std::uint64_t word, pair;
  };
  std::vector<Entry> pairs_;
  std::vector<std::uint64_t> recent_;  // spares most of the pairs that are there already
  std::vector<char> lowered_;
};

class WordFilter {
 public:
  // Keeps the bytes. False: malformed.
  bool read(Cursor from);
  [[nodiscard]] bool may_have(std::uint64_t word_hash, std::uint32_t frame) const;

 private:
  std::span<const std::byte> bits_;
  unsigned hashes_ = 0;
};

}  // namespace varve::message::block
