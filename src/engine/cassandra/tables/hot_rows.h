// SPDX-License-Identifier: Apache-2.0
// Hot rows: samples that are not sealed yet. What a row costs in Cassandra is the row, not its bytes: so one holds what
// a request says of all groups of a *bundle* in one slot, a section for each (docs/formats/cluster.md).
//
// A bundle is the groups whose hashes begin with the same bits. The first half of a hash is of the tags: groups of one
// host come together and stand together. How many bits is for the writer to choose; who reads asks for all that may be.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/cassandra/tables/blobs.h"
#include "engine/cassandra/tables/row_store.h"
#include "model/time.h"

namespace varve::engine::cassandra {

inline constexpr std::size_t kGroupHashBytes = 16;
inline constexpr unsigned kHotShardBits = 5;  // rows of a tenant's slot stand in 32 partitions
inline constexpr std::int16_t kHotShards = 1 << kHotShardBits;

struct Bundle {
  std::int16_t shard = 0;
  std::string key;
  auto operator<=>(const Bundle&) const = default;
};

// Bits that a bundle may have, for a tenant's groups and those that share the tags of this one: so that about 128
// groups come together. The last one is a group alone.
unsigned bundle_bits(std::size_t groups_of_tenant, std::size_t groups_of_tags);
// `hash`: of a group. `bits`: of those that bundle_bits() gives.
Bundle bundle_of(std::string_view hash, unsigned bits);

// One more section. `rows`: packed rows (docs/formats/row.md) of the group, their group number 0.
void append_section(std::string& value, std::string_view hash, std::string_view rows);
inline constexpr std::size_t kSectionHeadBytes = kGroupHashBytes + 4;

// What one request said of a bundle's groups in one slot. Its write timestamp is its arrival.
RowWrite hot_write(const Tables& tables, std::string_view tenant, const Bundle& bundle, model::Timestamp slot,
                   const Arrival& arrival, std::string_view sections);

// What to read for some groups in some slots: rows of several groups are read once.
class HotReads {
 public:
  explicit HotReads(const Tables& tables) : tables_(tables) {}
  // `number`: what each() calls the group in this slot.
  void add(std::string_view tenant, std::string_view hash, model::Timestamp slot, std::size_t number);
  [[nodiscard]] std::vector<RowRead> reads();  // once, after all was added

  using Each = std::function<Status(std::size_t number, const Arrival& arrival, std::string_view rows)>;
  // A row of one of these reads: its sections that are wanted. Errors: corrupt; those of `each`.
  Status row(std::size_t read, const RowView& row, const Each& each) const;

 private:
  struct Partition {
    std::string tenant;
    model::Timestamp slot = 0;
    std::int16_t shard = 0;
    auto operator<=>(const Partition&) const = default;
  };
  struct Wanted {
    std::set<std::string> keys;                               // of bundles
    std::multimap<std::string, std::size_t, std::less<>> of;  // hash → number
  };
  const Tables& tables_;
  std::map<Partition, Wanted> partitions_;
  std::vector<const Wanted*> of_read_;
};

}  // namespace varve::engine::cassandra
