// SPDX-License-Identifier: Apache-2.0
#include "base/guarded.h"

#include <gtest/gtest.h>

#include <new>
#include <stdexcept>

namespace varve {
namespace {

TEST(Guarded, AValueAndAnErrorPass) {
  EXPECT_TRUE(guarded([] {}));
  EXPECT_EQ(*guarded([]() -> Result<int> { return 7; }), 7);
  const Status status = guarded([]() -> Status { return fail(Code::conflict, "mine"); });
  EXPECT_EQ(status.error().code, Code::conflict);
}

TEST(Guarded, AnExceptionIsAnError) {
  const Status memory = guarded([] { throw std::bad_alloc(); });
  EXPECT_EQ(memory.error().code, Code::unavailable);
  EXPECT_EQ(memory.error().message, "out of memory");
  const auto other = guarded([]() -> Result<int> { throw std::runtime_error("torn"); });
  EXPECT_EQ(other.error().code, Code::io);
  EXPECT_EQ(other.error().message, "torn");
  EXPECT_EQ(guarded([] { throw 7; }).error().code, Code::io);
}

}  // namespace
}  // namespace varve
