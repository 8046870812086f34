// SPDX-License-Identifier: Apache-2.0
// For tests of messages: replicas on rows in memory, and what they say is there.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "engine/cassandra/testing/cluster.h"
#include "storage/testing/message_fixture.h"

namespace varve::engine::cassandra::testing {

using storage::testing::TestMessage;

class MessageReplicasTest : public ::testing::Test {
 protected:
  static constexpr std::int64_t kSlotMs = Cluster::kSlotMs;
  static constexpr std::int64_t kHourUs = kSlotMs * 1000;
  using Texts = std::vector<std::string>;

  Cluster cluster;
  ClusterReplica a{cluster, 1}, b{cluster, 2};
  const model::Timestamp slot = cluster.clock.now_ms() - kSlotMs;  // the one that has just ended
  const std::int64_t begin_us = slot * 1000;

  static std::optional<Status> put(ClusterReplica& replica, const std::vector<TestMessage>& messages,
                                   const std::string& tenant = "t") {
    if (replica.renews && !replica.watermark.has_lease()) std::ignore = replica.watermark.renew();
    message::Batch batch;
    for (const TestMessage& one : messages) storage::testing::add_message(batch, one);
    const auto told = std::make_shared<std::optional<Status>>();
    replica.message_appender.append(tenant, batch, [told](Status status) {
      EXPECT_FALSE(*told) << "called back twice";
      *told = std::move(status);
    });
    if (replica.missed_touches.unheard()) {
      replica.cluster.clock.advance_ms(MissedTouches::kHeardMs);
      replica.missed_touches.tell_heard();
    }
    return *told;
  }
  // At so many µs behind the slot's beginning; the text says it.
  std::optional<Status> put_at(ClusterReplica& replica, const std::vector<std::int64_t>& times,
                               const std::string& tenant = "t") {
    std::vector<TestMessage> messages;
    messages.reserve(times.size());
    for (const std::int64_t time : times) messages.push_back({begin_us + time, std::to_string(time)});
    return put(replica, messages, tenant);
  }
  static bool is_good(const std::optional<Status>& status) { return status && *status; }

  struct Found {
    Texts texts;  // by time and arrival, as often as they stand in parts
    std::size_t blocks = 0, hot_parts = 0;
    std::optional<Error> error;
  };
  Found find(ClusterReplica& replica, const std::string& tenant = "t") {
    Found out;
    const auto parts = replica.message_reader.parts(tenant, begin_us - 100 * kHourUs, begin_us + 100 * kHourUs);
    EXPECT_TRUE(parts);
    std::vector<std::tuple<std::int64_t, std::uint64_t, std::string>> rows;
    for (const auto& part : *parts) {
      ++(part.block == nullptr ? out.hot_parts : out.blocks);
      const auto read = storage::testing::PartRows::read(part, begin_us - 100 * kHourUs, begin_us + 100 * kHourUs);
      if (!read) {
        out.error = read.error();
        return out;
      }
      for (const auto row : read->rows()) {
        rows.emplace_back(row.time_us(), row.arrival(), storage::testing::test_message(row).text);
      }
    }
    std::ranges::sort(rows);
    for (auto& [time, arrival, text] : rows) out.texts.push_back(std::move(text));
    return out;
  }
  Texts texts(ClusterReplica& replica, const std::string& tenant = "t") {
    Found found = find(replica, tenant);
    EXPECT_FALSE(found.error) << found.error->message;
    return std::move(found.texts);
  }
  // Time passes as replicas live it: their watermark goes on.
  void live(std::int64_t ms) {
    for (; ms > 0; ms -= Watermark::kLeaseMs) {
      cluster.clock.advance_ms(std::min(ms, Watermark::kLeaseMs));
      for (ClusterReplica* const replica : {&a, &b}) {
        EXPECT_TRUE(replica->rows.dead() || replica->watermark.renew());
      }
    }
  }
  std::uint64_t pending(ClusterReplica& replica) { return replica.message_worker.counts()->pending; }
  std::size_t size(const Table& table) { return cluster.rows.size(table); }
};

}  // namespace varve::engine::cassandra::testing
