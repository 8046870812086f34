// SPDX-License-Identifier: Apache-2.0
// Sealed messages: what the one row says that publishes the sealed messages of a slot (docs/formats/cluster.md).
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/cassandra/tables/blobs.h"
#include "model/time.h"

namespace varve::engine::cassandra {

// Names a block within its slot.
struct BlockName {
  std::int64_t version = 0;
  std::uint32_t number = 0;
  auto operator<=>(const BlockName&) const = default;
};

struct SealedBlock {
  BlockName name;
  std::uint32_t sections = 0;
  std::uint32_t messages = 0;
  std::int64_t first_us = 0;
  std::int64_t last_us = 0;
  bool operator==(const SealedBlock&) const = default;
};

struct ReplacedBlock {
  BlockName name;
  model::Timestamp replaced_ms = 0;
  bool operator==(const ReplacedBlock&) const = default;
};

// Default: nothing is sealed.
struct SealedMessages {
  std::int64_t version = 0;
  model::Timestamp published_ms = 0;
  std::int64_t until_us = 0;
  std::set<Arrival> beyond;
  std::vector<SealedBlock> blocks;
  std::vector<ReplacedBlock> replaced;
  std::set<std::int64_t> applied;  // versions of the marks (erase_mark.h) of which the blocks hold nothing any more

  [[nodiscard]] bool applies(std::int64_t mark) const { return applied.contains(mark); }
  // Do the blocks hold the messages of this hot row?
  [[nodiscard]] bool covers(const Arrival& arrival) const { return arrival.us < until_us || beyond.contains(arrival); }
  bool operator==(const SealedMessages&) const = default;
};

std::string encode_sealed_messages(const SealedMessages& sealed);
// Errors: corrupt, unsupported.
Result<SealedMessages> decode_sealed_messages(std::string_view blob);

}  // namespace varve::engine::cassandra
