// SPDX-License-Identifier: Apache-2.0
// The database fails, and is opened again, between a write and the flush that would make it durable: what was in its
// memory is gone. Whoever wrote it is told so.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>

#include "engine/rocksdb/runs/database.h"
#include "engine/rocksdb/runs/keys.h"
#include "engine/rocksdb/testing/directory.h"
#include "engine/rocksdb/testing/records.h"
#include "index/series_index.h"

namespace varve::engine::rocksdb {
namespace {

constexpr int kSeriesDefined = 500;

class Epochs : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { std::signal(SIGXFSZ, SIG_IGN); }
  Epochs() { open(); }

  void open() {
    database_.reset();
    database_ = std::move(*Database::open(directory_.path() + "/db", [this](std::string_view step) -> Status {
      if (step == fails_at_) fail_meanwhile();
      return {};
    }));
  }
  // What another thread meets: the disk is full for a moment. The next one to write opens the database again.
  void fail_meanwhile() {
    fails_at_.clear();
    rlimit before{};
    ::getrlimit(RLIMIT_FSIZE, &before);
    const rlimit less{0, before.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &less);
    EXPECT_FALSE(database_->put_text("tother", "x"));
    ::setrlimit(RLIMIT_FSIZE, &before);
  }
  std::size_t series() {
    index::SeriesIndex index;
    Checkpoint checkpoint;
    std::vector<rocksdb::Run> runs;
    std::vector<std::pair<SlotKey, Mark>> marks;
    EXPECT_TRUE(database_->recover(checkpoint, runs, marks, [&](std::string_view definitions) {
      return index.replay(std::as_bytes(std::span(definitions)));
    }));
    return index.series_count();
  }
  // Definitions of so many series.
  static std::string define(int count) {
    index::SeriesIndex index;
    std::string definitions;
    const auto tenant = index.tenant("t", definitions);
    const std::string_view metric = "m";
    for (int i = 0; i < count; ++i) {
      const std::string host = "h" + std::to_string(i);
      const model::TagViews tags{{"host", host}};
      EXPECT_TRUE(index.define_group(tenant, tags, {&metric, 1}, 1U << 30, definitions, 0));
    }
    return definitions;
  }

  const testing::TemporaryDirectory directory_;
  std::string fails_at_;
  std::unique_ptr<Database> database_;
};

TEST_F(Epochs, a_text_is_not_acknowledged) {
  fails_at_ = "text.written";
  EXPECT_FALSE(database_->put_text("tk", "v"));
  EXPECT_EQ(database_->text("tk").value(), std::nullopt);
  ASSERT_TRUE(database_->put_text("tk", "v"));
  open();
  EXPECT_EQ(database_->text("tk").value(), "v");
}

TEST_F(Epochs, nor_is_that_it_was_erased) {
  ASSERT_TRUE(database_->put_text("tk", "v"));
  fails_at_ = "text.written";
  EXPECT_FALSE(database_->erase_text("tk"));
  EXPECT_EQ(database_->text("tk").value(), "v");
}

TEST_F(Epochs, blocks_are_written_anew) {
  const std::string bytes = "block";
  {
    Database::Draft draft(*database_);
    ASSERT_TRUE(draft.put_block({{}, 1}, model::GroupId{1}, std::as_bytes(std::span(bytes))));
    fails_at_ = "blocks.flush";
    EXPECT_FALSE(draft.flush());
  }
  Database::Draft draft(*database_);
  ASSERT_TRUE(draft.put_block({{}, 2}, model::GroupId{1}, std::as_bytes(std::span(bytes))));
  EXPECT_TRUE(draft.flush());
}

TEST_F(Epochs, definitions_of_before_count_until_the_new_ones_are_there) {
  const std::string definitions = define(kSeriesDefined);
  ASSERT_TRUE(database_->put_definitions(1, definitions));
  ASSERT_TRUE(database_->flush());
  ASSERT_EQ(series(), static_cast<std::size_t>(kSeriesDefined));
  for (const char* step : {"definitions.replaced", "generation.flush"}) {
    SCOPED_TRACE(step);
    fails_at_ = step;
    const auto done = database_->replace_definitions(2, definitions);
    ASSERT_TRUE(done);
    EXPECT_FALSE(*done);
    open();
    EXPECT_EQ(series(), static_cast<std::size_t>(kSeriesDefined));
  }
  EXPECT_TRUE(database_->replace_definitions(2, definitions).value());
  open();
  EXPECT_EQ(series(), static_cast<std::size_t>(kSeriesDefined));
}

TEST_F(Epochs, definitions_of_before_stay_until_a_start_has_read_the_new_ones) {
  const std::string definitions = define(kSeriesDefined);
  ASSERT_TRUE(database_->put_definitions(1, definitions));
  ASSERT_TRUE(database_->flush());
  ASSERT_EQ(series(), static_cast<std::size_t>(kSeriesDefined));
  ASSERT_TRUE(database_->replace_definitions(2, definitions).value());
  const auto records = [&] {
    database_.reset();
    const int count = testing::count_records(directory_.path())['d'];
    open();
    return count;
  };
  EXPECT_EQ(records(), 2);
  EXPECT_EQ(series(), static_cast<std::size_t>(kSeriesDefined));
  database_->drop_old_definitions();
  ASSERT_TRUE(database_->flush());
  EXPECT_EQ(records(), 1);
  EXPECT_EQ(series(), static_cast<std::size_t>(kSeriesDefined));
}

// Those that are written and not flushed are written again when it is opened again, however often that is.
TEST_F(Epochs, definitions_that_are_not_flushed_are_written_again) {
  ASSERT_TRUE(database_->put_definitions(1, define(kSeriesDefined)));
  for (int i = 0; i < 3; ++i) {
    fails_at_ = "commit.flush";
    (void)database_->flush();
  }
  ASSERT_TRUE(database_->flush());
  open();
  EXPECT_EQ(series(), static_cast<std::size_t>(kSeriesDefined));
}

}  // namespace
}  // namespace varve::engine::rocksdb
