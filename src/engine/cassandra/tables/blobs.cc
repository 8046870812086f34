// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/tables/blobs.h"

#include <algorithm>

#include "base/bytes.h"
#include "codec/varint.h"

namespace varve::engine::cassandra {
namespace {

constexpr std::uint8_t kBlobVersion = 1, kStratumVersion = 2;

void append_le64(std::string& to, std::int64_t number) {
  for (int i = 0; i < 8; ++i) to += static_cast<char>(static_cast<std::uint64_t>(number) >> (8 * i));
}

Status check_version(std::string_view blob, const char* what, std::uint8_t known = kBlobVersion) {
  if (blob.empty()) return fail(Code::corrupt, std::string(what) + " of a row are empty");
  const auto version = static_cast<std::uint8_t>(blob[0]);
  if (version == known) return {};
  return fail(Code::unsupported, "version " + std::to_string(version) + " of the " + what +
                                     " of a row; this build reads version " + std::to_string(known));
}

// Reads varints one after the other; at the first that is cut, good is false and the rest are 0.
struct Varints {
  const std::byte* at;
  const std::byte* end;
  bool good = true;
  std::uint64_t next() {
    std::uint64_t number = 0;
    const std::byte* const after = good ? codec::get_varint(at, end, number) : nullptr;
    good = after != nullptr;
    at = good ? after : end;
    return good ? number : 0;
  }
};

constexpr std::size_t kHeadBytes = 9;  // versions of the blob and of the row

std::string stats_head(std::uint8_t version, std::int64_t row_version) {
  std::string blob(1, static_cast<char>(version));
  append_le64(blob, row_version);
  return blob;
}

Result<std::int64_t> row_version(std::string_view blob, std::uint8_t version) {
  VARVE_RETURN_IF_ERROR(check_version(blob, "lives", version));
  if (blob.size() < kHeadBytes) return fail(Code::corrupt, "the stats of a row are cut short");
  return load_le<std::int64_t>(reinterpret_cast<const std::byte*>(blob.data()) + 1);
}

void append_series(std::string& blob, std::span<const storage::SeriesStats> series, model::Timestamp start) {
  for (const storage::SeriesStats& one : series) {
    codec::append_varint(blob, one.points);
    if (one.points == 0) continue;
    codec::append_varint(blob, codec::zigzag(one.first_ms - start));
    codec::append_varint(blob, static_cast<std::uint64_t>(one.last_ms - one.first_ms));
    codec::append_varint(blob, one.types);
  }
}

// False: they are cut short.
bool read_series(Varints numbers, model::Timestamp start, std::vector<storage::SeriesStats>& series) {
  while (numbers.good && numbers.at != numbers.end) {
    storage::SeriesStats& one = series.emplace_back();
    one.points = numbers.next();
    if (one.points == 0) continue;
    // Foreign numbers may leave the range of a time: they wrap, and do no other harm.
    const auto first = static_cast<std::uint64_t>(start) + static_cast<std::uint64_t>(codec::unzigzag(numbers.next()));
    one.first_ms = static_cast<model::Timestamp>(first);
    one.last_ms = static_cast<model::Timestamp>(first + numbers.next());
    one.types = static_cast<std::uint8_t>(numbers.next());
  }
  return numbers.good;
}

Varints varints_of(std::string_view blob) {
  const auto* const bytes = reinterpret_cast<const std::byte*>(blob.data());
  return {bytes + kHeadBytes, bytes + blob.size()};
}

}  // namespace

std::string encode_stats(const ColumnShardStats& stats, model::Timestamp start) {
  std::string blob = stats_head(kBlobVersion, stats.version);
  append_series(blob, stats.series, start);
  return blob;
}

Result<ColumnShardStats> decode_stats(std::string_view blob, model::Timestamp start) {
  ColumnShardStats stats;
  VARVE_ASSIGN_OR_RETURN(stats.version, row_version(blob, kBlobVersion));
  if (!read_series(varints_of(blob), start, stats.series)) {
    return fail(Code::corrupt, "the stats of a row are cut short");
  }
  return stats;
}

std::string encode_stratum(const StratumStats& stats, model::Timestamp first, std::int64_t slot_ms) {
  std::string blob = stats_head(kStratumVersion, stats.version);
  std::string series;
  for (const auto& slot : stats.slots) {
    series.clear();
    append_series(series, slot, first);
    codec::append_varint(blob, series.size());
    blob += series;
    first += slot_ms;
  }
  return blob;
}

Result<StratumStats> decode_stratum(std::string_view blob, model::Timestamp first, std::int64_t slot_ms) {
  StratumStats stats;
  VARVE_ASSIGN_OR_RETURN(stats.version, row_version(blob, kStratumVersion));
  Varints numbers = varints_of(blob);
  while (numbers.good && numbers.at != numbers.end) {
    const std::uint64_t bytes = numbers.next();
    numbers.good = numbers.good && bytes <= static_cast<std::uint64_t>(numbers.end - numbers.at);
    if (!numbers.good) break;
    numbers.good = read_series({numbers.at, numbers.at + bytes}, first, stats.slots.emplace_back());
    numbers.at += bytes;
    first += slot_ms;
  }
  if (!numbers.good) return fail(Code::corrupt, "the stats of a row are cut short");
  return stats;
}

std::string encode_arrivals(std::span<const Arrival> arrivals) {
  std::string blob(1, static_cast<char>(kBlobVersion));
  for (const Arrival& arrival : arrivals) {
    append_le64(blob, arrival.us);
    append_le64(blob, arrival.source);
  }
  return blob;
}

Result<std::vector<Arrival>> decode_arrivals(std::string_view blob) {
  VARVE_RETURN_IF_ERROR(check_version(blob, "added rows"));
  if (blob.size() % 16 != 1) return fail(Code::corrupt, "the added rows of a row are cut short");
  std::vector<Arrival> arrivals;
  const auto* at = reinterpret_cast<const std::byte*>(blob.data()) + 1;
  for (std::size_t i = 0; i < blob.size() / 16; ++i, at += 16) {
    arrivals.push_back({load_le<std::int64_t>(at), load_le<std::int64_t>(at + 8)});
  }
  if (!std::ranges::is_sorted(arrivals)) return fail(Code::corrupt, "the added rows of a row are not in order");
  return arrivals;
}

}  // namespace varve::engine::cassandra
