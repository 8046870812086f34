// SPDX-License-Identifier: Apache-2.0
// Any bytes as a body of the line protocol, parsed twice with the same groups: nothing is read out of bounds, rows are
// well-formed, and a line means the same when it is known (kept or by hash) as when it was new.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "protocol/influx/line.h"
#include "protocol/testing/fake_groups.h"

namespace {

using namespace varve;
using namespace varve::protocol;

std::vector<std::string> parse(std::string_view body, influx::Precision precision, testing::FakeGroups& groups,
                               Outcome& outcome) {
  model::RowBatch batch;
  outcome = influx::parse_lines(body, precision, 0, groups, batch);
  if (outcome.accepted != batch.samples()) std::abort();
  return groups.samples(batch);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  std::string body(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t body_size = body.size();
  body.append(influx::kBodyPadding, static_cast<char>(data[0]));
  const std::string_view text = std::string_view(body).substr(0, body_size);
  const auto precision = static_cast<influx::Precision>(data[0] % 6);
  testing::FakeGroups groups;
  groups.keep_names = data[0] < 128;
  Outcome first;
  Outcome second;
  const auto once = parse(text, precision, groups, first);
  const std::size_t defines = groups.defines;
  if (parse(text, precision, groups, second) != once) std::abort();
  if (first.rejected != second.rejected) std::abort();
  if (first.rejected == 0 && groups.defines != defines) std::abort();
  return 0;
}
