// SPDX-License-Identifier: Apache-2.0
#include "migrate/kairosdb_objects.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "codec/varint.h"
#include "model/complex.h"
#include "model/histogram.h"

namespace varve::migrate {
namespace {

using model::Histogram;

std::unexpected<Error> no_histogram() { return fail(Code::corrupt, "the value is not a histogram"); }

double double_at(std::string_view bytes, std::size_t at) {
  return std::bit_cast<double>(load_be64(bytes.substr(at, sizeof(double)).data()));
}

// The precision at which the value is its bin.
unsigned precision_of(double value) {
  const std::uint64_t mantissa = std::bit_cast<std::uint64_t>(value) & ((std::uint64_t{1} << 52) - 1);
  return mantissa == 0 ? 0 : 52 - static_cast<unsigned>(std::countr_zero(mantissa));
}

Result<std::string> encoded(Histogram& histogram) {
  model::normalize(histogram);
  return model::encode(histogram);
}

// Fields of a protocol buffer's message.
class Fields {
 public:
  explicit Fields(std::string_view message)
      : at_(reinterpret_cast<const std::byte*>(message.data())), end_(at_ + message.size()) {}

  // The next field. False: there is none, or the message is malformed (then ok() is false).
  bool next() {
    std::uint64_t tag = 0;
    if (at_ == end_ || !varint(tag)) return false;
    number_ = tag >> 3;
    kind_ = static_cast<unsigned>(tag & 7);
    switch (kind_) {
      case 0: return varint(value_);
      case 1: return fixed(8);
      case 2: {
        std::uint64_t size = 0;
        if (!varint(size) || size > static_cast<std::size_t>(end_ - at_)) return ok_ = false;
        bytes_ = {reinterpret_cast<const char*>(at_), static_cast<std::size_t>(size)};
        at_ += size;
        return true;
      }
      case 5: return fixed(4);
      default: return ok_ = false;
    }
  }
  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] std::uint64_t number() const { return number_; }
  [[nodiscard]] bool is_double() const { return kind_ == 1; }
  [[nodiscard]] bool is_varint() const { return kind_ == 0; }
  [[nodiscard]] std::uint64_t value() const { return value_; }

  // Appends one number of a repeated field, or the list of them. False: it is neither.
  bool append_to(std::vector<std::uint64_t>& list) const {
    if (kind_ == 0) return list.push_back(value_), true;
    if (kind_ != 2) return false;
    const auto* at = reinterpret_cast<const std::byte*>(bytes_.data());
    for (const auto* const end = at + bytes_.size(); at != end;) {
      std::uint64_t value = 0;
      at = codec::get_varint(at, end, value);
      if (at == nullptr) return false;
      list.push_back(value);
    }
    return true;
  }

 private:
  bool varint(std::uint64_t& value) {
    const auto* const after = codec::get_varint(at_, end_, value);
    ok_ = after != nullptr;
    if (ok_) at_ = after;
    return ok_;
  }
  bool fixed(std::size_t bytes) {
    if (static_cast<std::size_t>(end_ - at_) < bytes) return ok_ = false;
    value_ = bytes == 8 ? load_le<std::uint64_t>(at_) : load_le<std::uint32_t>(at_);
    at_ += bytes;
    return true;
  }

  const std::byte* at_;
  const std::byte* end_;
  bool ok_ = true;
  std::uint64_t number_ = 0;
  unsigned kind_ = 0;
  std::uint64_t value_ = 0;
  std::string_view bytes_;
};

// KairosDB's key has the sign in front of exponent and mantissa. Nothing: that is no finite number.
std::optional<std::int64_t> key_of(std::uint64_t key, unsigned precision) {
  const unsigned bits = 11 + precision;
  if (key >> bits > 1) return std::nullopt;
  const auto magnitude = static_cast<std::int64_t>(key & ((std::uint64_t{1} << bits) - 1));
  if (magnitude >= std::int64_t{0x7ff} << precision) return std::nullopt;
  return (key >> bits & 1) != 0 ? -1 - magnitude : magnitude;
}

}  // namespace

Result<std::string> complex_of(std::string_view stored) {
  if (stored.size() != model::kComplexBytes) {
    return fail(Code::corrupt, "a complex number has " + std::to_string(stored.size()) + " bytes, not 16");
  }
  const auto bytes = model::encode(model::Complex{double_at(stored, 0), double_at(stored, sizeof(double))});
  return std::string(bytes.data(), bytes.size());
}

Result<std::string> histogram_v1_of(std::string_view stored) {
  constexpr std::size_t kBinBytes = 12;
  constexpr std::size_t kFieldsBytes = 4 * sizeof(double);
  if (stored.size() < 4) return no_histogram();
  const std::size_t bins = load_be32(stored.data());
  if ((stored.size() - 4) / kBinBytes < bins || stored.size() != 4 + bins * kBinBytes + kFieldsBytes)
    return no_histogram();
  Histogram out;
  stored.remove_prefix(4);
  for (std::size_t i = 0; i < bins; ++i) {
    const double value = double_at(stored, i * kBinBytes);
    const auto count = std::bit_cast<std::int32_t>(load_be32(stored.data() + i * kBinBytes + sizeof(double)));
    if (!std::isfinite(value) || count < 0) return no_histogram();
    out.precision = std::max(out.precision, precision_of(value));
  }
  for (std::size_t i = 0; i < bins; ++i, stored.remove_prefix(kBinBytes)) {
    out.bins.push_back({model::bin_of(double_at(stored, 0), out.precision), load_be32(stored.data() + sizeof(double))});
  }
  for (double* const field : {&out.min, &out.max, &out.mean, &out.sum}) {
    *field = double_at(stored, 0);
    stored.remove_prefix(sizeof(double));
  }
  return encoded(out);
}

Result<std::string> histogram_v2_of(std::string_view stored) {
  if (stored.size() < 4 || load_be32(stored.data()) != stored.size() - 4) return no_histogram();
  Histogram out;
  std::vector<std::uint64_t> keys, counts;
  bool good = true;
  Fields fields(stored.substr(4));
  while (good && fields.next()) {
    switch (fields.number()) {
      case 1: good = fields.append_to(keys); break;
      case 2: good = fields.append_to(counts); break;
      case 3:
      case 4:
      case 5:
      case 6: {
        double* const places[] = {&out.min, &out.max, &out.sum, &out.mean};
        *places[fields.number() - 3] = std::bit_cast<double>(fields.value());
        good = fields.is_double();
        break;
      }
      case 7:
        good = fields.is_varint() && fields.value() <= model::kHistogramPrecisionMax;
        out.precision = static_cast<unsigned>(fields.value());
        break;
      default: break;  // of a later plugin
    }
  }
  if (!good || !fields.ok() || keys.size() != counts.size()) return no_histogram();
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto key = key_of(keys[i], out.precision);
    if (!key || counts[i] > model::kHistogramCountMax) return no_histogram();
    out.bins.push_back({*key, counts[i]});
  }
  return encoded(out);
}

}  // namespace varve::migrate
