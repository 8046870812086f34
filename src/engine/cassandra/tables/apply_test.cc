// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/tables/apply.h"

#include <gtest/gtest.h>

namespace varve::engine::cassandra {
namespace {

using driver::Consistency;

TEST(ReadsSeeWrites, OneDataCentre) {
  const model::TagViews three = {{"class", "org.apache.cassandra.locator.NetworkTopologyStrategy"}, {"dc1", "3"}};
  EXPECT_TRUE(reads_see_writes(three, Consistency::local_quorum).value());
  EXPECT_TRUE(reads_see_writes(three, Consistency::quorum).value());
  EXPECT_TRUE(reads_see_writes(three, Consistency::all).value());
  EXPECT_FALSE(reads_see_writes(three, Consistency::one).value());
  EXPECT_FALSE(reads_see_writes(three, Consistency::local_one).value());
  const model::TagViews one = {{"class", "SimpleStrategy"}, {"replication_factor", "1"}};
  EXPECT_TRUE(reads_see_writes(one, Consistency::one).value());
}

TEST(ReadsSeeWrites, SeveralDataCentres) {
  const model::TagViews two = {{"class", "NetworkTopologyStrategy"}, {"dc1", "3"}, {"dc2", "3/1"}};
  EXPECT_FALSE(reads_see_writes(two, Consistency::local_quorum).value());
  EXPECT_TRUE(reads_see_writes(two, Consistency::quorum).value());
  EXPECT_FALSE(reads_see_writes(two, Consistency::one).value());
  const model::TagViews one_each = {{"class", "NetworkTopologyStrategy"}, {"dc1", "1"}, {"dc2", "1"}};
  EXPECT_FALSE(reads_see_writes(one_each, Consistency::local_quorum).value());
}

TEST(ReadsSeeWrites, WhatIsNoNumber) {
  EXPECT_EQ(reads_see_writes({{"dc1", "many"}}, Consistency::quorum).error().code, Code::corrupt);
}

}  // namespace
}  // namespace varve::engine::cassandra
