// SPDX-License-Identifier: Apache-2.0
#include "tracker/partition.h"

#include <bit>
#include <string>

#include "base/bytes.h"
#include "base/check.h"

namespace varve::tracker {
namespace {

// Standard murmur3 x86 32, seed 0.
std::uint32_t murmur3_32(std::string_view bytes) {
  const auto mixed = [](std::uint32_t k) { return std::rotl(k * 0xcc9e2d51U, 15) * 0x1b873593U; };
  std::uint32_t hash = 0;
  std::size_t at = 0;
  for (; at + 4 <= bytes.size(); at += 4) {
    hash = std::rotl(hash ^ mixed(load_le<std::uint32_t>(bytes.data() + at)), 13) * 5 + 0xe6546b64U;
  }
  std::uint32_t tail = 0;
  for (std::size_t i = bytes.size(); i > at; --i) tail = tail << 8 | static_cast<unsigned char>(bytes[i - 1]);
  hash ^= mixed(tail);  // of nothing is 0
  hash ^= static_cast<std::uint32_t>(bytes.size());
  hash = (hash ^ hash >> 16) * 0x85ebca6bU;
  hash = (hash ^ hash >> 13) * 0xc2b2ae35U;
  return hash ^ hash >> 16;
}

// Lamping and Veach, "A fast, minimal memory, consistent hash algorithm".
std::uint32_t jump(std::uint64_t key, std::uint32_t buckets) {
  std::uint32_t bucket = 0;
  while (true) {
    key = key * 2862933555777941757U + 1;
    const double random = static_cast<double>((key >> 33) + 1) / static_cast<double>(1U << 31);
    const double next = static_cast<double>(bucket + 1) / random;
    if (next >= static_cast<double>(buckets)) return bucket;
    bucket = static_cast<std::uint32_t>(next);
  }
}

}  // namespace

std::uint32_t partition_of(std::string_view tenant, std::string_view series, std::uint32_t partitions) {
  check(partitions > 0, "no partitions");
  std::string bytes(tenant);
  bytes += series;
  return jump(murmur3_32(bytes), partitions);
}

std::uint32_t partition_of(std::string_view tenant, const model::SeriesSetHash& series, std::uint32_t partitions) {
  return partition_of(tenant, to_base64(series), partitions);
}

}  // namespace varve::tracker
