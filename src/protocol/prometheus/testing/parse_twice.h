// SPDX-License-Identifier: Apache-2.0
// For the fuzz targets of both versions of remote write: any bytes, parsed twice with the same groups. Rows are
// well-formed, and a series means the same when it is known as when it was new.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <string_view>

#include "protocol/prometheus/remote_write.h"
#include "protocol/testing/fake_groups.h"

namespace varve::protocol::testing::remote_write {

// `told_max`: of the bytes of all metadata.
inline void parse_twice(decltype(&prometheus::parse_write_request) parse, std::string_view body, std::size_t told_max) {
  for (const bool keep_names : {true, false}) {
    FakeGroups groups;
    groups.keep_names = keep_names;
    model::RowBatch once;
    model::RowBatch again;
    std::size_t told = 0;
    const model::MetadataSink sink = [&](const model::MetricMetadata& one) {
      told += one.metric.size() + one.help.size() + one.unit.size();
    };
    const auto first = parse(body, groups, once, sink);
    if (told > told_max) std::abort();
    const auto second = parse(body, groups, again, nullptr);
    if (first.has_value() != second.has_value()) std::abort();
    if (!first) continue;
    if (first->accepted != once.samples() || first->rejected != second->rejected) std::abort();
    if (groups.samples(once) != groups.samples(again)) std::abort();
  }
}

}  // namespace varve::protocol::testing::remote_write
