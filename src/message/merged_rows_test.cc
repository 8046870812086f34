// SPDX-License-Identifier: Apache-2.0
#include "message/merged_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <ranges>

#include "message/made_ids.h"

namespace varve::message {
namespace {

// Rows of a batch, in one order; checks that it is asked only after it was opened, and gives one row's memory at a
// time.
class ListedRows final : public RowSource {
 public:
  explicit ListedRows(std::vector<std::vector<std::byte>> rows) : rows_(std::move(rows)) {}
  Result<std::optional<RowView>> next() override {
    if (at_ == rows_.size()) return std::optional<RowView>();
    if (at_ > 0) std::ranges::fill(rows_[at_ - 1], std::byte{0xee});  // valid until the next call only
    return std::optional(RowView{rows_[at_++].data()});
  }

 private:
  std::vector<std::vector<std::byte>> rows_;
  std::size_t at_ = 0;
};

constexpr int kComputed = 4;

struct Made {
  std::int64_t time_us;
  unsigned nanos;
  std::uint64_t arrival;
  int id;  // 0: none; kComputed: of what the row says, which is nothing
  auto operator<=>(const Made&) const = default;
};

std::vector<std::byte> row_of(const Made& made) {
  Batch batch;
  Builder builder(batch);
  builder.start();
  if (made.id != 0 && made.id != kComputed) builder.set_id({static_cast<char>(made.id)});
  made.id == kComputed ? builder.finish_with_computed_id(made.time_us, made.nanos)
                       : builder.finish(made.time_us, made.nanos);
  if (made.id == kComputed && made.arrival % 3 == 0) {  // somebody gives this id
    const Id id = id_of(RowView{batch.bytes().data()});
    batch.clear();
    builder.start();
    builder.set_id(id);
    builder.finish(made.time_us, made.nanos);
  }
  std::vector<std::byte> row(batch.bytes().begin(), batch.bytes().end());
  set_arrival(row.data(), made.arrival);
  return row;
}

Made made_of(RowView row) {
  const auto id = row.cell(Column::id);
  const bool computed = repeat_of_id(row) == 0U;
  return {row.time_us(), row.nanos(), row.arrival(), computed ? kComputed : id ? id->text[0] : 0};
}

std::vector<Made> without_repeats(std::vector<Made> all) {
  std::ranges::sort(all);
  std::set<std::tuple<std::int64_t, unsigned, int>> seen;
  std::erase_if(
      all, [&](const Made& made) { return made.id != 0 && !seen.emplace(made.time_us, made.nanos, made.id).second; });
  return all;
}

std::vector<Made> merge(const std::vector<std::vector<Made>>& lists, bool newest_first) {
  MergedRows merged(newest_first);
  for (auto list : lists) {
    if (list.empty()) continue;
    std::ranges::sort(list);
    if (newest_first) std::ranges::reverse(list);
    merged.add(list.front().time_us, [list]() -> Result<std::unique_ptr<RowSource>> {
      std::vector<std::vector<std::byte>> rows;
      for (const Made& made : list) rows.push_back(row_of(made));
      return std::make_unique<ListedRows>(std::move(rows));
    });
  }
  std::vector<Made> out;
  while (true) {
    const auto row = merged.next();
    EXPECT_TRUE(row);
    if (!row || !*row) return out;
    out.push_back(made_of(**row));
  }
}

TEST(MergedRows, AsOneSortedListWouldBe) {
  for (unsigned seed = 1; seed <= 300; ++seed) {
    std::mt19937 random(seed);
    std::vector<std::vector<Made>> lists(random() % 6);
    std::vector<Made> all;
    std::uint64_t arrival = 0;
    for (unsigned i = random() % 80; i > 0 && !lists.empty(); --i) {
      const Made made{static_cast<std::int64_t>(random() % 12) - 3, static_cast<unsigned>(random() % 2), ++arrival,
                      static_cast<int>(random() % 5)};
      lists[random() % lists.size()].push_back(made);
      all.push_back(made);
    }
    auto expected = without_repeats(all);
    EXPECT_EQ(merge(lists, false), expected) << seed;
    std::ranges::reverse(expected);
    EXPECT_EQ(merge(lists, true), expected) << seed;
  }
}

TEST(MergedRows, SourcesAreOpenedWhenTheirTimeComes) {
  for (const bool newest_first : {false, true}) {
    MergedRows merged(newest_first);
    int opened = 0;
    for (const std::int64_t time : {30, 10, 20}) {
      merged.add(time, [&opened, time]() -> Result<std::unique_ptr<RowSource>> {
        ++opened;
        return std::make_unique<ListedRows>(std::vector{row_of({time, 0, 1, 0}), row_of({time, 0, 2, 0})});
      });
    }
    EXPECT_EQ((*merged.next())->time_us(), newest_first ? 30 : 10);
    EXPECT_EQ(opened, 1);
    EXPECT_EQ((*merged.next())->time_us(), newest_first ? 30 : 10);
    EXPECT_EQ(opened, 1);
    EXPECT_EQ((*merged.next())->time_us(), 20);
    EXPECT_EQ(opened, 2);
  }
}

TEST(MergedRows, ErrorsComeThrough) {
  MergedRows merged(false);
  merged.add(1, []() -> Result<std::unique_ptr<RowSource>> { return fail(Code::corrupt, "damaged"); });
  EXPECT_EQ(merged.next().error().code, Code::corrupt);
}

}  // namespace
}  // namespace varve::message
