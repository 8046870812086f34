// SPDX-License-Identifier: Apache-2.0
#include "write/message_writer.h"

#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <string>
#include <vector>

namespace varve::write {
namespace {

constexpr std::int64_t kNowMs = 1'700'000'000'000;

class TimesStore final : public storage::MessageStore {
 public:
  void append_messages(std::string_view tenant, const message::Batch& batch, AppendDone done) override {
    tenants.emplace_back(tenant);
    for (const std::byte* at = batch.bytes().data(); at != batch.bytes().data() + batch.bytes().size();) {
      const message::RowView row{at};
      times_us.push_back(row.time_us() - kNowMs * 1000);
      message::CellReader cells = row.reader();
      device_times.emplace_back();
      for (message::Cell cell; cells.next(cell);) {
        if (cell.name == "device_time") device_times.back() = cell.text;
      }
      at += row.bytes();
    }
    done(answer);
  }
  [[nodiscard]] Result<std::vector<storage::MessagePart>> message_parts(std::string_view, std::int64_t,
                                                                        std::int64_t) const override {
    return {};
  }
  [[nodiscard]] Result<storage::MessageNames> message_names(std::string_view) const override { return {}; }
  Result<std::uint64_t> delete_messages(std::string_view, std::int64_t, std::int64_t, const message::Condition&,
                                        const storage::GoOn&) override {
    return fail(Code::unsupported, "a store that is read");
  }

  Status answer;
  std::vector<std::string> tenants;
  std::vector<std::int64_t> times_us;  // from now
  std::vector<std::string> device_times;
};

class MessageWriterTest : public ::testing::Test {
 protected:
  Status append(const std::vector<std::int64_t>& times_us) {
    message::Batch batch;
    message::Builder builder(batch);
    for (const auto time : times_us) {
      builder.start();
      builder.finish(kNowMs * 1000 + time);
    }
    return append(batch);
  }
  Status append(message::Batch& batch) {
    Status got = fail(Code::io, "no answer");
    writer_.append("t", batch, [&](Status status) { got = std::move(status); });
    return got;
  }

  ManualClock clock_{kNowMs};
  Metrics metrics_;
  Counter& retimed_ = metrics_.counter("retimed", "");
  TimesStore store_;
  double backlog_ = 0;
  std::deque<std::string> names_;
  MessageIntake intake_{
      {.classes = {{}, 10}, .future_ms = 5, .backlog = {{50, 50, 4}}, .backlog_percent = [this] { return backlog_; }},
      clock_,
      metrics_};
  MessageWriter writer_{store_, intake_, retimed_};
};

TEST_F(MessageWriterTest, BothEndsOfTheTimeAreTaken) {
  ASSERT_TRUE(append({-10'000, 0, 5'000}));
  EXPECT_EQ(store_.times_us, (std::vector<std::int64_t>{-10'000, 0, 5'000}));
  EXPECT_EQ(store_.tenants, std::vector<std::string>{"t"});
  EXPECT_EQ(retimed_.value(), 0U);
}

TEST_F(MessageWriterTest, WhatIsTooOldOrAheadGetsTheTimeOfArrival) {
  ASSERT_TRUE(append({-10'001, 1, 5'001, 2}));
  EXPECT_EQ(store_.times_us, (std::vector<std::int64_t>{0, 1, 0, 2}));
  EXPECT_EQ(store_.device_times,
            (std::vector<std::string>{"2023-11-14T22:13:19.989999Z", "", "2023-11-14T22:13:20.005001Z", ""}));
  EXPECT_EQ(retimed_.value(), 2U);
  ASSERT_TRUE(append({}));
  EXPECT_EQ(store_.tenants.size(), 1U);
}

TEST_F(MessageWriterTest, NothingElseOfItChanges) {
  message::Batch batch;
  message::Builder builder(batch);
  const auto add = [&](std::int64_t time_us, unsigned nanos) {
    builder.start();
    ASSERT_TRUE(builder.set(message::Column::source, "h"));
    ASSERT_TRUE(builder.set(message::Column::text, "t"));
    builder.set(message::Column::level, 3);
    builder.set_id({'a', 'b'});
    ASSERT_TRUE(builder.add_object("x:y"));
    ASSERT_TRUE(builder.add_field("f", message::FieldForm::number, "7"));
    builder.finish(time_us, nanos);
  };
  add(5, 7);
  ASSERT_TRUE(append(batch));
  ASSERT_EQ(batch.rows(), 1U);
  const std::vector<std::byte> got(batch.bytes().begin(), batch.bytes().end());
  batch.clear();
  add(kNowMs * 1000, 0);
  message::RowView want{batch.bytes().data()};
  const message::RowView row{got.data()};
  EXPECT_EQ(row.time_us(), want.time_us());
  EXPECT_EQ(row.nanos(), 0);
  ASSERT_EQ(row.cells(), want.cells() + 1);
  auto cells = row.reader(), wanted = want.reader();
  message::Cell cell, as;
  while (wanted.next(as)) {
    ASSERT_TRUE(cells.next(cell));
    EXPECT_EQ(cell.column, as.column);
    EXPECT_EQ(cell.form, as.form);
    EXPECT_EQ(cell.number, as.number);
    EXPECT_EQ(cell.name, as.name);
    EXPECT_EQ(cell.text, as.text);
  }
  ASSERT_TRUE(cells.next(cell));
  EXPECT_EQ(cell.name, "device_time");
  EXPECT_EQ(cell.text, "1970-01-01T00:00:00.000005007Z");
}

TEST_F(MessageWriterTest, WithoutRoomForAFieldOnlyTheTimeIsLost) {
  message::Batch batch;
  message::Builder builder(batch);
  builder.start();
  for (std::size_t i = 0; i < message::kFieldsMax; ++i) {
    names_.push_back("f" + std::to_string(i));
    ASSERT_TRUE(builder.add_field(names_.back(), message::FieldForm::text, "v"));
  }
  builder.finish(5);
  ASSERT_TRUE(append(batch));
  EXPECT_EQ(store_.times_us, std::vector<std::int64_t>{0});
  EXPECT_EQ(store_.device_times, std::vector<std::string>{""});
}

TEST_F(MessageWriterTest, OverloadDropsByLevelWhateverTheTime) {
  backlog_ = 50;
  message::Batch batch;
  message::Builder builder(batch);
  for (const int level : {3, 4}) {
    builder.start();
    builder.set(message::Column::level, std::int64_t{level});
    builder.finish(5);
  }
  ASSERT_TRUE(append(batch));
  EXPECT_EQ(store_.times_us, std::vector<std::int64_t>{0});
}

TEST_F(MessageWriterTest, WhatIsNotSevereIsDroppedWhileItOverflows) {
  message::Batch batch;
  message::Builder builder(batch);
  for (int level = 0; level < 8; ++level) {
    builder.start();
    builder.set(message::Column::level, std::int64_t{level});
    builder.finish(kNowMs * 1000 + level);
  }
  message::Batch again;
  std::memcpy(again.reserve(batch.bytes().size()), batch.bytes().data(), batch.bytes().size());
  again.added(batch.bytes().size(), kNowMs * 1000);
  backlog_ = 50;
  ASSERT_TRUE(append(batch));
  EXPECT_EQ(store_.times_us, (std::vector<std::int64_t>{0, 1, 2, 3}));
  EXPECT_EQ(retimed_.value(), 0U);
  EXPECT_EQ(batch.rows(), 4U);  // that are durable
  backlog_ = 49;
  ASSERT_TRUE(append(again));
  EXPECT_EQ(store_.times_us.size(), 4U + 8U);
}

TEST_F(MessageWriterTest, TheStoresErrorIsTold) {
  store_.answer = fail(Code::unavailable, "full");
  EXPECT_EQ(append({0}).error().code, Code::unavailable);
}

}  // namespace
}  // namespace varve::write
