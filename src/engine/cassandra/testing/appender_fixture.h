// SPDX-License-Identifier: Apache-2.0
// For tests of what takes samples in: two replicas, and what stands of what they did.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "engine/cassandra/tables/hot_rows.h"
#include "engine/cassandra/testing/cluster.h"

namespace varve::engine::cassandra::testing {

using model::Timestamp;

class AppenderTest : public ::testing::Test {
 protected:
  AppenderTest() { cluster.rows.reset_counts(); }

  Cluster cluster;
  ClusterReplica a{cluster, 1}, b{cluster, 2};
  const Timestamp now = cluster.clock.now_ms();

  static bool is_good(const std::optional<Status>& status) { return status && *status; }
  static Code code_of(const std::optional<Status>& status) {
    return status && !*status ? status->error().code : Code::invalid;
  }
  // "arrival's number:time=value …|…", the rows of a slot.
  std::string hot(const ClusterReplica& replica, const ClusterReplica::Line& line, Timestamp slot) {
    const GroupName name = replica.series.directory().name(line.id);
    HotReads hot(cluster.tables);
    hot.add(replica.series.directory().tenant_name(name.tenant), blob_of(name.hash), slot, kPrefixLengths, 0);
    std::string text;
    const auto show = [&](std::size_t, const Arrival& arrival, std::string_view rows) -> Status {
      text += text.empty() ? "" : "|";
      text += std::to_string(arrival.source) + ":";
      const auto* at = reinterpret_cast<const std::byte*>(rows.data());
      for (const auto* const end = at + rows.size(); at != end; at += model::RowView{at}.bytes()) {
        const model::RowView sample{at};
        text += std::to_string(sample.time() - slot) + "=" + std::to_string(sample.value(0).as_long()) + " ";
      }
      return {};
    };
    EXPECT_TRUE(cluster.rows.read(hot.reads(), {},
                                  [&](std::size_t read, const RowView& view) { return hot.row(read, view, show); }));
    return text;
  }
  std::uint64_t pending(ClusterReplica& replica) { return replica.pending.samples().counts()->pending; }
  std::size_t size(const Table& table) { return cluster.rows.size(table); }
  std::size_t missed_touches() { return cluster.missed_touches(); }
  void expect_pending(ClusterReplica& replica, std::vector<Timestamp> slots) {
    const auto found = replica.pending.pending(*replica.series.tenant("t"), {});
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_EQ(found->slots, slots);
  }
};

}  // namespace varve::engine::cassandra::testing
