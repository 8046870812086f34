// SPDX-License-Identifier: Apache-2.0
// WordColumn: words one after the other, as the values of one variable are written.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "message/block/packed.h"

namespace varve::message::block {

// Copies without reading or writing anything else; most words are short. Returns where the next one goes.
inline std::byte* copy_word(std::string_view word, std::byte* to) {
  const char* const at = word.data();
  const std::size_t n = word.size();
  const auto both_ends = [=]<class T>(T) {
    store_le(to, load_le<T>(at));
    store_le(to + n - sizeof(T), load_le<T>(at + n - sizeof(T)));
  };
  if (n > 16) {
    std::memcpy(to, at, n);
  } else if (n >= 8) {
    both_ends(std::uint64_t{});
  } else if (n >= 4) {
    both_ends(std::uint32_t{});
  } else if (n > 0) {
    to[0] = static_cast<std::byte>(at[0]);
    to[n / 2] = static_cast<std::byte>(at[n / 2]);
    to[n - 1] = static_cast<std::byte>(at[n - 1]);
  }
  return to + n;
}

// Of words without a blank. Reusable.
class WordColumn {
 public:
  void clear() {
    bytes_.clear();
    ends_.clear();
  }
  void add(std::string_view word) {
    *copy_word(word, bytes_.reserve(word.size() + 1)) = std::byte{' '};
    ends_.push_back(static_cast<std::uint32_t>(bytes_.size() + word.size()));
    bytes_.advance(word.size() + 1);
  }
  [[nodiscard]] std::size_t size() const { return ends_.size(); }
  [[nodiscard]] std::string_view operator[](std::size_t i) const {
    const std::uint32_t begin = i == 0 ? 0 : ends_[i - 1] + 1;
    return text().substr(begin, ends_[i] - begin);
  }
  // All of them, each followed by a blank.
  [[nodiscard]] std::string_view text() const { return text_of(bytes_.view()); }

 private:
  Bytes bytes_;
  std::vector<std::uint32_t> ends_;
};

}  // namespace varve::message::block
