// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/tables/hot_rows.h"

#include <algorithm>
#include <functional>

#include "base/bytes.h"
#include "base/check.h"
#include "codec/compression.h"
#include "engine/cassandra/tables/cell.h"

namespace varve::engine::cassandra {
namespace {

// Rows of one partition go in one request: the fewer shards, the more of them. More of them keep partitions small.
constexpr unsigned kShardBits = kHotShardBits;
constexpr unsigned kTagsBits = 64;  // of a group's hash, that are of its tags
constexpr unsigned kFewBits = 3;
constexpr unsigned kAlone = 128;  // the others' shard is that of the tags
constexpr std::size_t kTogether = 128;

// The first five of `bits` bits, 0 for those that are not there.
std::int16_t shard_at(std::string_view hash, std::size_t byte, unsigned bits) {
  const unsigned mask = bits < kShardBits ? 0xffU << (8 - bits) : 0xffU;
  return static_cast<std::int16_t>((static_cast<unsigned char>(hash[byte]) & mask) >> (8 - kShardBits));
}

// The heads of rows are much alike: half of the bytes, for a few nanoseconds a sample.
constexpr char kPlain = 0, kSnappy = 1;
constexpr std::size_t kPackFrom = 128;
constexpr std::size_t kUnpackedMax = std::size_t{1} << 28;

std::string pack(std::string_view sections) {
  std::string packed;
  if (sections.size() >= kPackFrom && codec::compress(codec::Coding::snappy, sections, packed) &&
      packed.size() < sections.size()) {
    packed.insert(0, 1, kSnappy);
  } else {
    packed.assign(1, kPlain).append(sections);
  }
  return packed;
}

// `room` holds what had to be unpacked.
Result<std::string_view> unpack(std::string_view value, std::string& room) {
  if (value.empty() || (value[0] != kPlain && value[0] != kSnappy)) {
    return fail(Code::corrupt, "a hot row is in a form that this build does not know");
  }
  const std::string_view bytes = value.substr(1);
  if (value[0] == kPlain) return bytes;
  if (!codec::decompress(codec::Coding::snappy, bytes, kUnpackedMax, room)) {
    return fail(Code::corrupt, "a hot row cannot be unpacked");
  }
  return room;
}

Status corrupt(const char* what) { return fail(Code::corrupt, std::string("a hot row ") + what); }

}  // namespace

unsigned prefix_bits(std::size_t groups_of_tenant, std::size_t groups_of_tags) {
  if (groups_of_tenant <= kTogether << kFewBits) return kFewBits;
  if (groups_of_tenant <= kTogether << kShardBits) return kShardBits;
  if (groups_of_tags <= 1 && groups_of_tenant <= kTogether << 8) return 8;
  if (groups_of_tags <= kTogether) return kTagsBits;
  if (groups_of_tags <= kTogether << 4) return 68;
  // More would be too much for the partition that their tags give them.
  return groups_of_tags <= kTogether << 8 ? 72 : kAlone;
}

HashPrefix hash_prefix_of(std::string_view hash, unsigned bits) {
  check(hash.size() == kGroupHashBytes && bits > 0 && bits <= kAlone, "a prefix is bits of a hash");
  HashPrefix prefix{shard_at(hash, bits == kAlone ? kTagsBits / 8 : 0, bits), std::string(1, static_cast<char>(bits))};
  prefix.key += hash.substr(0, (bits + 7) / 8);
  if (bits % 8 != 0) prefix.key.back() = static_cast<char>(prefix.key.back() & (0xff00 >> bits % 8));
  return prefix;
}

void append_section(std::string& value, std::string_view hash, std::string_view rows) {
  value += hash;
  std::array<std::byte, 4> length{};
  store_le(length.data(), static_cast<std::uint32_t>(rows.size()));
  value.append(reinterpret_cast<const char*>(length.data()), length.size());
  value += rows;
}

RowWrite hot_write(const Tables& tables, std::string_view tenant, const HashPrefix& prefix, model::Timestamp slot,
                   const Arrival& arrival, std::string_view sections) {
  RowWrite row{
      &tables.raw, {std::string(tenant), timestamp_cell(slot), smallint_cell(prefix.shard)}, {}, {}, arrival.us, 0};
  row.clustering = {prefix.key, bigint_cell(arrival.us), bigint_cell(arrival.source)};
  row.values.push_back(pack(sections));
  return row;
}

void HotReads::add(std::string_view tenant, std::string_view hash, model::Timestamp slot,
                   std::span<const unsigned> lengths, std::size_t number) {
  std::set<Wanted*> partitions;
  for (const unsigned bits : lengths) {
    HashPrefix prefix = hash_prefix_of(hash, bits);
    Wanted& wanted = partitions_[{std::string(tenant), slot, prefix.shard}];
    wanted.keys.insert(std::move(prefix.key));
    partitions.insert(&wanted);
  }
  for (Wanted* const wanted : partitions) wanted->of.emplace(hash, number);
}

std::vector<RowRead> HotReads::reads() {
  std::vector<RowRead> list;
  for (const auto& [partition, wanted] : partitions_) {
    const RowRead read{&tables_.raw,
                       {partition.tenant, timestamp_cell(partition.slot), smallint_cell(partition.shard)},
                       {},
                       {},
                       {"value"}};
    of_read_.insert(of_read_.end(), add_keyed_reads(list, read, wanted.keys, std::identity()), &wanted);
  }
  return list;
}

Status HotReads::row(std::size_t read, const RowView& row, const Each& each) const {
  if (row.cells.size() != 4) return corrupt("has not four cells");
  Arrival arrival;
  VARVE_ASSIGN_OR_RETURN(arrival.us, bigint_of(row.cells[1]));
  VARVE_ASSIGN_OR_RETURN(arrival.source, bigint_of(row.cells[2]));
  std::string room;
  VARVE_ASSIGN_OR_RETURN(std::string_view left, unpack(row.cells[3], room));
  while (!left.empty()) {
    if (left.size() < kSectionHeadBytes) return corrupt("ends within the head of a section");
    const std::string_view hash = left.substr(0, kGroupHashBytes);
    const auto length = load_le<std::uint32_t>(reinterpret_cast<const std::byte*>(left.data()) + kGroupHashBytes);
    left.remove_prefix(kSectionHeadBytes);
    if (length > left.size()) return corrupt("ends within a section");
    const auto [first, last] = of_read_[read]->of.equal_range(hash);
    for (auto at = first; at != last; ++at) VARVE_RETURN_IF_ERROR(each(at->second, arrival, left.substr(0, length)));
    left.remove_prefix(length);
  }
  return {};
}

}  // namespace varve::engine::cassandra
