// SPDX-License-Identifier: Apache-2.0
#include "write/message_writer.h"

#include <gtest/gtest.h>

#include <cstring>
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
      at += row.bytes();
    }
    done(answer);
  }
  [[nodiscard]] Result<std::vector<storage::MessagePart>> message_parts(std::string_view, std::int64_t,
                                                                        std::int64_t) const override {
    return {};
  }
  [[nodiscard]] Result<storage::MessageNames> message_names(std::string_view) const override { return {}; }
  Result<std::uint64_t> delete_messages(std::string_view, std::int64_t, std::int64_t,
                                        const message::Condition&) override {
    return fail(Code::unsupported, "a store that is read");
  }

  Status answer;
  std::vector<std::string> tenants;
  std::vector<std::int64_t> times_us;  // from now
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
  Counter& refused_ = metrics_.counter("refused", "");
  TimesStore store_;
  double backlog_ = 0;
  MessageIntake intake_{
      {.classes = {{}, 10}, .future_ms = 5, .backlog = {{50, 50, 4}}, .backlog_percent = [this] { return backlog_; }},
      clock_,
      metrics_};
  MessageWriter writer_{store_, intake_, refused_};
};

TEST_F(MessageWriterTest, BothEndsOfTheTimeAreTaken) {
  ASSERT_TRUE(append({-10'000, 0, 5'000}));
  EXPECT_EQ(store_.times_us, (std::vector<std::int64_t>{-10'000, 0, 5'000}));
  EXPECT_EQ(store_.tenants, std::vector<std::string>{"t"});
  EXPECT_EQ(refused_.value(), 0U);
}

TEST_F(MessageWriterTest, WhatIsTooOldOrAheadIsTakenOutAndCounted) {
  ASSERT_TRUE(append({-10'001, 1, 5'001, 2}));
  EXPECT_EQ(store_.times_us, (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(refused_.value(), 2U);
  ASSERT_TRUE(append({-10'001}));
  ASSERT_TRUE(append({}));
  EXPECT_EQ(store_.tenants.size(), 1U);
  EXPECT_EQ(refused_.value(), 3U);
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
  EXPECT_EQ(refused_.value(), 0U);
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
