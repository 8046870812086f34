// SPDX-License-Identifier: Apache-2.0
#include "write/tenant_limit.h"

#include <gtest/gtest.h>

namespace varve::write {
namespace {

TEST(TenantLimit, OneMoreIsRefusedByName) {
  TenantLimit limit(2, "own");
  EXPECT_TRUE(limit.admit("a"));
  EXPECT_TRUE(limit.admit("a"));
  EXPECT_TRUE(limit.admit("own"));
  EXPECT_TRUE(limit.check("b"));
  EXPECT_TRUE(limit.admit("b"));
  EXPECT_FALSE(limit.has_refused());
  const Status more = limit.admit("c");
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().code, Code::limit);
  EXPECT_EQ(more.error().message, "there are as many tenants as limits.tenants allows (2): 'c' would be one more");
  EXPECT_FALSE(limit.check("c"));
  EXPECT_TRUE(limit.admit("b"));
  EXPECT_TRUE(limit.admit("own"));
  EXPECT_TRUE(limit.has_refused());
}

TEST(TenantLimit, WhatTheStoreSaysCounts) {
  TenantLimit limit(2, "own");
  EXPECT_TRUE(limit.admit("a"));
  EXPECT_TRUE(limit.admit("b"));
  EXPECT_FALSE(limit.admit("c"));
  limit.set({"own", "z"});
  EXPECT_FALSE(limit.has_refused());
  EXPECT_FALSE(limit.admit("c")) << "what a and b write may be on its way";
  limit.set({"own", "z"});
  EXPECT_FALSE(limit.has_refused());
  EXPECT_TRUE(limit.admit("c"));
  EXPECT_FALSE(limit.admit("a"));
  EXPECT_TRUE(limit.admit("z"));
}

}  // namespace
}  // namespace varve::write
