// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/log/log.h"

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <future>

#include <unistd.h>

#include "engine/rocksdb/testing/directory.h"

namespace varve::engine::rocksdb {
namespace {

constexpr std::array<std::byte, 3> kRows{};

Options sync_always() {
  Options options;
  options.sync_always = true;
  return options;
}

Status wait_durable(Log& log) {
  std::promise<Status> status;
  log.when_durable([&](Status s) { status.set_value(std::move(s)); });
  return status.get_future().get();
}

// Closes this process' descriptor of the file, so that syncing it fails.
void close_behind_the_log(const std::string& path) {
  int found = -1;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code error;
    if (std::filesystem::read_symlink(entry.path(), error) == path) found = std::stoi(entry.path().filename());
  }
  ASSERT_GE(found, 0);
  ::close(found);
}

TEST(Log, SyncedRecordsAreDurable) {
  const testing::TemporaryDirectory dir;
  Log log(dir.path(), sync_always());
  ASSERT_TRUE(log.start(1, 0));
  ASSERT_TRUE(log.append({}, kRows));
  EXPECT_TRUE(wait_durable(log));
  EXPECT_TRUE(wait_durable(log)) << "nothing new: at once";
}

TEST(Log, AfterAFailedSyncNothingIsCalledDurable) {
  const testing::TemporaryDirectory dir;
  Log log(dir.path(), sync_always());
  ASSERT_TRUE(log.start(1, 0));
  ASSERT_TRUE(log.append({}, kRows));
  ASSERT_TRUE(wait_durable(log));
  ASSERT_TRUE(log.append({}, kRows));
  ASSERT_TRUE(log.append({}, kRows));
  close_behind_the_log(std::filesystem::canonical(log_path(dir.path(), 1)));
  EXPECT_FALSE(wait_durable(log)) << "the one that waited for the sync";
  EXPECT_FALSE(wait_durable(log)) << "one that came after it had failed";
  EXPECT_FALSE(log.append({}, kRows));
}

TEST(Log, WhatWasAppendedBeforeTheStopIsDurable) {
  const testing::TemporaryDirectory dir;
  Log log(dir.path(), sync_always());
  ASSERT_TRUE(log.start(1, 0));
  ASSERT_TRUE(log.append({}, kRows));
  log.stop();
  EXPECT_TRUE(wait_durable(log));
}

}  // namespace
}  // namespace varve::engine::rocksdb
