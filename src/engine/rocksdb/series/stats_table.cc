// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/series/stats_table.h"

#include <algorithm>

#include "codec/compression.h"
#include "codec/varint.h"
#include "engine/shared/cells.h"

namespace varve::engine::rocksdb {
namespace {

using storage::SeriesStats;

constexpr char kVersion = 1;
constexpr std::size_t kPageBytesMax = StatsPage::kSeries * 31 + 10;  // three varints and a byte each

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

bool read_page(std::string_view bytes, StatsPage& page) {
  Reader in(bytes);
  const std::uint64_t count = in.number();
  if (count > StatsPage::kSeries) return false;
  Steps points;
  Steps firsts;
  Steps lengths;
  for (std::size_t i = 0; i < count; ++i) page.points[i] = points.read(in.number());
  for (std::size_t i = 0; i < count; ++i) page.types[i] = in.byte();
  for (std::size_t i = 0; i < count; ++i) {
    if (page.points[i] == 0) continue;
    const std::uint64_t first = firsts.read(in.number());
    page.first[i] = static_cast<model::Timestamp>(first);
    page.last[i] = static_cast<model::Timestamp>(first + lengths.read(in.number()));
  }
  return in.is_whole();
}

}  // namespace

std::string encode_stats_page(const StatsPage& page) {
  std::size_t count = StatsPage::kSeries;
  while (count > 0 && page.points[count - 1] == 0) --count;
  std::string plain;
  codec::append_varint(plain, count);
  Steps points;
  Steps firsts;
  Steps lengths;
  for (std::size_t i = 0; i < count; ++i) points.write(plain, page.points[i]);
  plain.append(reinterpret_cast<const char*>(page.types.data()), count);
  for (std::size_t i = 0; i < count; ++i) {
    if (page.points[i] == 0) continue;
    firsts.write(plain, static_cast<std::uint64_t>(page.first[i]));
    lengths.write(plain, static_cast<std::uint64_t>(page.last[i]) - static_cast<std::uint64_t>(page.first[i]));
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
  auto page = std::make_shared<StatsPage>();
  if (!read_page(plain, *page)) return fail(Code::corrupt, "a page of series' stats is malformed");
  return page;
}

// --- StatsTable

SeriesStats StatsTable::of(model::SeriesId series) const {
  const StatsPage* const known = page(model::to_int(series) / StatsPage::kSeries);
  if (known == nullptr) return {};
  const std::uint32_t i = model::to_int(series) % StatsPage::kSeries;
  return {known->first[i], known->last[i], known->points[i], known->types[i]};
}

void StatsTable::replace(const StatsPages& pages) {
  for (const auto& [number, page] : pages) {
    if (number >= pages_.size()) {
      pages_.resize(number + 1);
      sums_.resize(number + 1);
    }
    pages_[number] = page;
    sums_[number] = std::make_shared<PageSums>();
  }
}

// --- StatsChanges

StatsChanges::Change& StatsChanges::change_of(model::SeriesId series) {
  const std::uint32_t number = model::to_int(series) / StatsPage::kSeries;
  if (number >= pages_.size()) pages_.resize(number + 1);
  auto& page = pages_[number];
  if (page == nullptr) page = std::make_unique<Page>();
  return (*page)[model::to_int(series) % StatsPage::kSeries];
}

void StatsChanges::add(std::span<const model::SeriesId> series, std::span<const model::Timestamp> times,
                       std::span<const chunk::Column> columns) {
  for (std::size_t c = 0; c < series.size(); ++c) {
    Change& change = change_of(series[c]);
    const bool fresh = change.added == 0;
    change.first = fresh ? times.front() : std::min(change.first, times.front());
    change.last = fresh ? times.back() : std::max(change.last, times.back());
    change.added += shared::cells_in(columns[c], times.size());
    change.types |= shared::types_in(columns[c]);
  }
}

void StatsChanges::rewritten(std::span<const model::SeriesId> series, const shared::Gather& gathered) {
  for (std::size_t c = 0; c < series.size(); ++c) {
    const std::uint64_t in = gathered.cells_gathered(c);
    const std::uint64_t out = shared::cells_in(gathered.columns()[c], gathered.times().size());
    if (in > out) subtract(series[c], in - out);
  }
}

void StatsChanges::subtract(model::SeriesId series, std::uint64_t points) { change_of(series).lost += points; }

void StatsChanges::forget(model::SeriesId series) { change_of(series).forgotten = true; }

void StatsChanges::apply(const Change& change, StatsPage& page, std::size_t i) {
  if (change.added > 0) {
    const bool fresh = page.points[i] == 0;
    page.first[i] = fresh ? change.first : std::min(page.first[i], change.first);
    page.last[i] = fresh ? change.last : std::max(page.last[i], change.last);
    page.points[i] += change.added;
    page.types[i] |= change.types;
  }
  if (change.lost > 0) page.points[i] -= std::min(page.points[i], change.lost);
  if (!change.forgotten && page.points[i] > 0) return;
  page.first[i] = page.last[i] = 0;
  page.points[i] = 0;
  page.types[i] = 0;
}

StatsPages StatsChanges::apply(const StatsTable& stats) const {
  StatsPages changed;
  for (std::uint32_t number = 0; number < pages_.size(); ++number) {
    if (pages_[number] == nullptr) continue;
    const StatsPage* const known = stats.page(number);
    auto page = known == nullptr ? std::make_shared<StatsPage>() : std::make_shared<StatsPage>(*known);
    for (std::size_t i = 0; i < StatsPage::kSeries; ++i) apply((*pages_[number])[i], *page, i);
    changed.emplace_back(number, std::move(page));
  }
  return changed;
}

}  // namespace varve::engine::rocksdb
