// SPDX-License-Identifier: Apache-2.0
// Any bytes as a body of /api/put: no crash, no read outside, and both ways through a point give the same.
#include <cstdlib>

#include "protocol/opentsdb/fake_targets.h"
#include "protocol/opentsdb/put.h"

using namespace varve::protocol::opentsdb;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string body = std::string(reinterpret_cast<const char*>(data), size) + std::string(64, '0');
  FakeTargets targets;
  const auto parse = [&](Way way) {
    targets.drop();
    const auto outcome = parse_put({body.data(), size}, targets, TenantTag::names, way);
    return outcome.malformed.empty() ? targets.samples() + render_put(outcome, true) : outcome.malformed;
  };
  const auto general = parse(Way::general);
  if (parse(Way::fast) != general || parse(Way::fast) != general) std::abort();
  return 0;
}
