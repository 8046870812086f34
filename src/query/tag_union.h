// SPDX-License-Identifier: Apache-2.0
// TagUnion: tag keys, sorted, each with its sorted values, in three pieces of memory however many there are: an answer
// holds one for each of its groups.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace varve::query {

class TagUnion {
  // Over what has operator[], for loops.
  template <class Range>
  class Iterator {
   public:
    Iterator(const Range& of, std::size_t at) : of_(&of), at_(at) {}
    auto operator*() const { return (*of_)[at_]; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    bool operator==(const Iterator&) const = default;

   private:
    const Range* of_;
    std::size_t at_;
  };

 public:
  // Of one key. Valid as long as the union stands unchanged.
  class Values {
   public:
    [[nodiscard]] std::size_t size() const { return end_ - first_; }
    std::string_view operator[](std::size_t i) const { return of_->text(first_ + i); }
    [[nodiscard]] std::string_view front() const { return (*this)[0]; }
    [[nodiscard]] auto begin() const { return Iterator(*this, 0); }
    [[nodiscard]] auto end() const { return Iterator(*this, size()); }

   private:
    friend class TagUnion;
    Values(const TagUnion& of, std::size_t first, std::size_t end) : of_(&of), first_(first), end_(end) {}
    const TagUnion* of_;
    std::size_t first_, end_;
  };

  TagUnion() = default;
  TagUnion(std::initializer_list<std::pair<std::string_view, std::initializer_list<std::string_view>>> entries) {
    for (const auto& [key, values] : entries) {
      add_key(key);
      for (const std::string_view value : values) add_value(value);
    }
  }

  void reserve(std::size_t keys, std::size_t values, std::size_t bytes) {
    keys_.reserve(keys);
    ends_.reserve(keys + values);
    bytes_.reserve(bytes);
  }
  // Keys come in their order, the values of each behind it in theirs.
  void add_key(std::string_view key) {
    keys_.push_back(ends_.size());
    add_value(key);
  }
  void add_value(std::string_view value) {
    bytes_ += value;
    ends_.push_back(bytes_.size());
  }

  // Of keys.
  [[nodiscard]] std::size_t size() const { return keys_.size(); }
  [[nodiscard]] bool empty() const { return keys_.empty(); }
  // A key and its values.
  std::pair<std::string_view, Values> operator[](std::size_t i) const {
    const std::size_t end = i + 1 < keys_.size() ? keys_[i + 1] : ends_.size();
    return {text(keys_[i]), Values(*this, keys_[i] + 1, end)};
  }
  [[nodiscard]] auto begin() const { return Iterator(*this, 0); }
  [[nodiscard]] auto end() const { return Iterator(*this, size()); }

  // That it holds, beside itself.
  [[nodiscard]] std::size_t bytes() const {
    return (keys_.capacity() + ends_.capacity()) * sizeof(std::size_t) +
           (bytes_.capacity() < sizeof bytes_ ? 0 : bytes_.capacity());
  }
  bool operator==(const TagUnion&) const = default;

 private:
  [[nodiscard]] std::string_view text(std::size_t at) const {
    const std::size_t begin = at == 0 ? 0 : ends_[at - 1];
    return std::string_view(bytes_).substr(begin, ends_[at] - begin);
  }

  std::vector<std::size_t> keys_;  // which of the texts are keys
  std::vector<std::size_t> ends_;  // of the texts in bytes_; each begins where the one before ends
  std::string bytes_;
};

}  // namespace varve::query
