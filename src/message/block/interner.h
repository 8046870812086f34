// SPDX-License-Identifier: Apache-2.0
// Interner: gives each distinct byte string a number, in the order of first sight.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string_view>
#include <vector>

#include "codec/hash.h"

namespace varve::message::block {

// Keeps copies of strings; they stay where they are.
class Arena {
 public:
  std::string_view copy(std::string_view text) {
    if (text.size() > left_) {
      left_ = std::max(kStep, text.size());
      at_ = steps_.emplace_back(std::make_unique_for_overwrite<char[]>(left_)).get();
    }
    std::copy(text.begin(), text.end(), at_);
    const std::string_view kept(at_, text.size());
    at_ += text.size();
    left_ -= text.size();
    return kept;
  }

 private:
  static constexpr std::size_t kStep = 64 << 10;
  std::vector<std::unique_ptr<char[]>> steps_;
  char* at_ = nullptr;
  std::size_t left_ = 0;
};

class Interner {
 public:
  // The term must stay where it is.
  std::uint32_t add(std::string_view term) {
    return place(term, [](std::string_view t) { return t; });
  }
  std::uint32_t add_copy(std::string_view term, Arena& arena) {
    return place(term, [&arena](std::string_view t) { return arena.copy(t); });
  }
  [[nodiscard]] const std::vector<std::string_view>& terms() const { return terms_; }

  // Sorts the terms; returns the place that each had got: number before → number now. No add() after it.
  std::vector<std::uint32_t> sort() {
    std::vector<std::uint32_t> order(terms_.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::sort(order, [this](std::uint32_t a, std::uint32_t b) { return terms_[a] < terms_[b]; });
    std::vector<std::uint32_t> rank(order.size());
    std::vector<std::string_view> sorted(order.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) rank[order[i]] = i, sorted[i] = terms_[order[i]];
    terms_ = std::move(sorted);
    return rank;
  }

 private:
  struct Place {
    std::uint32_t check = 0;
    std::uint32_t number = 0;  // plus 1; 0: free
  };

  template <class Keep>
  std::uint32_t place(std::string_view term, const Keep& keep) {
    if (terms_.size() * 2 >= places_.size()) grow();
    const std::uint64_t hash = codec::hash64(term);
    const std::size_t mask = places_.size() - 1;
    const auto check = static_cast<std::uint32_t>(hash >> 32);
    for (std::size_t i = hash & mask;; i = (i + 1) & mask) {
      Place& p = places_[i];
      if (p.number == 0) {
        terms_.push_back(keep(term));
        hashes_.push_back(hash);
        p = {check, static_cast<std::uint32_t>(terms_.size())};
        return p.number - 1;
      }
      if (p.check == check && terms_[p.number - 1] == term) return p.number - 1;
    }
  }
  void grow() {
    std::vector<Place> larger(std::max<std::size_t>(64, places_.size() * 4));
    const std::size_t mask = larger.size() - 1;
    for (std::uint32_t n = 0; n < hashes_.size(); ++n) {
      std::size_t i = hashes_[n] & mask;
      while (larger[i].number != 0) i = (i + 1) & mask;
      larger[i] = {static_cast<std::uint32_t>(hashes_[n] >> 32), n + 1};
    }
    places_ = std::move(larger);
  }

  std::vector<Place> places_;
  std::vector<std::uint64_t> hashes_;
  std::vector<std::string_view> terms_;
};

}  // namespace varve::message::block
