// SPDX-License-Identifier: Apache-2.0
// Memory runs out at any place of a definition: the index is whole, the next try goes well, and the records that were
// written make the same index again.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "index/series_index.h"

// Every form is replaced that std uses, also the nothrow one of std::stable_sort: what one form gave, free() takes
// back.
namespace {
thread_local long allocations_left = -1;  // none fail

void* allocate(std::size_t bytes) {
  if (allocations_left == 0) throw std::bad_alloc();
  if (allocations_left > 0) --allocations_left;
  if (void* memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
  throw std::bad_alloc();
}
}  // namespace

void* operator new(std::size_t bytes) { return allocate(bytes); }
void* operator new[](std::size_t bytes) { return allocate(bytes); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept try {
  return allocate(bytes);
} catch (const std::bad_alloc&) {
  return nullptr;
}
void* operator new[](std::size_t bytes, const std::nothrow_t& no) noexcept { return operator new(bytes, no); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace varve::index {
namespace {

// What is defined in one turn: some names that are known, more that are new, enough of them for each table to grow.
struct Turn {
  explicit Turn(int n) : host("host" + std::to_string(n)), rack("rack" + std::to_string(n / 3)) {
    for (int m = 0; m < 3; ++m) names.push_back("metric" + std::to_string(n / 50 + m * (n % 2)));
    metrics.assign(names.begin(), names.end());
    tags = {{"host", host}, {"rack", rack}};
  }
  std::string host, rack;
  std::vector<std::string> names;
  std::vector<std::string_view> metrics;
  model::TagViews tags;
};

constexpr std::size_t kNoLimit = 1'000'000;

TEST(Memory, RunsOutAnywhereInADefinition) {
  SeriesIndex index;
  std::string definitions;
  const auto tenant = index.tenant("t", definitions);
  std::vector<std::uint32_t> groups;
  int failed = 0;
  for (int n = 0; n < 3000; ++n) {
    const Turn turn(n);
    // Each time one allocation later, until the definition has all that it needs.
    for (long left = 0;; ++left) {
      allocations_left = left;
      try {
        const auto group = index.define_group(tenant, turn.tags, turn.metrics, kNoLimit, definitions, n % 7);
        allocations_left = -1;
        ASSERT_TRUE(group);
        groups.push_back(model::to_int(*group));
        break;
      } catch (const std::bad_alloc&) {
        allocations_left = -1;
        ++failed;
      }
    }
  }
  EXPECT_GT(failed, 300);
  SeriesIndex again;
  const Status replayed = again.replay(std::as_bytes(std::span(definitions)));
  ASSERT_TRUE(replayed) << replayed.error().message;
  EXPECT_EQ(again.series_count(), index.series_count());
  for (SeriesIndex* one : {&index, &again}) {
    std::string more;
    for (int n = 0; n < 3000; ++n) {
      const Turn turn(n);
      const auto group = one->define_group(tenant, turn.tags, turn.metrics, kNoLimit, more, n % 7);
      ASSERT_TRUE(group);
      EXPECT_EQ(model::to_int(*group), groups[static_cast<std::size_t>(n)]);
    }
    EXPECT_TRUE(more.empty());
  }
}

}  // namespace
}  // namespace varve::index
