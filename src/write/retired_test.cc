// SPDX-License-Identifier: Apache-2.0
#include "write/retired.h"

#include <gtest/gtest.h>

namespace varve::write {
namespace {

struct Thing {
  explicit Thing(int& alive_) : alive(alive_) { ++alive; }
  ~Thing() { --alive; }
  Thing(const Thing&) = delete;
  Thing& operator=(const Thing&) = delete;
  int& alive;
};

TEST(Retired, FreesAtOnceWhenNobodyReads) {
  int alive = 0;
  Retired retired;
  retired.add(std::make_shared<Thing>(alive));
  EXPECT_EQ(alive, 0);
}

TEST(Retired, WaitsForWhoeverEnteredBefore) {
  int alive = 0;
  Retired retired;
  const unsigned a = retired.enter();
  retired.add(std::make_shared<Thing>(alive));
  EXPECT_EQ(alive, 1);
  const unsigned b = retired.enter();
  retired.leave(a);
  EXPECT_EQ(alive, 0);  // b came later
  retired.leave(b);
}

TEST(Retired, LaterReadersDoNotHoldUpForEver) {
  int alive = 0;
  Retired retired;
  unsigned reader = retired.enter();
  for (int i = 0; i < 100; ++i) {  // there is always a reader
    retired.add(std::make_shared<Thing>(alive));
    const unsigned next = retired.enter();
    retired.leave(reader);
    reader = next;
    EXPECT_LE(alive, 2);
  }
  retired.leave(reader);
  EXPECT_EQ(alive, 0);
  EXPECT_EQ(retired.waiting(), 0U);
}

TEST(Retired, ALongReaderKeepsAllThatItMayHaveSeen) {
  int alive = 0;
  Retired retired;
  const unsigned first = retired.enter();
  retired.add(std::make_shared<Thing>(alive));
  const unsigned second = retired.enter();
  retired.add(std::make_shared<Thing>(alive));
  retired.leave(second);
  EXPECT_EQ(alive, 2);
  retired.leave(first);
  EXPECT_EQ(alive, 0);
}

}  // namespace
}  // namespace varve::write
