// SPDX-License-Identifier: Apache-2.0
// Interner: gives each distinct byte string a number, in the order of first sight.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string_view>
#include <vector>

#include "base/bytes.h"
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

// A byte string as what tables compare: up to 16 bytes themselves, of longer ones 128 bits of hash, which are equal for
// different strings with no probability that matters (docs/decisions/0007-group-names-by-hash.md).
struct TermKey {
  std::uint64_t low = 0, high = 0;
  std::uint32_t size = 0;
  bool operator==(const TermKey&) const = default;

  static TermKey of(std::string_view term) {
    const char* const at = term.data();
    const std::size_t n = term.size();
    TermKey key{0, 0, static_cast<std::uint32_t>(n)};
    if (n > 16) {
      const codec::Hash128 hash = codec::hash128(term);
      key.low = hash.low, key.high = hash.high;
    } else if (n >= 8) {
      key.low = load_le<std::uint64_t>(at), key.high = load_le<std::uint64_t>(at + n - 8);
    } else if (n >= 4) {
      key.low = load_le<std::uint32_t>(at), key.high = load_le<std::uint32_t>(at + n - 4);
    } else if (n > 0) {
      const auto byte = [at](std::size_t i) { return std::uint64_t{static_cast<unsigned char>(at[i])}; };
      key.low = byte(0) | byte(n / 2) << 8 | byte(n - 1) << 16;
    }
    return key;
  }
  // Drawn at process start, so that nobody can choose terms that share a place.
  [[nodiscard]] std::uint64_t place() const {
    __extension__ using Wide = unsigned __int128;
    static const codec::Hash128 seed = codec::hash128("place");
    const Wide product = static_cast<Wide>(low ^ seed.low) * (high ^ size ^ seed.high);
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  }
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
    TermKey key;
    std::uint32_t number = 0;  // plus 1; 0: free
  };

  template <class Keep>
  std::uint32_t place(std::string_view term, const Keep& keep) {
    if (terms_.size() * 2 >= places_.size()) grow();
    const TermKey key = TermKey::of(term);
    const std::size_t mask = places_.size() - 1;
    for (std::size_t i = key.place() & mask;; i = (i + 1) & mask) {
      Place& p = places_[i];
      if (p.number == 0) {
        terms_.push_back(keep(term));
        p = {key, static_cast<std::uint32_t>(terms_.size())};
        return p.number - 1;
      }
      if (p.key == key) return p.number - 1;
    }
  }
  void grow() {
    std::vector<Place> larger(std::max<std::size_t>(64, places_.size() * 4));
    const std::size_t mask = larger.size() - 1;
    for (const Place& p : places_) {
      if (p.number == 0) continue;
      std::size_t i = p.key.place() & mask;
      while (larger[i].number != 0) i = (i + 1) & mask;
      larger[i] = p;
    }
    places_ = std::move(larger);
  }

  std::vector<Place> places_;
  std::vector<std::string_view> terms_;
};

}  // namespace varve::message::block
