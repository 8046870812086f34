// SPDX-License-Identifier: Apache-2.0
#include "message/made_ids.h"

#include <algorithm>
#include <array>
#include <bit>
#include <random>
#include <utility>

#include "base/bytes.h"
#include "base/check.h"
#include "codec/hash.h"

namespace varve::message {
namespace {

constexpr std::size_t kPlacesMin = 64;

// Senders who know the hashes of what they send do not know in which place these begin.
std::uint64_t spread() {
  static const std::uint64_t number = [] {
    std::random_device random;
    return std::uint64_t{random()} << 32 | random() | 1;
  }();
  return number;
}

std::uint64_t hash_of_repeat(std::uint64_t hash, std::uint32_t times) {
  std::array<std::byte, 4> bytes;
  store_le(bytes.data(), times);
  return codec::hash64({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, hash);
}

}  // namespace

Id id_of_hash(std::string_view maker, std::uint64_t hash) {
  check(maker.size() == 4, "a maker of ids has four characters");
  Id id{0, 0, 0, 0, 0, 0, static_cast<char>(0x80), 0};
  std::ranges::copy(maker, id.begin());
  store_le(reinterpret_cast<std::byte*>(id.data() + 8), hash);
  id[8] = static_cast<char>((static_cast<unsigned char>(id[8]) & 0x3f) | 0x80);
  return id;
}

Id MadeIds::of(std::uint64_t hash) {
  if (2 * (taken_ + 1) > places_.size()) grow();
  Seen& seen = place_of(hash);
  if (seen.times == 0) ++taken_;
  seen.hash = hash;
  const std::uint32_t before = seen.times++;
  return id_of_hash("said", before == 0 ? hash : hash_of_repeat(hash, before));
}

MadeIds::Seen& MadeIds::place_of(std::uint64_t hash) {
  const std::size_t mask = places_.size() - 1;
  std::size_t at = hash * spread() >> (64 - std::countr_zero(places_.size()));
  while (places_[at].times != 0 && places_[at].hash != hash) at = (at + 1) & mask;
  return places_[at];
}

void MadeIds::grow() {
  const std::vector<Seen> before = std::exchange(places_, std::vector<Seen>(std::max(kPlacesMin, 2 * places_.size())));
  for (const Seen& one : before) {
    if (one.times != 0) place_of(one.hash) = one;
  }
}

}  // namespace varve::message
