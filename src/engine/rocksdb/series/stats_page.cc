// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/series/stats_page.h"

#include "base/check.h"
#include "codec/compression.h"
#include "codec/varint.h"

namespace varve::engine::rocksdb {
namespace {

using storage::SeriesStats;

constexpr char kVersion = 1;
constexpr std::size_t kPageBytesMax = StatsPage::kSeries * 31 + 10;  // three varints and a byte each

std::uint64_t length_of(const SeriesStats& stats) {
  return static_cast<std::uint64_t>(stats.last_ms) - static_cast<std::uint64_t>(stats.first_ms);
}

// Numbers that are mostly like the one before.
class Steps {
 public:
  void write(std::string& out, std::uint64_t value) {
    codec::append_varint(out, codec::zigzag(static_cast<std::int64_t>(value - before_)));
    before_ = value;
  }
  std::uint64_t read(std::uint64_t step) { return before_ += static_cast<std::uint64_t>(codec::unzigzag(step)); }

 private:
  std::uint64_t before_ = 0;
};

// After what is cut, everything reads as nothing.
class Reader {
 public:
  explicit Reader(std::string_view bytes)
      : at_(reinterpret_cast<const std::byte*>(bytes.data())), end_(at_ + bytes.size()) {}
  std::uint64_t number() {
    std::uint64_t v = 0;
    if (at_ != nullptr) at_ = codec::get_varint(at_, end_, v);
    return at_ == nullptr ? 0 : v;
  }
  std::uint8_t byte() {
    if (at_ == end_) at_ = nullptr;
    return at_ == nullptr ? std::uint8_t{0} : static_cast<std::uint8_t>(*at_++);
  }
  [[nodiscard]] bool is_whole() const { return at_ == end_; }  // read to its end, and no further

 private:
  const std::byte* at_;
  const std::byte* end_;
};

bool read_page(std::string_view bytes, StatsPage::Rows& rows) {
  Reader in(bytes);
  const std::uint64_t count = in.number();
  if (count > StatsPage::kSeries) return false;
  const std::span<SeriesStats> of_page(rows.data(), static_cast<std::size_t>(count));
  Steps points;
  Steps firsts;
  Steps lengths;
  for (SeriesStats& one : of_page) one.points = points.read(in.number());
  for (SeriesStats& one : of_page) one.types = in.byte();
  for (SeriesStats& one : of_page) {
    if (one.points == 0) continue;
    const std::uint64_t first = firsts.read(in.number());
    one.first_ms = static_cast<model::Timestamp>(first);
    one.last_ms = static_cast<model::Timestamp>(first + lengths.read(in.number()));
  }
  return in.is_whole();
}

}  // namespace

StatsPage::StatsPage(const Rows& rows) {
  std::vector<std::array<std::uint64_t, 4>> numbers(kSeries);
  std::array<std::uint64_t, 4> some{};  // times that do not make their columns wider, for series that have none
  is_full_ = true;
  for (const SeriesStats& one : rows) {
    is_full_ = is_full_ && one.points > 0;
    if (one.points > 0) some = {static_cast<std::uint64_t>(one.first_ms), length_of(one), 0, 0};
    all_.add(one);
  }
  for (std::size_t i = 0; i < kSeries; ++i) {
    const SeriesStats& one = rows[i];
    numbers[i] = some;
    if (one.points > 0) numbers[i] = {static_cast<std::uint64_t>(one.first_ms), length_of(one), one.points, one.types};
  }
  packed_ = PackedRows<4>(numbers);
}

SeriesStats StatsPage::operator[](std::size_t i) const {
  const auto [first, length, points, types] = packed_[i];
  if (points == 0) return {};
  return {static_cast<model::Timestamp>(first), static_cast<model::Timestamp>(first + length), points,
          static_cast<std::uint8_t>(types)};
}

StatsPage::Rows StatsPage::rows() const {
  Rows rows;
  for (std::size_t i = 0; i < kSeries; ++i) rows[i] = (*this)[i];
  return rows;
}

std::string encode_stats_page(const StatsPage& page) {
  const StatsPage::Rows rows = page.rows();
  std::size_t count = StatsPage::kSeries;
  while (count > 0 && rows[count - 1].points == 0) --count;
  const std::span<const SeriesStats> of_page(rows.data(), count);
  std::string plain;
  codec::append_varint(plain, count);
  Steps points;
  Steps firsts;
  Steps lengths;
  for (const SeriesStats& one : of_page) points.write(plain, one.points);
  for (const SeriesStats& one : of_page) plain += static_cast<char>(one.types);
  for (const SeriesStats& one : of_page) {
    if (one.points == 0) continue;
    firsts.write(plain, static_cast<std::uint64_t>(one.first_ms));
    lengths.write(plain, length_of(one));
  }
  std::string packed;
  check(codec::compress(codec::Coding::zstd, plain, packed).has_value(), "a few kilobytes can be compressed");
  return kVersion + packed;
}

Result<std::shared_ptr<const StatsPage>> decode_stats_page(std::string_view value) {
  if (value.empty()) return fail(Code::corrupt, "a page of series' stats is empty");
  if (value[0] != kVersion) {
    return fail(Code::unsupported, "a page of series' stats has version " + std::to_string(value[0]));
  }
  std::string plain;
  if (!codec::decompress(codec::Coding::zstd, value.substr(1), kPageBytesMax, plain)) {
    return fail(Code::corrupt, "a page of series' stats cannot be decompressed");
  }
  StatsPage::Rows rows{};
  if (!read_page(plain, rows)) return fail(Code::corrupt, "a page of series' stats is malformed");
  return std::make_shared<const StatsPage>(rows);
}

}  // namespace varve::engine::rocksdb
