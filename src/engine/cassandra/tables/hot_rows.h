// SPDX-License-Identifier: Apache-2.0
// Hot rows: samples that are not sealed yet. Cassandra's cost depends on the number of rows, not on their bytes. So
// one row holds the samples of one request for all groups with the same *hash prefix* in one slot, a section for each
// group (docs/formats/cluster.md).
//
// The hash prefix of a group is the first bits of its hash. The first half of a hash is that of the tags, so the groups
// of one host share rows. The writer chooses the number of bits, the prefix's length; which there are in a slot stands
// beside the rows (prefix_lengths.h).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <span>
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

struct HashPrefix {
  std::int16_t shard = 0;
  std::string key;  // the column `bundle`: the number of bits, then the bits
  auto operator<=>(const HashPrefix&) const = default;
};

// How many bits of the hash about 128 groups have in common: given the number of the tenant's groups, and of those with
// the same tags as this one. 128: the group is alone.
unsigned prefix_bits(std::size_t groups_of_tenant, std::size_t groups_of_tags);
// All that it gives. Ascending.
inline constexpr std::array<unsigned, 7> kPrefixLengths = {3, 5, 8, 64, 68, 72, 128};
// `hash`: of a group. `bits`: of those that prefix_bits() gives.
HashPrefix hash_prefix_of(std::string_view hash, unsigned bits);
inline unsigned bits_of(const HashPrefix& prefix) { return static_cast<unsigned char>(prefix.key[0]); }

// One more section. `rows`: packed rows (docs/formats/row.md) of the group, their group number 0.
void append_section(std::string& value, std::string_view hash, std::string_view rows);
inline constexpr std::size_t kSectionHeadBytes = kGroupHashBytes + 4;

// The samples of one request for the groups of a hash prefix in one slot. Its write timestamp is its arrival.
RowWrite hot_write(const Tables& tables, std::string_view tenant, const HashPrefix& prefix, model::Timestamp slot,
                   const Arrival& arrival, std::string_view sections);

// What to read for some groups in some slots: rows of several groups are read once.
class HotReads {
 public:
  explicit HotReads(const Tables& tables) : tables_(tables) {}
  // `lengths`: of hash prefixes, that the slot may have. `number`: what each() calls the group in this slot.
  void add(std::string_view tenant, std::string_view hash, model::Timestamp slot, std::span<const unsigned> lengths,
           std::size_t number);
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
    std::set<std::string> keys;                               // of hash prefixes
    std::multimap<std::string, std::size_t, std::less<>> of;  // hash → number
  };
  const Tables& tables_;
  std::map<Partition, Wanted> partitions_;
  std::vector<const Wanted*> of_read_;
};

}  // namespace varve::engine::cassandra
