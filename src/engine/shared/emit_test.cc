// SPDX-License-Identifier: Apache-2.0
#include "engine/shared/emit.h"

#include <gtest/gtest.h>

#include <map>

#include "engine/shared/testing/rows.h"

namespace varve::engine::shared {
namespace {

using model::TimeRange;
using model::Timestamp;

class EmittedNumbers final : public storage::PieceSink {
 public:
  explicit EmittedNumbers(bool takes) : takes_(takes) {}
  bool takes_stats(const storage::ChunkStats&) override { return takes_; }
  void stats(const storage::ChunkStats& given) override { counted += given.count; }
  Status piece(const storage::Piece& piece) override {
    EXPECT_GT(piece.size(), 0U);
    for (std::size_t i = 0; i < piece.size(); ++i) numbers[piece.series][piece.times[i]] = piece.bits[i];
    return {};
  }
  std::map<std::size_t, std::map<Timestamp, std::uint64_t>> numbers;
  std::size_t counted = 0;

 private:
  const bool takes_;
};

class EmitChunk : public ::testing::Test {
 protected:
  EmitChunk() {
    for (std::int64_t i = 0; i < 3000; ++i) {
      times.push_back(1000 + i * 10);
      ints.push_back(i * i % 77);
    }
    const chunk::Column column{chunk::Column::Form::longs, 0, ints, {}, {}, {}};
    block = testing::block_of(times, {column, column});
  }
  Status emit(TimeRange range, EmittedNumbers& sink) {
    Emitter emitter(sink, range);
    if (!emitter.start_chunk(*block, 0)) return {};
    VARVE_RETURN_IF_ERROR(emitter.chunk_column(4, 0));
    return emitter.chunk_column(5, 1);
  }
  std::vector<Timestamp> times;
  std::vector<std::int64_t> ints;
  std::shared_ptr<const chunk::Block> block;
};

TEST_F(EmitChunk, has_what_is_in_the_range) {
  for (const Timestamp first : {0, 1000, 1001, 2210, 20'505, 30'990, 31'000, 40'000}) {
    for (const std::int64_t length : {1, 5, 10, 3600, 50'000}) {
      const TimeRange range{first, first + length};
      std::map<Timestamp, std::uint64_t> want;
      for (std::size_t i = 0; i < times.size(); ++i) {
        if (range.contains(times[i])) want[times[i]] = static_cast<std::uint64_t>(ints[i]);
      }
      EmittedNumbers sink(false);
      ASSERT_TRUE(emit(range, sink));
      EXPECT_EQ(sink.numbers[4], want);
      EXPECT_EQ(sink.numbers[5], want);
    }
  }
}

TEST_F(EmitChunk, statistics_are_of_all_of_it) {
  EmittedNumbers whole(true);
  ASSERT_TRUE(emit({1000, 30'991}, whole));
  EXPECT_EQ(whole.counted, 2 * times.size());
  EXPECT_TRUE(whole.numbers.empty());
  EmittedNumbers part(true);
  ASSERT_TRUE(emit({1000, 30'990}, part));
  EXPECT_EQ(part.counted, 0U);
  EXPECT_EQ(part.numbers[4].size(), times.size() - 1);
}

}  // namespace
}  // namespace varve::engine::shared
