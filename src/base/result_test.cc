// SPDX-License-Identifier: Apache-2.0
#include "base/result.h"

#include <gtest/gtest.h>

#include <memory>
#include <type_traits>

namespace varve {
namespace {

Result<int> half(int v) {
  if (v % 2 != 0) return fail(Code::invalid, std::to_string(v) + " is odd");
  return v / 2;
}

Result<int> quarter(int v) {
  VARVE_ASSIGN_OR_RETURN(const int once, half(v));
  VARVE_ASSIGN_OR_RETURN(const int twice, half(once));
  return twice;
}

Status check_both(int a, int b) {
  VARVE_RETURN_IF_ERROR(half(a));
  VARVE_RETURN_IF_ERROR(half(b));
  return {};
}

Result<std::unique_ptr<int>> own(int v) {
  VARVE_ASSIGN_OR_RETURN(auto pointer, Result<std::unique_ptr<int>>(std::make_unique<int>(v)));
  return pointer;
}

TEST(Result, HoldsAValueOrAnError) {
  EXPECT_EQ(half(8).value(), 4);
  const auto bad = half(7);
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().code, Code::invalid);
  EXPECT_EQ(bad.error().message, "7 is odd");
}

TEST(Result, TryPassesTheFirstErrorOn) {
  EXPECT_EQ(quarter(8).value(), 2);
  EXPECT_EQ(quarter(6).error().message, "3 is odd");
  EXPECT_EQ(quarter(5).error().message, "5 is odd");
}

TEST(Result, CheckOkPassesTheFirstErrorOn) {
  EXPECT_TRUE(check_both(2, 4));
  EXPECT_EQ(check_both(1, 3).error().message, "1 is odd");
  EXPECT_EQ(check_both(2, 3).error().message, "3 is odd");
}

TEST(Result, TryMovesWhatCannotBeCopied) { EXPECT_EQ(**own(3), 3); }

TEST(Result, AnErrorMovesThroughFail) {
  Error error{Code::io, "disk"};
  const Status status = fail(std::move(error));
  EXPECT_EQ(status.error().code, Code::io);
  EXPECT_EQ(status.error().message, "disk");
}

}  // namespace
}  // namespace varve
