// SPDX-License-Identifier: Apache-2.0
// Bitmap: a set of rows of one block.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/check.h"

namespace varve::message::block {

class Bitmap {
 public:
  Bitmap() = default;
  explicit Bitmap(std::size_t size, bool all = false) : size_(size), words_((size + 63) / 64, all ? ~0ULL : 0) {
    trim();
  }
  // Those for which `is_in(i)`.
  template <class IsIn>
  static Bitmap where(std::size_t size, const IsIn& is_in) {
    Bitmap out(size);
    for (std::size_t k = 0, i = 0; k < out.words_.size(); ++k) {
      std::uint64_t word = 0;
      for (const std::size_t end = std::min(i + 64, size); i < end; ++i) {
        word |= static_cast<std::uint64_t>(is_in(i)) << (i % 64);
      }
      out.words_[k] = word;
    }
    return out;
  }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool test(std::size_t i) const { return (words_[i / 64] >> (i % 64) & 1) != 0; }
  void set(std::size_t i) { words_[i / 64] |= 1ULL << (i % 64); }
  void reset(std::size_t i) { words_[i / 64] &= ~(1ULL << (i % 64)); }
  // Without a branch: rows that fulfil something come in no order.
  void set_if(std::size_t i, bool whether) { words_[i / 64] |= static_cast<std::uint64_t>(whether) << (i % 64); }

  [[nodiscard]] std::size_t count() const {
    std::size_t sum = 0;
    for (const std::uint64_t w : words_) sum += static_cast<std::size_t>(std::popcount(w));
    return sum;
  }
  [[nodiscard]] bool none() const {
    for (const std::uint64_t w : words_) {
      if (w != 0) return false;
    }
    return true;
  }

  Bitmap& operator&=(const Bitmap& o) {
    return combine(o, [](auto a, auto b) { return a & b; });
  }
  Bitmap& operator|=(const Bitmap& o) {
    return combine(o, [](auto a, auto b) { return a | b; });
  }
  Bitmap& operator-=(const Bitmap& o) {
    return combine(o, [](auto a, auto b) { return a & ~b; });
  }
  void flip() {
    for (std::uint64_t& w : words_) w = ~w;
    trim();
  }
  bool operator==(const Bitmap&) const = default;

  // In ascending order.
  template <class Each>
  void for_each(const Each& each) const {
    for (std::size_t k = 0; k < words_.size(); ++k) {
      for (std::uint64_t w = words_[k]; w != 0; w &= w - 1) {
        each(static_cast<std::uint32_t>(k * 64 + static_cast<std::size_t>(std::countr_zero(w))));
      }
    }
  }

 private:
  template <class Op>
  Bitmap& combine(const Bitmap& o, const Op& op) {
    check(size_ == o.size_, "bitmaps of one block");
    for (std::size_t k = 0; k < words_.size(); ++k) words_[k] = op(words_[k], o.words_[k]);
    return *this;
  }
  void trim() {
    if (size_ % 64 != 0) words_.back() &= (1ULL << (size_ % 64)) - 1;
  }

  std::size_t size_ = 0;
  std::vector<std::uint64_t> words_;
};

}  // namespace varve::message::block
