// SPDX-License-Identifier: Apache-2.0
#include "server/memory_usable.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <string>

namespace varve::server {
namespace {

class MemoryUsableTest : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::remove_all(root_); }
  void TearDown() override { std::filesystem::remove_all(root_); }
  void put(const std::string& file, const std::string& text) {
    std::filesystem::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text << "\n";
  }
  [[nodiscard]] std::uint64_t of(std::string_view own) const { return memory_of_groups(root_, own).value_or(0); }

  const std::filesystem::path root_ =
      std::filesystem::path(::testing::TempDir()) / ("groups" + std::to_string(::getpid()));
};

TEST_F(MemoryUsableTest, None) {
  EXPECT_EQ(of(""), 0U);
  EXPECT_EQ(of("0::/"), 0U);
  put("memory.max", "max");
  EXPECT_EQ(of("0::/\n"), 0U);
  EXPECT_EQ(of("nonsense\n::\n"), 0U);
}

TEST_F(MemoryUsableTest, TheLeastOnTheWayUp) {
  put("a.slice/memory.max", "3000");
  put("a.slice/b.service/memory.max", "max");
  put("a.slice/c.service/memory.max", "2000");
  EXPECT_EQ(of("0::/a.slice/b.service\n"), 3000U);
  EXPECT_EQ(of("0::/a.slice/c.service\n"), 2000U);
  EXPECT_EQ(of("0::/a.slice/none\n"), 3000U);
  EXPECT_EQ(of("0::/other\n"), 0U);
}

TEST_F(MemoryUsableTest, AContainersOwnIsOnTop) {
  put("memory.max", "5000");
  EXPECT_EQ(of("0::/docker/0123456789"), 5000U);
}

TEST_F(MemoryUsableTest, VersionOne) {
  put("memory/app/memory.limit_in_bytes", "7000");
  put("memory/memory.limit_in_bytes", "9223372036854771712");
  EXPECT_EQ(of("5:cpu,cpuacct:/app\n4:memory:/app\n"), 7000U);
  EXPECT_EQ(of("4:memory:/\n"), 9223372036854771712U);
}

TEST_F(MemoryUsableTest, OfThisProcess) { EXPECT_GT(memory_usable(), std::uint64_t{1} << 20); }

}  // namespace
}  // namespace varve::server
