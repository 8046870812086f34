// SPDX-License-Identifier: Apache-2.0
// Any bytes as a request of remote write 2.0, parsed twice with the same groups: nothing is read out of bounds, rows
// are well-formed, and a series means the same when it is known as when it was new.
#include <cstdint>
#include <cstdlib>

#include "protocol/prometheus/remote_write.h"
#include "protocol/testing/fake_groups.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace varve;
  using namespace varve::protocol;
  const std::string_view body(reinterpret_cast<const char*>(data), size);
  for (const bool keep_names : {true, false}) {
    testing::FakeGroups groups;
    groups.keep_names = keep_names;
    model::RowBatch once;
    model::RowBatch again;
    std::size_t told = 0;
    const model::MetadataSink sink = [&](const model::MetricMetadata& one) {
      told += one.metric.size() + one.help.size() + one.unit.size();
    };
    const auto first = prometheus::parse_write_request_2(body, groups, once, sink);
    if (told > size * size) std::abort();  // a text may be of several
    const auto second = prometheus::parse_write_request_2(body, groups, again);
    if (first.has_value() != second.has_value()) std::abort();
    if (!first) continue;
    if (first->accepted != once.samples() || first->rejected != second->rejected) std::abort();
    if (groups.samples(once) != groups.samples(again)) std::abort();
  }
  return 0;
}
