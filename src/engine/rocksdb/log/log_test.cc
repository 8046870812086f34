// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/log/log.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <filesystem>
#include <future>
#include <semaphore>
#include <thread>

#include <unistd.h>

#include "engine/rocksdb/testing/directory.h"

namespace varve::engine::rocksdb {
namespace {

constexpr std::array<std::byte, 3> kRows{};
const SystemClock kSystemClock;

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
  Log log(dir.path(), sync_always(), kSystemClock);
  ASSERT_TRUE(log.start(1, 0));
  ASSERT_TRUE(log.append({}, kRows));
  EXPECT_TRUE(wait_durable(log));
  EXPECT_TRUE(wait_durable(log)) << "nothing new: at once";
}

TEST(Log, AfterAFailedSyncNothingIsCalledDurable) {
  const testing::TemporaryDirectory dir;
  Log log(dir.path(), sync_always(), kSystemClock);
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

// Each sync waits until it is let go.
class SlowFiles final : public LogFiles {
 public:
  int sync(int fd) override {
    ++begun;
    may_go.acquire();
    return LogFiles::sync(fd);
  }
  std::atomic<int> begun = 0;
  std::counting_semaphore<> may_go{0};
};

TEST(Log, WhatComesWhileTheDiskFallsBehindWaitsForIt) {
  const testing::TemporaryDirectory dir;
  SlowFiles files;
  ManualClock clock;
  Options options;
  options.log_files = &files;
  options.sync_interval_ms = 1;
  Log log(dir.path(), options, clock);
  ASSERT_TRUE(log.start(1, 0));
  EXPECT_EQ(log.unsynced_ms(), 0);
  ASSERT_TRUE(log.append({}, kRows));
  EXPECT_TRUE(wait_durable(log)) << "at once";
  while (files.begun == 0) std::this_thread::yield();
  clock.advance_ms(1);
  ASSERT_TRUE(log.append({}, kRows));
  EXPECT_TRUE(wait_durable(log)) << "at once: nothing has waited for long";
  clock.advance_ms(1);
  EXPECT_EQ(log.unsynced_ms(), 2);
  ASSERT_TRUE(log.append({}, kRows));
  std::promise<Status> late;
  log.when_durable([&](Status s) { late.set_value(std::move(s)); });
  auto answer = late.get_future();
  EXPECT_EQ(answer.wait_for(std::chrono::seconds(0)), std::future_status::timeout);
  files.may_go.release();
  while (files.begun == 1) std::this_thread::yield();  // the next one, which has all of them
  EXPECT_EQ(answer.wait_for(std::chrono::seconds(0)), std::future_status::timeout);
  EXPECT_EQ(log.unsynced_ms(), 2) << "since the first sync began, at the most";
  files.may_go.release(1000);
  EXPECT_TRUE(answer.get());
  EXPECT_EQ(log.unsynced_ms(), 0);
  ASSERT_TRUE(log.append({}, kRows));
  EXPECT_TRUE(wait_durable(log)) << "at once again";
}

TEST(Log, WhatWasAppendedBeforeTheStopIsDurable) {
  const testing::TemporaryDirectory dir;
  Log log(dir.path(), sync_always(), kSystemClock);
  ASSERT_TRUE(log.start(1, 0));
  ASSERT_TRUE(log.append({}, kRows));
  log.stop();
  EXPECT_TRUE(wait_durable(log));
}

}  // namespace
}  // namespace varve::engine::rocksdb
