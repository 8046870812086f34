// SPDX-License-Identifier: Apache-2.0
// Any bytes as a body: no crash, no read outside, and both ways through a metric give the same.
#include <cstdlib>

#include "protocol/kairosdb/datapoints.h"
#include "protocol/testing/fake_groups.h"

using namespace varve;
using protocol::kairosdb::Way;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string body = std::string(reinterpret_cast<const char*>(data), size) + std::string(64, '0');
  protocol::testing::FakeGroups groups;
  const auto parse = [&](Way way) {
    model::RowBatch batch;
    auto rejection = protocol::kairosdb::parse_datapoints({body.data(), size}, groups, batch, way);
    return rejection.none() ? groups.samples(batch) : rejection.errors;
  };
  const auto general = parse(Way::general);
  if (parse(Way::fast) != general || parse(Way::fast) != general) std::abort();
  return 0;
}
