// SPDX-License-Identifier: Apache-2.0
// A disk that was full has room again: from then on what is said to be in the database is in its files, whenever the
// process dies. (RocksDB that comes back from a full disk by itself says so too early.)
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <atomic>
#include <optional>
#include <string>

#include "engine/rocksdb/testing/child.h"
#include "engine/rocksdb/testing/directory.h"

namespace varve::engine::rocksdb {
namespace {

using model::Value;
using storage::testing::Fixture;
using testing::kDied;
using testing::StoreAt;

constexpr const char* kDirectory = "VARVE_TEST_FULL_DISK";
constexpr int kRowsBefore = 10, kRowsAfter = 10;

// A file system of its own.
class SmallDisk {
 public:
  SmallDisk() { mounted_ = ::mount("tmpfs", at_.path().c_str(), "tmpfs", 0, "size=16m") == 0; }
  ~SmallDisk() {
    if (mounted_) ::umount2(at_.path().c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  [[nodiscard]] bool is_mounted() const { return mounted_; }
  [[nodiscard]] const std::string& path() const { return at_.path(); }

 private:
  const testing::TemporaryDirectory at_;
  bool mounted_ = false;
};

// While it lives, all room beside `path` is taken.
class Ballast {
 public:
  explicit Ballast(const std::string& path) : path_(path + ".ballast") {
    const int fd = ::open(path_.c_str(), O_CREAT | O_WRONLY, 0600);
    struct statvfs room{};
    ::statvfs(path_.c_str(), &room);
    EXPECT_EQ(::posix_fallocate(fd, 0, static_cast<off_t>(room.f_bavail * room.f_bsize)), 0);
    ::close(fd);
  }
  ~Ballast() { ::unlink(path_.c_str()); }
  Ballast(const Ballast&) = delete;
  Ballast& operator=(const Ballast&) = delete;

 private:
  const std::string path_;
};

class FullDiskLife {
 public:
  explicit FullDiskLife(const std::string& path) : options_(testing::options_at_rest(path)) {
    options_.at_step = [this](std::string_view step) -> Status {
      if (fills_ && step == "flush.begin") ballast_.emplace(options_.path);
      if (dies_ && step == "flush.done") ::_exit(kDied);
      return {};
    };
    engine_.emplace(options_, clock_);
    store_.emplace(*engine_);
    group_ = store_->group({"m"});
  }
  bool put(int n) { return bool(store_->put(*group_, n, {Value::of_long(n)})); }
  bool settle() { return bool(engine_->samples().settle()); }
  void fill_before_the_next_flush() { fills_ = true; }
  void make_room() {
    fills_ = false;
    ballast_.reset();
  }
  void die_after_the_next_flush() { dies_ = true; }
  std::size_t samples() { return store_->read("m").size(); }

 private:
  Options options_;
  const SystemClock clock_;
  std::atomic<bool> fills_{false}, dies_{false};
  std::optional<Ballast> ballast_;
  std::optional<StoreAt> engine_;
  std::optional<Fixture> store_;
  storage::testing::Group* group_ = nullptr;
};

// Runs in a process of its own.
TEST(FullDisk, DISABLED_child) {
  FullDiskLife life(::getenv(kDirectory));
  for (int n = 0; n < kRowsBefore; ++n) ASSERT_TRUE(life.put(n));
  life.fill_before_the_next_flush();
  ASSERT_FALSE(life.settle());
  ASSERT_EQ(life.samples(), std::size_t{kRowsBefore});
  life.make_room();
  ASSERT_TRUE(life.settle()) << "there is room again";
  for (int n = 0; n < kRowsAfter; ++n) ASSERT_TRUE(life.put(kRowsBefore + n));
  life.die_after_the_next_flush();
  (void)life.settle();
}

TEST(FullDisk, loses_nothing_when_there_is_room_again) {
  const SmallDisk disk;
  if (!disk.is_mounted()) GTEST_SKIP() << "needs the right to mount a file system";
  const std::string path = disk.path() + "/store";
  ASSERT_EQ(testing::run_child("FullDisk.DISABLED_child", {{kDirectory, path}}), kDied);
  FullDiskLife life(path);
  EXPECT_EQ(life.samples(), std::size_t{kRowsBefore + kRowsAfter});
}

}  // namespace
}  // namespace varve::engine::rocksdb
