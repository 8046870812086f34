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
    if (piece.type == model::ValueType::stale_marker) {
      markers.insert(markers.end(), piece.times.begin(), piece.times.end());
      return {};
    }
    for (std::size_t i = 0; i < piece.size(); ++i) numbers[piece.series][piece.times[i]] = piece.bits[i];
    return {};
  }
  [[nodiscard]] bool takes_markers() const override { return wants_markers; }
  bool wants_markers = false;
  std::vector<Timestamp> markers;
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

TEST(EmitMarkers, are_for_who_takes_them) {
  using model::ValueType;
  const std::vector<Timestamp> times = {10, 20, 30, 40};
  const auto marker = ValueType::stale_marker, number = ValueType::long_;
  const std::vector<std::uint64_t> bits = {0, 1, 0, 2};
  const std::vector<ValueType> ends = {marker, number, marker, number}, amid = {number, number, marker, number},
                               only(4, marker);
  for (const auto& types : {ends, amid, only}) {
    const chunk::Column column{chunk::Column::Form::typed, 0, {}, types, bits, {}};
    const auto block = testing::block_of(times, {column});
    std::map<Timestamp, std::uint64_t> values;
    std::vector<Timestamp> markers;
    for (std::size_t i = 0; i < times.size(); ++i) {
      if (types[i] == marker) markers.push_back(times[i]);
      if (types[i] == number) values[times[i]] = bits[i];
    }
    for (const bool wants : {false, true}) {
      for (const bool of_chunk : {false, true}) {
        EmittedNumbers sink(false);
        sink.wants_markers = wants;
        Emitter emitter(sink, model::kAllTime);
        if (of_chunk) {
          ASSERT_TRUE(emitter.start_chunk(*block, 0));
          ASSERT_TRUE(emitter.chunk_column(0, 0));
        } else {
          ASSERT_TRUE(emitter.emit(0, times, column));
        }
        EXPECT_EQ(sink.numbers[0], values);
        EXPECT_EQ(sink.markers, wants ? markers : std::vector<Timestamp>{});
      }
    }
    // Statistics are of the values, and only where the ends are values.
    EmittedNumbers sink(true);
    Emitter emitter(sink, model::kAllTime);
    ASSERT_TRUE(emitter.start_chunk(*block, 0));
    ASSERT_TRUE(emitter.chunk_column(0, 0));
    EXPECT_EQ(sink.counted, types == amid ? 3U : 0U);
    EXPECT_EQ(sink.numbers[0].size(), types == ends ? 2U : 0U);
  }
}

}  // namespace
}  // namespace varve::engine::shared
