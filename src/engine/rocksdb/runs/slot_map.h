// SPDX-License-Identifier: Apache-2.0
// SlotMap: a map by slot that is cheap to copy: sorted pages, shared by copies until one is changed (copy-on-write). A
// store with many tenants and months has a million slots, and each commit changes a few hundred.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "base/check.h"
#include "engine/rocksdb/runs/keys.h"

namespace varve::engine::rocksdb {

// Copies may be read by other threads while this one is changed.
template <class T>
class SlotMap {
 public:
  using Entry = std::pair<SlotKey, T>;
  using Page = std::vector<Entry>;  // ascending, 1 … kPageMax
  static constexpr std::size_t kPageMax = 128;

  class Iterator {
   public:
    using iterator_category = std::bidirectional_iterator_tag;
    using value_type = Entry;
    using difference_type = std::ptrdiff_t;
    using pointer = const Entry*;
    using reference = const Entry&;

    Iterator() = default;
    Iterator(const SlotMap& map, std::size_t page, std::size_t at) : map_(&map), page_(page), at_(at) {}
    reference operator*() const { return (*map_->pages_[page_])[at_]; }
    pointer operator->() const { return &**this; }
    Iterator& operator++() {
      if (++at_ == map_->pages_[page_]->size()) ++page_, at_ = 0;
      return *this;
    }
    Iterator& operator--() {
      if (at_ == 0) at_ = map_->pages_[--page_]->size();
      --at_;
      return *this;
    }
    Iterator operator++(int) { return std::exchange(*this, std::next(*this)); }
    Iterator operator--(int) { return std::exchange(*this, std::prev(*this)); }
    bool operator==(const Iterator&) const = default;

   private:
    friend class SlotMap;
    const SlotMap* map_ = nullptr;
    std::size_t page_ = 0, at_ = 0;
  };

  [[nodiscard]] Iterator begin() const { return {*this, 0, 0}; }
  [[nodiscard]] Iterator end() const { return {*this, pages_.size(), 0}; }
  [[nodiscard]] bool empty() const { return pages_.empty(); }
  [[nodiscard]] std::size_t size() const { return size_; }

  // The first entry that is not before `key`.
  [[nodiscard]] Iterator lower_bound(const SlotKey& key) const {
    const std::size_t page = page_of(key);
    if (page == pages_.size()) return end();
    const std::size_t at = position(*pages_[page], key);
    return at < pages_[page]->size() ? Iterator{*this, page, at} : Iterator{*this, page + 1, 0};
  }
  [[nodiscard]] Iterator find(const SlotKey& key) const {
    const Iterator at = lower_bound(key);
    return at != end() && at->first == key ? at : end();
  }
  [[nodiscard]] bool contains(const SlotKey& key) const { return find(key) != end(); }
  // The key must exist.
  [[nodiscard]] const T& at(const SlotKey& key) const {
    const Iterator found = find(key);
    check(found != end(), "the slot is in the map");
    return found->second;
  }

  // The value for the key, which is inserted if it is missing. Valid until the next call.
  T& edit(const SlotKey& key) {
    if (pages_.empty()) {
      pages_.push_back(std::make_shared<Page>(1, Entry{key, T{}}));
      size_ = 1;
    }
    const std::size_t number = page_of(key);
    Page& page = own(number);
    const std::size_t at = position(page, key);
    if (at < page.size() && page[at].first == key) return page[at].second;
    ++size_;
    page.insert(page.begin() + static_cast<std::ptrdiff_t>(at), Entry{key, T{}});
    if (page.size() <= kPageMax) return page[at].second;
    split(number, at + 1 == page.size() ? kPageMax : kPageMax / 2);  // what grows at its end fills its pages
    return edit(key);
  }
  void erase(const SlotKey& key) {
    const Iterator found = find(key);
    if (found == end()) return;
    --size_;
    Page& page = own(found.page_);
    page.erase(page.begin() + static_cast<std::ptrdiff_t>(found.at_));
    if (page.empty()) pages_.erase(pages_.begin() + static_cast<std::ptrdiff_t>(found.page_));
  }

 private:
  // The last page that begins at or before the key, else the first one. 0 if there are no pages.
  [[nodiscard]] std::size_t page_of(const SlotKey& key) const {
    const auto after = std::ranges::upper_bound(pages_, key, {}, [](const auto& page) { return page->front().first; });
    return after == pages_.begin() ? 0 : static_cast<std::size_t>(after - pages_.begin()) - 1;
  }
  static std::size_t position(const Page& page, const SlotKey& key) {
    return static_cast<std::size_t>(std::ranges::lower_bound(page, key, {}, &Entry::first) - page.begin());
  }
  Page& own(std::size_t number) {
    if (pages_[number].use_count() > 1) pages_[number] = std::make_shared<Page>(*pages_[number]);
    return *pages_[number];
  }
  void split(std::size_t number, std::size_t at) {
    Page& page = *pages_[number];
    const auto middle = page.begin() + static_cast<std::ptrdiff_t>(at);
    auto rest = std::make_shared<Page>(std::make_move_iterator(middle), std::make_move_iterator(page.end()));
    page.erase(middle, page.end());
    pages_.insert(pages_.begin() + static_cast<std::ptrdiff_t>(number) + 1, std::move(rest));
  }

  std::vector<std::shared_ptr<Page>> pages_;
  std::size_t size_ = 0;
};

}  // namespace varve::engine::rocksdb
