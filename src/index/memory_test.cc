// SPDX-License-Identifier: Apache-2.0
// Memory runs out at any place of a definition: the index is whole, the next try goes well, and the records that were
// written make the same index again.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <new>
#include <utility>

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
  explicit Turn(int n)
      : area("area" + std::to_string(n / 400)),
        host("host" + std::to_string(n)),
        rack("rack" + std::to_string(n / 3)),
        row("row" + std::to_string(n / 20)),
        zone("zone" + std::to_string(n % 50)) {
    for (int m = 0; m < 3; ++m) names.push_back("metric" + std::to_string(n / 50 + m * (n % 2)));
    metrics.assign(names.begin(), names.end());
    tags = {{"area", area}, {"host", host}, {"rack", rack}, {"row", row}, {"zone", zone}};
  }
  std::string area, host, rack, row, zone;
  std::vector<std::string> names;
  std::vector<std::string_view> metrics;
  model::TagViews tags;
};

constexpr std::size_t kNoLimit = 1'000'000;

// What is counted while series are defined is what a recount gives.
void expect_same_counts(const SeriesIndex& index, model::TenantId tenant) {
  std::map<std::string, std::map<std::pair<std::string, std::string>, std::uint64_t>> recount;  // by metric
  for (std::uint32_t id = 0; id < index.series_end(); ++id) {
    auto& of_metric = recount[std::string(index.metric(model::SeriesId{id}))];
    for (const auto& tag : index.tags(model::SeriesId{id})) ++of_metric[tag];
  }
  for (const auto& [metric, counts] : recount) {
    std::vector<TagCount> expected;
    for (const auto& [tag, series] : counts) expected.push_back({tag.first, tag.second, series});
    EXPECT_EQ(index.tag_counts(tenant, metric, {}), expected) << metric;
  }
}

TEST(Memory, RunsOutAnywhereInADefinition) {
  SeriesIndex index({.series = 20, .tag_sets = 10});
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
  expect_same_counts(index, tenant);
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
