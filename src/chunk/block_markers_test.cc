// SPDX-License-Identifier: Apache-2.0
// Columns with staleness markers.
#include <cmath>
#include <limits>
#include <random>

#include "base/bytes.h"
#include "chunk/format.h"
#include "chunk/round_trip.h"
#include "chunk/sample_data.h"
#include "codec/crc32c.h"

namespace varve::chunk {
namespace {

using model::Value;
using model::ValueType;

const Value kNoCell{kErased, 0, {}};

OwnGroup one_column(OwnColumn column, std::size_t rows) { return {7, steady_times(rows), {std::move(column)}}; }

// A block says its version behind magic and checksum.
unsigned version_of(const std::vector<std::byte>& bytes) { return static_cast<unsigned>(bytes[kCheckedFrom]); }

TEST(BlockMarkers, KeepsMarkersOfEachPlace) {
  const Value marker = Value::of_stale_marker();
  const std::vector<std::vector<Value>> cases = {
      {marker},
      {marker, marker, marker},
      {marker, Value::of_double(1.5)},
      {Value::of_double(1.5), marker},
      {Value::of_long(1), marker, marker, Value::of_long(3), Value::of_long(std::numeric_limits<std::int64_t>::max())},
      {Value::of_double(NAN), marker, Value::of_double(std::bit_cast<double>(model::kStaleMarkerBits))},
      {marker, Value::of_string("a"), marker, Value::of_string(""), marker},
      {marker, Value::of_histogram("h"), Value::of_complex("c"), marker},
      {Value::of_long(1), Value::of_double(0.1), marker, Value::of_string("x"), kNoCell, marker, kNoCell},
      {kNoCell, marker},
      {kNoCell, marker, kNoCell},
  };
  for (std::size_t i = 0; i < cases.size(); ++i) {
    SCOPED_TRACE("case " + std::to_string(i));
    const auto bytes = expect_round_trip({one_column(typed(cases[i]), cases[i].size())});
    EXPECT_EQ(version_of(bytes), kVersionWithMarkers);
  }
}

// Builds that do not know markers can read all other blocks.
TEST(BlockMarkers, OnlyMarkersNeedTheirVersion) {
  EXPECT_LT(version_of(seal({one_column(doubles({NAN, std::bit_cast<double>(model::kStaleMarkerBits)}), 2)})),
            kVersionWithMarkers);
  auto bytes = seal({one_column(typed({Value::of_long(1), Value::of_stale_marker()}), 2)});
  bytes[kCheckedFrom] = std::byte{kVersionWithSplits};
  store_le(bytes.data() + 4, codec::crc32c(std::span<const std::byte>(bytes).subspan(kCheckedFrom)));
  EXPECT_EQ(Block::open(bytes).error().code, Code::corrupt);
}

TEST(BlockMarkers, KeepsManyMarkersOfLongColumns) {
  std::mt19937_64 random(3);
  for (const unsigned every : {2U, 100U, 1000U}) {
    OwnGroup group = long_group(every, 9000);
    for (OwnColumn& column : group.columns) {
      std::vector<Value> values;
      for (const std::int64_t v : column.ints) {
        const double number = static_cast<double>(v) / model::kPowerOfTen[column.decimals];
        values.push_back(random() % every == 0 ? Value::of_stale_marker() : Value::of_double(number));
      }
      column = typed(values);
    }
    expect_round_trip({group});
  }
}

TEST(BlockMarkers, StatsOfColumnsWithMarkersAreThoseOfTheValues) {
  const Value marker = Value::of_stale_marker();
  const auto stats_of = [](const std::vector<Value>& values) {
    return reopen(seal({one_column(typed(values), values.size())}))->stats(0, 0);
  };
  const Stats stats = stats_of({Value::of_double(1.5), marker, Value::of_double(-4), marker, Value::of_double(7)});
  EXPECT_TRUE(stats.numeric && stats.uniform);
  EXPECT_EQ(stats.type, ValueType::double_);
  EXPECT_EQ(stats.min, -4);
  EXPECT_EQ(stats.max, 7);
  EXPECT_EQ(stats.sum, 4.5);
  EXPECT_EQ(stats.count, 3U);
  // The first and the last time of the chunk are not those of its values.
  EXPECT_FALSE(stats_of({marker, Value::of_long(1), Value::of_long(2)}).numeric);
  EXPECT_FALSE(stats_of({Value::of_long(1), Value::of_long(2), marker}).numeric);
  EXPECT_FALSE(stats_of({marker, marker}).numeric);
  EXPECT_FALSE(stats_of({Value::of_long(1), marker, Value::of_double(2)}).numeric);
}

// Bytes of an hour of eight hosts, each series a group of its own, as remote write makes them. `is_marker`: of a row of
// a host, and of one of its series.
template <class IsMarker>
double bytes_with(DataSet set, const IsMarker& is_marker) {
  constexpr std::size_t kHosts = 8;
  DataMaker maker(set, kHosts);
  std::vector<OwnGroup> groups;
  for (std::size_t host = 0; host < kHosts; ++host) {
    const HostData data = maker.hour(host, 0);
    for (std::size_t f = 0; f < DataMaker::kFields; ++f) {
      std::vector<Value> values;
      for (std::size_t row = 0; row < data.times.size(); ++row) {
        const double number = static_cast<double>(data.ints[f][row]) / model::kPowerOfTen[data.decimals[f]];
        values.push_back(is_marker(host * 1000 + row, f) ? Value::of_stale_marker() : Value::of_double(number));
      }
      groups.push_back({static_cast<std::uint32_t>(groups.size() + 1), data.times, {typed(values)}});
    }
  }
  return static_cast<double>(expect_round_trip(groups).size());
}

// One sample of a hundred is a marker.
TEST(BlockMarkers, MarkersTakeLittleRoom) {
  for (const DataSet set : {DataSet::mix, DataSet::decimals}) {
    std::mt19937_64 random(9);
    std::vector<bool> gone(8000);
    for (std::size_t row = 0; row < gone.size(); ++row) gone[row] = random() % 100 == 0;
    const double without = bytes_with(set, [](std::size_t, std::size_t) { return false; });
    const double of_targets = bytes_with(set, [&](std::size_t row, std::size_t) { return gone[row]; });
    const double of_series = bytes_with(set, [&](std::size_t, std::size_t) { return random() % 100 == 0; });
    EXPECT_LE(of_targets, without * 1.01) << "a target goes with all its series: " << of_targets << " " << without;
    EXPECT_LE(of_series, without * 1.031) << "series go one by one: " << of_series << " " << without;
  }
}

}  // namespace
}  // namespace varve::chunk
