// SPDX-License-Identifier: Apache-2.0
#include "model/histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/bytes.h"
#include "codec/varint.h"

namespace varve::model {
namespace {

constexpr unsigned kMantissaBits = 52;
constexpr std::size_t kHeadBytes = 1 + 4 * sizeof(double);

// Keys without a sign are below this: those of infinities and NaN begin there.
constexpr std::int64_t key_end(unsigned precision) { return std::int64_t{0x7ff} << precision; }

std::uint64_t added(std::uint64_t a, std::uint64_t b) { return std::min(a + b, kHistogramCountMax); }

void merge_equal(std::vector<HistogramBin>& bins) {
  std::size_t kept = 0;
  for (const HistogramBin& bin : bins) {
    if (kept > 0 && bins[kept - 1].key == bin.key) {
      bins[kept - 1].count = added(bins[kept - 1].count, bin.count);
    } else {
      bins[kept++] = bin;
    }
  }
  bins.resize(kept);
}

}  // namespace

std::uint64_t Histogram::count() const {
  std::uint64_t all = 0;
  for (const HistogramBin& bin : bins) all = added(all, bin.count);
  return all;
}

// The keys of negative values, from −0 on, are −1, −2, …
std::int64_t bin_of(double value, unsigned precision) {
  const auto magnitude =
      static_cast<std::int64_t>((std::bit_cast<std::uint64_t>(value) & INT64_MAX) >> (kMantissaBits - precision));
  return std::signbit(value) ? -1 - magnitude : magnitude;
}

double bin_value(std::int64_t key, unsigned precision) {
  const auto magnitude = static_cast<std::uint64_t>(key < 0 ? -1 - key : key);
  const double value = std::bit_cast<double>(magnitude << (kMantissaBits - precision));
  return key < 0 ? -value : value;
}

double bin_outer_value(std::int64_t key, unsigned precision) {
  const auto magnitude = static_cast<std::uint64_t>(key < 0 ? -1 - key : key);
  const double value = std::bit_cast<double>(((magnitude + 1) << (kMantissaBits - precision)) - 1);
  return key < 0 ? -value : value;
}

void normalize(Histogram& histogram) {
  std::ranges::sort(histogram.bins, {}, &HistogramBin::key);
  merge_equal(histogram.bins);
}

void coarsen(Histogram& histogram, unsigned precision) {
  if (precision >= histogram.precision) return;
  const unsigned less = histogram.precision - precision;
  for (HistogramBin& bin : histogram.bins) {
    bin.key = bin.key < 0 ? -1 - ((-1 - bin.key) >> less) : bin.key >> less;
  }
  histogram.precision = precision;
  merge_equal(histogram.bins);
}

void merge(Histogram& into, const Histogram& from) {
  Histogram more = from;
  coarsen(more, into.precision);
  coarsen(into, more.precision);
  if (more.count() != 0) {
    const bool first = into.count() == 0;
    into.min = first ? more.min : std::min(into.min, more.min);
    into.max = first ? more.max : std::max(into.max, more.max);
    into.sum = first ? more.sum : into.sum + more.sum;
  }
  std::vector<HistogramBin> bins(into.bins.size() + more.bins.size());
  std::ranges::merge(into.bins, more.bins, bins.begin(), {}, &HistogramBin::key, &HistogramBin::key);
  merge_equal(bins);
  into.bins = std::move(bins);
  if (const std::uint64_t count = into.count(); count != 0) into.mean = into.sum / static_cast<double>(count);
}

std::optional<double> percentile(const Histogram& histogram, double fraction) {
  const std::uint64_t count = histogram.count();
  if (count == 0) return std::nullopt;
  const double rank = std::ceil(fraction * static_cast<double>(count));
  std::uint64_t passed = 0;
  std::optional<double> value;
  for (const HistogramBin& bin : histogram.bins) {
    if (bin.count == 0) continue;
    passed = added(passed, bin.count);
    value = bin_value(bin.key, histogram.precision);
    if (static_cast<double>(passed) >= rank) break;
  }
  return value;
}

std::string encode(const Histogram& histogram) {
  std::string out(kHeadBytes, '\0');
  out[0] = static_cast<char>(histogram.precision);
  char* at = out.data() + 1;
  for (const double field : {histogram.min, histogram.max, histogram.mean, histogram.sum}) {
    store_le(at, field);
    at += sizeof field;
  }
  codec::append_varint(out, histogram.bins.size());
  std::int64_t before = 0;
  for (std::size_t i = 0; i < histogram.bins.size(); ++i) {
    const HistogramBin& bin = histogram.bins[i];
    // Two keys may be further apart than an int64 says.
    const std::uint64_t step = static_cast<std::uint64_t>(bin.key) - static_cast<std::uint64_t>(before);
    codec::append_varint(out, i == 0 ? codec::zigzag(bin.key) : step);
    codec::append_varint(out, bin.count);
    before = bin.key;
  }
  return out;
}

std::optional<Histogram> decode_histogram(std::string_view bytes) {
  if (bytes.size() < kHeadBytes + 1) return std::nullopt;
  Histogram out;
  out.precision = static_cast<unsigned char>(bytes[0]);
  if (out.precision > kHistogramPrecisionMax) return std::nullopt;
  const auto* at = reinterpret_cast<const std::byte*>(bytes.data()) + 1;
  const auto* const end = at - 1 + bytes.size();
  for (double* const field : {&out.min, &out.max, &out.mean, &out.sum}) {
    *field = load_le<double>(at);
    at += sizeof *field;
  }
  std::uint64_t bins = 0;
  at = codec::get_varint(at, end, bins);
  if (at == nullptr || bins > static_cast<std::size_t>(end - at) / 2) return std::nullopt;
  out.bins.reserve(static_cast<std::size_t>(bins));
  const std::int64_t key_max = key_end(out.precision) - 1;
  std::int64_t key = 0;
  for (std::uint64_t i = 0; i < bins; ++i) {
    std::uint64_t step = 0;
    std::uint64_t count = 0;
    at = codec::get_varint(at, end, step);
    if (at == nullptr) return std::nullopt;
    at = codec::get_varint(at, end, count);
    if (at == nullptr || count > kHistogramCountMax) return std::nullopt;
    if (i == 0) {
      key = codec::unzigzag(step);
    } else if (step == 0 || step > static_cast<std::uint64_t>(key_max) - static_cast<std::uint64_t>(key)) {
      return std::nullopt;
    } else {
      key = static_cast<std::int64_t>(static_cast<std::uint64_t>(key) + step);
    }
    if (key < -1 - key_max || key > key_max) return std::nullopt;
    out.bins.push_back({key, count});
  }
  return at == end ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace varve::model
