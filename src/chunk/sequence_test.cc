// SPDX-License-Identifier: Apache-2.0
// Sequences by themselves: which plan is taken, and that each comes back, as a whole and in parts.
#include "chunk/sequence_reader.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <random>
#include <set>
#include <tuple>

namespace varve::chunk {
namespace {

std::vector<std::int64_t> made(std::size_t n, const std::function<std::int64_t(std::int64_t)>& f) {
  std::vector<std::int64_t> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = f(static_cast<std::int64_t>(i));
  return values;
}

// Skips and reads by turns, so many at a time.
void expect_stretches(const Sequence& s, const SequenceBytes& bytes, const std::vector<std::uint64_t>& all) {
  std::vector<std::uint64_t> some;
  for (const std::size_t skipped : {0, 1, 2, 5, 70, 3000}) {
    for (const std::size_t wanted : {1, 2, 67, 1100}) {
      SequenceReader reader(s, bytes, all.size());
      while (reader.at() < all.size()) {
        ASSERT_TRUE(reader.skip(std::min(skipped, all.size() - reader.at())));
        const std::size_t from = reader.at();
        some.assign(std::min(wanted, all.size() - from), 0);
        ASSERT_TRUE(reader.read(some.size(), some.data()));
        ASSERT_TRUE(std::equal(some.begin(), some.end(), all.begin() + static_cast<std::ptrdiff_t>(from)))
            << some.size() << " values from " << from << " on";
      }
    }
  }
}

// Writes, reads and compares; returns what was read of the description.
Sequence round_trip(const std::vector<std::int64_t>& values, std::int64_t origin = 0) {
  SequenceWriter writer;
  Sections out;
  writer.write(values, range_of(values), origin, out);
  for (Bytes& bytes : out.section) bytes.fixed(std::uint64_t{0});  // slack, as an opened block has it
  Places places;
  places.heads = Cursor(out.heads().view());
  places.params = Cursor(out.params().view());
  Sequence s;
  EXPECT_TRUE(read_sequence(places, values.size(), origin, s));
  SequenceBytes bytes;
  if (!s.sparse()) bytes.symbols = out.symbols[s.symbol_class].data() + s.symbols_at;
  bytes.low = out.low().data() + s.low_at;
  bytes.side = out.side().view().subspan(s.side_at, s.side_bytes);
  std::vector<std::uint64_t> decoded(values.size());
  EXPECT_TRUE(decode_sequence(s, bytes, values.size(), decoded.data()));
  expect_stretches(s, bytes, decoded);
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(static_cast<std::int64_t>(decoded[i]), values[i]) << "at " << i;
    if (testing::Test::HasFailure()) break;
  }
  return s;
}

// What a list of the residuals that are not 0 is expected to take is what it takes, wherever they lie.
TEST(Sequence, KnowsTheBytesOfAList) {
  std::mt19937_64 random(2);
  for (const unsigned order : {0U, 1U, 2U}) {
    for (std::size_t n = 200; n < 240; ++n) {
      std::set<std::size_t> others;
      for (int i = 0; i < 4; ++i) others.insert(10 + random() % ((n - 10) / 3) * 3);
      std::int64_t step = 7, value = 0;
      const auto values = made(n, [&](std::int64_t i) {
        const bool here = others.contains(static_cast<std::size_t>(i));
        const std::int64_t peak = here ? 1000 : 0;
        if (order == 2) step += peak;
        if (order > 0) value += order == 1 ? peak : step;
        return order == 0 ? 50 + peak : value;
      });
      const Sequence s = round_trip(values);
      ASSERT_TRUE(s.sparse());
      EXPECT_EQ(s.order, order);
      EXPECT_EQ(make_plan(values, range_of(values)).bits, 8.0 * static_cast<double>(s.side_bytes)) << order << ' ' << n;
    }
  }
}

TEST(Sequence, TakesTheCheapestPlan) {
  std::mt19937_64 random(1);
  const auto noise = [&random](std::uint64_t n) { return static_cast<std::int64_t>(random() % n); };

  Sequence s = round_trip(made(360, [](std::int64_t) { return -77; }));
  EXPECT_TRUE(s.constant());

  s = round_trip(made(360, [](std::int64_t i) { return 5000 - i * 10'000; }));
  EXPECT_TRUE(s.sparse());
  EXPECT_EQ(s.order, 1);
  EXPECT_EQ(s.side_bytes, 0U);

  s = round_trip(made(360, [](std::int64_t i) { return i < 200 ? 10 : 4000; }));
  EXPECT_TRUE(s.sparse());
  EXPECT_EQ(s.order, 1);
  EXPECT_LE(s.side_bytes, 4U);

  s = round_trip(made(360, [](std::int64_t i) { return i % 90 == 50 ? i * 1000 : 3; }));
  EXPECT_TRUE(s.sparse());

  s = round_trip(made(360, [&](std::int64_t) { return 1'000'000 + noise(100); }));
  EXPECT_FALSE(s.sparse());
  EXPECT_EQ(s.order, 0);
  EXPECT_EQ(s.unit, 1U);

  std::int64_t walk = 0;
  s = round_trip(made(360, [&](std::int64_t) { return walk += noise(21) - 10; }));
  EXPECT_EQ(s.order, 1);

  std::int64_t counter = 0;
  s = round_trip(made(360, [&](std::int64_t) { return counter += 1'000'000 + noise(9); }));
  EXPECT_EQ(s.order, 1);
  EXPECT_NEAR(static_cast<double>(s.base), 1'000'004, 2);

  s = round_trip(made(360, [&](std::int64_t i) { return i * i * 50 + noise(3); }));
  EXPECT_EQ(s.order, 2);

  s = round_trip(made(360, [&](std::int64_t) { return 7 + 4096 * noise(50); }));
  EXPECT_EQ(s.unit, 4096U);
}

TEST(Sequence, KeepsEverySize) {
  std::mt19937_64 random(2);
  for (std::size_t n = 1; n < 70; ++n) {
    for (unsigned width = 1; width <= 64; ++width) {
      round_trip(made(n, [&](std::int64_t) { return static_cast<std::int64_t>(random() >> (64 - width)); }));
      std::uint64_t walk = random();
      round_trip(made(n, [&](std::int64_t) {
        walk += (random() >> (64 - width)) - (std::uint64_t{1} << (width - 1));
        return static_cast<std::int64_t>(walk);
      }));
      ASSERT_FALSE(HasFailure()) << n << " values of " << width << " bits";
    }
  }
}

TEST(Sequence, KeepsOutliers) {
  std::mt19937_64 random(3);
  for (const std::int64_t outlier :
       {std::int64_t{1000}, std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()}) {
    for (const std::uint64_t usual : {2U, 5U, 40U, 5000U}) {
      const Sequence s = round_trip(made(
          500, [&](std::int64_t i) { return i % 100 == 99 ? outlier : static_cast<std::int64_t>(random() % usual); }));
      EXPECT_TRUE(s.escapes || s.sparse() || outlier == 1000);
    }
  }
}

// As long as a day's: each class, order and way to list exceptions, over several of the strides that sums are made in.
TEST(Sequence, KeepsManyValues) {
  std::mt19937_64 random(4);
  std::set<std::tuple<unsigned, unsigned, bool>> met;  // class, order, escapes
  for (double spread = 2; spread < 1e9; spread *= 1.4) {
    for (int shape = 0; shape < 9; ++shape) {
      const auto most = static_cast<std::int64_t>(spread);
      const auto noise = [&] {
        return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most)) - most / 2;
      };
      std::int64_t value = 0, step = 0;
      const Sequence s = round_trip(made(3001, [&](std::int64_t i) {
        const bool rare = i % 200 == 77;
        switch (shape) {
          case 0: return noise();
          case 1: return value += noise();
          case 2: return value += step += noise();
          case 3: return rare ? noise() * 100 : noise();
          case 4: return value += rare ? noise() * 1000 : noise();
          case 5: return random() % 3 == 0 ? noise() : rare ? 1000 * most : 0;
          case 6: return value += random() % 3 == 0 ? noise() : rare ? 1000 * most : 0;
          case 7: return value += i % 50 == 7 ? noise() : 0;
          default: return i % 50 == 7 ? noise() * 1000 : 3;
        }
      }));
      met.emplace(s.symbol_class, s.order, s.escapes);
      ASSERT_FALSE(HasFailure()) << "shape " << shape << ", below " << most;
    }
  }
  for (unsigned symbol_class = 0; symbol_class < kClasses; ++symbol_class) {
    EXPECT_TRUE(met.contains({symbol_class, 1, true})) << symbol_class;
    EXPECT_TRUE(met.contains({symbol_class, 0, true})) << symbol_class;
  }
  EXPECT_TRUE(met.contains({kSparse, 0, false}));
  EXPECT_TRUE(met.contains({kSparse, 1, false}));
}

TEST(Sequence, CountsFromItsOrigin) {
  const Sequence s = round_trip({1'700'000'000'000, 1'700'000'010'000}, 1'700'000'000'000);
  EXPECT_EQ(s.min, 1'700'000'000'000U);
  EXPECT_EQ(s.unit, 1U);
}

TEST(Sequence, RefusesMalformedBytes) {
  const auto reads = [](unsigned head, std::vector<unsigned char> params) {
    Places places;
    const std::byte heads[] = {static_cast<std::byte>(head)};
    places.heads = Cursor(heads);
    places.params = Cursor(std::as_bytes(std::span(params)));
    Sequence s;
    return read_sequence(places, 10, 0, s);
  };
  EXPECT_TRUE(reads(kSparse, {0, 0, 0}));
  EXPECT_TRUE(reads(9, {0, 0, 3}));
  EXPECT_FALSE(reads(kSparse, {0, 0}));                         // cut
  EXPECT_FALSE(reads(kSparse, {0, 0, 0xff, 0xff, 1}));          // a list too long for ten values
  EXPECT_FALSE(reads(kSparse | kHasEscapes, {0, 0, 0, 0}));     // both a list and escapes
  EXPECT_FALSE(reads(11, {0, 0, 0}));                           // no such class
  EXPECT_FALSE(reads(3U << kOrderShift | kSparse, {0, 0, 0}));  // no such order
  EXPECT_FALSE(reads(9, {0, 0, 57}));                           // too far a shift
}

TEST(Sequence, RefusesListsThatLeaveIt) {
  Sequence s;
  s.symbol_class = kSparse;
  std::uint64_t out[4];
  const auto decodes = [&](std::vector<unsigned char> side) {
    s.side_bytes = side.size();
    SequenceBytes bytes;
    bytes.side = std::as_bytes(std::span(side));
    return decode_sequence(s, bytes, 4, out);
  };
  EXPECT_TRUE(decodes({3, 1}));
  EXPECT_FALSE(decodes({4, 1}));
  EXPECT_FALSE(decodes({3, 1, 0, 1}));
  EXPECT_FALSE(decodes({1}));
}

}  // namespace
}  // namespace varve::chunk
