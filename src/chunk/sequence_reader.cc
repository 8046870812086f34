// SPDX-License-Identifier: Apache-2.0
#include "chunk/sequence_reader.h"

#include <algorithm>
#include <cstring>

#include "chunk/symbols.h"

namespace varve::chunk {
namespace {

// Zigzagged differences become values. Each sum waits for the one before, so four are summed apart and only their total
// waits. Returns the last value.
std::uint64_t integrate_once(std::uint64_t value, std::uint64_t base, std::size_t n, std::uint64_t* out) {
  typedef std::uint64_t Lanes __attribute__((vector_size(32), aligned(8), may_alias));
  const Lanes none{};
  Lanes before = none + value;
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    Lanes* const at = reinterpret_cast<Lanes*>(out + i);
    Lanes sum = ((*at >> 1) ^ -(*at & 1)) + base;
    sum += __builtin_shufflevector(sum, none, 4, 0, 1, 2);
    sum += __builtin_shufflevector(sum, none, 4, 4, 0, 1);
    *at = sum + before;
    before += __builtin_shufflevector(sum, sum, 3, 3, 3, 3);
  }
  value = before[0];
  for (; i < n; ++i) out[i] = value += unzigzag_of(out[i]) + base;
  return value;
}

}  // namespace

SequenceReader::SequenceReader(const Sequence& sequence, const SequenceBytes& bytes, std::size_t count)
    : s_(sequence), symbols_(bytes.symbols), low_(bytes.low), side_(bytes.side), count_(count) {
  check(count > 0, "a sequence has values");
  if (s_.unit == 1) {
    // The offset can go into the start of the sums.
    (s_.order == 0 ? s_.base : s_.first) += s_.min;
    s_.min = 0;
  }
  value_ = s_.first;
  step_ = s_.step;
  if (s_.sparse()) is_listed_good_ = next_listed(0);
}

bool SequenceReader::is_good() {
  return is_listed_good_ && side_.ok() && (at_ < count_ || s_.sparse() || side_.left() == 0);
}

std::uint64_t SequenceReader::next_start() {
  if (at_++ == 1) value_ += step_;
  return value_;
}

bool SequenceReader::read(std::size_t values, std::uint64_t* out) {
  check(values <= count_ - at_, "values that are left of a sequence");
  if (s_.constant()) {
    std::fill_n(out, values, s_.min + s_.unit * s_.base);
    at_ += values;
    return true;
  }
  std::size_t started = 0;
  while (started < values && at_ < s_.order) out[started++] = next_start();
  const std::size_t n = values - started;
  if (n != 0) {
    const std::size_t from = at_ - s_.order;
    at_ += n;
    if (!(s_.sparse() ? read_list(from, n, out + started) : read_symbols(from, n, out + started))) return false;
    integrate(n, out + started);
  }
  if (s_.unit != 1) {
    const std::uint64_t min = s_.min, unit = s_.unit;
    for (std::size_t i = 0; i < values; ++i) out[i] = min + unit * out[i];
  }
  return is_good();
}

bool SequenceReader::skip(std::size_t values) {
  check(values <= count_ - at_, "values that are left of a sequence");
  while (values != 0 && at_ < s_.order) {
    next_start();
    --values;
  }
  // Sums of sums, and of what has many low bits, are not worth a way of their own.
  if (s_.order == 2 || (s_.order == 1 && s_.shift > kSummedShiftMax)) {
    std::uint64_t ignored[kValuesAtOnce / 4];
    while (values != 0) {
      const std::size_t n = std::min(values, std::size(ignored));
      if (!read(n, ignored)) return false;
      values -= n;
    }
    return is_good();
  }
  const std::size_t from = at_ - std::min<std::size_t>(at_, s_.order);
  at_ += values;
  if (values != 0 && !(s_.sparse() ? skip_list(from, values) : skip_symbols(from, values))) return false;
  return is_good();
}

bool SequenceReader::read_symbols(std::size_t from, std::size_t count, std::uint64_t* out) {
  expand_symbols(s_.symbol_class, symbols_, from, count, out);
  if (s_.escapes) {
    const std::uint64_t escape = escape_of(s_.symbol_class);
    Cursor side = side_;
    for (std::size_t i = 0; i < count; ++i) {
      if (out[i] == escape) out[i] += side.varint();
    }
    side_ = side;
  }
  if (s_.shift != 0) add_low(low_, s_.shift, from, count, out);
  return side_.ok();
}

bool SequenceReader::skip_symbols(std::size_t from, std::size_t count) {
  if (s_.order == 0 && !s_.escapes) return true;
  if (s_.order == 1 && s_.shift != 0) {
    value_ += sum_shifted(symbols_, low_, s_.shift, from, count) + s_.base * count;
    return !s_.escapes || skip_shifted_escapes(from, count);
  }
  const SymbolSum sum = sum_symbols(s_.symbol_class, symbols_, s_.escapes, from, count);
  value_ += sum.residuals + s_.base * count;
  if (!s_.escapes) return true;
  const std::uint64_t escape = escape_of(s_.symbol_class);
  for (std::size_t i = 0; i < sum.escapes && side_.ok(); ++i) {
    value_ += unzigzag_of(escape + side_.varint()) - unzigzag_of(escape);
  }
  return side_.ok();
}

// What they are more than the symbol, which stands above the low bits; the lowest of these is the sign.
bool SequenceReader::skip_shifted_escapes(std::size_t from, std::size_t count) {
  const std::byte* const end = symbols_ + from + count;
  const std::byte* at = symbols_ + from;
  while (side_.ok()) {
    at = static_cast<const std::byte*>(std::memchr(at, kByteEscape, static_cast<std::size_t>(end - at)));
    if (at == nullptr) break;
    const std::uint64_t more = side_.varint() << (s_.shift - 1);
    const std::size_t bit = static_cast<std::size_t>(at++ - symbols_) * s_.shift;
    value_ += (static_cast<unsigned>(low_[bit / 8]) >> (bit & 7) & 1) != 0 ? 0 - more : more;
  }
  return side_.ok();
}

// `from`: the first residual that it may be.
bool SequenceReader::next_listed(std::size_t from) {
  const std::size_t all = residuals(count_, s_.order);
  listed_ = all;
  if (side_.left() == 0) return true;
  const std::uint64_t gap = side_.varint();
  listed_z_ = side_.varint();
  if (!side_.ok() || gap >= all - from) return false;
  listed_ = from + static_cast<std::size_t>(gap);
  return true;
}

bool SequenceReader::read_list(std::size_t from, std::size_t count, std::uint64_t* out) {
  for (std::size_t i = 0; i < count; ++i) out[i] = 0;
  while (is_listed_good_ && listed_ < from + count) {
    out[listed_ - from] = listed_z_;
    is_listed_good_ = next_listed(listed_ + 1);
  }
  return is_listed_good_;
}

bool SequenceReader::skip_list(std::size_t from, std::size_t count) {
  value_ += s_.base * count;
  while (is_listed_good_ && listed_ < from + count) {
    value_ += unzigzag_of(listed_z_);
    is_listed_good_ = next_listed(listed_ + 1);
  }
  return is_listed_good_;
}

// Zigzagged residuals become values, counted from 0 in units. The sums wait for each other, so all that can be done
// without waiting is done before them. What the loops need of this object is in variables: `out` might be part of it.
void SequenceReader::integrate(std::size_t count, std::uint64_t* out) {
  if (s_.order == 1) {
    value_ = integrate_once(value_, s_.base, count, out);
    return;
  }
  const std::uint64_t base = s_.base;
  for (std::size_t i = 0; i < count; ++i) out[i] = unzigzag_of(out[i]) + base;
  if (s_.order == 0) return;
  std::uint64_t value = value_, step = step_;
  for (std::size_t i = 0; i < count; ++i) {
    step += out[i];
    out[i] = value += step;
  }
  value_ = value;
  step_ = step;
}

bool decode_sequence(const Sequence& sequence, const SequenceBytes& bytes, std::size_t count, std::uint64_t* out) {
  return SequenceReader(sequence, bytes, count).read(count, out);
}

}  // namespace varve::chunk
