// SPDX-License-Identifier: Apache-2.0
// For tests: a body of a put as text: the samples or errors that it gives.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "protocol/kairosdb/datapoints.h"
#include "protocol/testing/fake_groups.h"

namespace varve::protocol::kairosdb {

inline std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& line : lines) text += (text.empty() ? "" : " | ") + line;
  return text;
}

inline std::string padded(std::string_view body, char with = ' ') { return std::string(body) + std::string(64, with); }

inline std::string parse(std::string_view body, testing::FakeGroups& groups, Way way, char padding = ' ') {
  const std::string bytes = padded(body, padding);
  model::RowBatch batch;
  const auto rejection = parse_datapoints({bytes.data(), body.size()}, groups, batch, way);
  return rejection.none() ? joined(groups.samples(batch)) : "! " + joined(rejection.errors);
}

// What the body gives; fails if the two ways, or known and unknown groups, or what stands behind the body matter.
inline std::string parsed(std::string_view body) {
  testing::FakeGroups general_groups;
  const std::string want = parse(body, general_groups, Way::general);
  for (const bool keep_names : {true, false}) {
    testing::FakeGroups groups;
    groups.keep_names = keep_names;
    for (const char padding : {' ', '1', '"', '}', ']'}) {
      EXPECT_EQ(parse(body, groups, Way::fast, padding), want) << body << " padded with " << padding;
      EXPECT_EQ(parse(body, groups, Way::general, padding), want) << body << " padded with " << padding;
    }
  }
  return want;
}

// A metric object `m` with a tag, around the given fields.
inline std::string of_m(std::string_view fields) {
  return parsed("{\"name\":\"m\",\"tags\":{\"h\":\"a\"}," + std::string(fields) + "}");
}
inline std::string value(std::string_view json) { return of_m("\"timestamp\":1,\"value\":" + std::string(json)); }
inline std::string points(std::string_view json) { return of_m("\"datapoints\":" + std::string(json)); }

struct Case {
  const char* body;
  const char* want;
};

}  // namespace varve::protocol::kairosdb
