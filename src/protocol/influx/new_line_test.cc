// SPDX-License-Identifier: Apache-2.0
#include "protocol/influx/new_line.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "protocol/influx/line.h"
#include "protocol/testing/fake_groups.h"

namespace varve::protocol::influx {
namespace {

// Each text is a group of its own, which may be kept for another time than the numbers of the line.
TEST(NewLine, WhatIsTooOldOfALineIsLeftOut) {
  testing::FakeGroups groups;
  groups.kept_of = [](std::span<const std::string_view> metrics) {
    return metrics.front() == "m_log" ? std::uint8_t{1} : std::uint8_t{0};
  };
  model::RowBatch batch;
  const model::Timestamp from[] = {10};
  batch.set_kept_from(5, from);
  Outcome outcome;
  const auto parse = [&](const std::string& text) {
    batch.clear();
    const std::string body = text + std::string(kBodyPadding, '7');
    outcome = parse_lines(std::string_view(body).substr(0, text.size()), Precision::ms, 100, groups, batch);
    EXPECT_EQ(outcome.accepted, batch.samples());
    return groups.samples(batch);
  };
  using Samples = std::vector<std::string>;
  for (int again = 0; again < 2; ++again) {
    EXPECT_EQ(parse("m x=1i,log=\"t\" 7"), (Samples{"m_x{} 7 1"}));
    EXPECT_EQ(parse("m log=\"t\" 7"), Samples{});
    EXPECT_EQ(outcome.count(Code::too_old), 1U);
    EXPECT_EQ(groups.defines, 1U) << "what is too old leaves no name";
  }
  EXPECT_EQ(parse("m x=2i,log=\"u\" 11"), (Samples{"m_x{} 11 2", "m_log{} 11 \"u\""}));
  EXPECT_EQ(parse("m x=3i,log=\"v\" 8"), (Samples{"m_x{} 8 3"})) << "known by now";
  EXPECT_EQ(outcome.rejected, 0U);
}

}  // namespace
}  // namespace varve::protocol::influx
