// SPDX-License-Identifier: Apache-2.0
#include "model/too_old.h"

#include <gtest/gtest.h>

#include "model/instant.h"

namespace varve::model {
namespace {

constexpr Timestamp kKeptFrom = 1'605'018'275'250;

TEST(TooOld, NamesTheSampleAndTheBound) {
  const Error error = too_old("cpu", kKeptFrom - 1, kKeptFrom, "milliseconds");
  EXPECT_EQ(error.code, Code::too_old);
  EXPECT_EQ(
      error.message,
      "cpu at 2020-11-10T14:24:35.249Z (1605018275249 ms) is older than what is kept of its series, which begins at "
      "2020-11-10T14:24:35.250Z");
}

TEST(TooOld, AsksForTheUnitWhereItIsProbablyAnother) {
  const auto asks = [](Timestamp time) {
    return too_old("cpu", time, kKeptFrom, "milliseconds").message.find("is that their unit?") != std::string::npos;
  };
  EXPECT_TRUE(asks(1'700'000'000));  // seconds
  EXPECT_TRUE(asks(1700));           // seconds taken for nanoseconds
  EXPECT_TRUE(asks(1));
  EXPECT_FALSE(asks(0));
  EXPECT_FALSE(asks(-1'700'000'000));
  EXPECT_FALSE(asks(std::int64_t{1} << 32));
}

TEST(TooOld, LongNamesAreCut) {
  const Error error = too_old(std::string(5000, 'x'), 0, kKeptFrom, "milliseconds");
  EXPECT_LT(error.message.size(), 300U);
}

TEST(Instant, TheEndsOfTime) {
  EXPECT_EQ(instant(0), "1970-01-01T00:00:00Z");
  EXPECT_EQ(instant(-1), "1969-12-31T23:59:59.999Z");
  EXPECT_EQ(instant(951'782'400'000), "2000-02-29T00:00:00Z");
  EXPECT_EQ(instant(kTimestampMax), "+287396-10-12T08:59:00.992Z");
  EXPECT_EQ(instant(kTimestampMin), "-283457-03-21T15:00:59.008Z");
}

}  // namespace
}  // namespace varve::model
