// SPDX-License-Identifier: Apache-2.0
// Line group: the series that arrive together in one line (or JSON object, or scraped target), always with one
// timestamp.
//
// Senders repeat themselves: the bytes that name a line's series are the same each time, and lines come in the same
// order. So a parser compares these bytes with those of the expected group (`next` of the previous one); on a hit it
// need not parse the tags. A miss costs one hash of the bytes; only bytes never seen before are parsed.
//
// Samples of a group may have a TTL, counted from their timestamps; a series that is written with several TTLs is in
// one group for each.
//
// A LineGroup is constant after construction but for the guess, which is an atomic (store it with release, load it with
// acquire): a wrong guess costs time, never correctness. LineGroups live as long as their GroupSource: whatever
// outlives a request keeps a KeptGroup or a GroupId instead (model/kept_group.h).
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "base/result.h"
#include "codec/hash.h"
#include "model/kept_group.h"
#include "model/tags.h"
#include "model/time.h"

namespace varve::model {

// If there are very many groups, the bytes that name them are not kept and their 128-bit hash is compared instead
// (docs/decisions/0007). is() and starts() handle both forms.
struct alignas(64) LineGroup : KeptGroup {  // one cache line: at a million groups a guess costs one miss
  std::uint32_t name_bytes = 0;             // length of the raw name, as its sender writes it
  const char* raw_name = nullptr;           // at least kReadable bytes are readable; nullptr: only the hash is kept
  codec::Hash128 hash;                      // of the raw name (codec::hash128)
  std::string_view fields;                // raw, kReadable more readable. Influx: "field1=field2=…"; KairosDB: its ttl
  std::atomic<LineGroup*> next{nullptr};  // the group that followed this one last time

  static constexpr std::size_t kReadable = 32;  // for comparing 32 bytes at once

  // Is its name exactly these bytes?
  [[nodiscard]] bool is(std::string_view raw) const {
    if (raw.size() != name_bytes) return false;
    return raw_name != nullptr ? std::memcmp(raw.data(), raw_name, name_bytes) == 0 : codec::hash128(raw) == hash;
  }
  // Do the bytes at `at` begin with its name? name_bytes must be readable.
  [[nodiscard]] bool starts(const char* at) const { return is({at, name_bytes}); }
};
static_assert(sizeof(LineGroup) == 64);

// A TTL as sent, in seconds: 0 and less means none; at most 68 years.
constexpr std::uint32_t ttl_s_of(std::int64_t said) {
  constexpr std::int64_t kMost = 0x7fffffff;
  return static_cast<std::uint32_t>(said < 0 ? 0 : said < kMost ? said : kMost);
}

// Senders count a TTL from the write, groups count it from their samples' timestamps. Samples written soon after their
// timestamp keep the sender's TTL; older ones get a longer TTL that covers their age and ttl_s, rounded up by at most
// an eighth, so that a sender of old samples needs few groups.
constexpr std::uint32_t ttl_s_of_age(std::uint32_t ttl_s, Timestamp time, Timestamp now_ms) {
  const std::int64_t age_s = now_ms / 1000 - time / 1000;
  if (ttl_s == 0 || age_s <= ttl_s / 16) return ttl_s;
  const std::uint64_t least = static_cast<std::uint64_t>(age_s) + ttl_s;
  const std::uint64_t step = std::max(std::bit_floor(least) / 8, std::uint64_t{1});
  return ttl_s_of(static_cast<std::int64_t>((least / step + 1) * step));
}

// Where parsers get groups from (implemented in write/). One per tenant and protocol family, because equal raw bytes
// mean different series in different protocols. Not thread-safe with itself unless the implementation says so.
class GroupSource {
 public:
  virtual ~GroupSource() = default;

  // The group whose name (and fields) are exactly these bytes, or nullptr if they were never defined.
  virtual LineGroup* find(std::string_view name, std::string_view fields) = 0;

  // Would define() accept these, as far as can be told without the store? Registers nothing. For requests that are
  // stored as a whole or not at all: their groups are defined once the whole request is known to be valid. Error:
  // invalid.
  virtual Status check(const TagViews& tags, std::span<const std::string_view> metrics) = 0;

  // KeptGroup::kept of the group that define() would make. Parsers ask before they define: a sample that is too old
  // leaves no name, and takes no place of the tenant.
  [[nodiscard]] virtual std::uint8_t kept(const TagViews& tags, std::span<const std::string_view> metrics) const = 0;

  // Has the store one of these series? For what says nothing of a series that is not there (staleness markers): it is
  // asked before define(), and defines nothing. Errors: invalid, unavailable.
  [[nodiscard]] virtual Result<bool> knows(const TagViews& tags, std::span<const std::string_view> metrics) = 0;

  // Called after find() returned nullptr, with the parsed name. `tags` must be normalized; ttl_s as in LineGroup.
  // Registers new series. Errors: invalid (a limit of name or tag size), limit (series per tenant), unavailable.
  virtual Result<LineGroup*> define(std::string_view name, std::string_view fields, const TagViews& tags,
                                    std::span<const std::string_view> metrics, std::uint32_t ttl_s = 0) = 0;
};

}  // namespace varve::model
