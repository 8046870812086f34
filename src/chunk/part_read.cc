// SPDX-License-Identifier: Apache-2.0
#include "chunk/part.h"

#include <array>

namespace varve::chunk {
namespace {

void read_stats(Places& places, Part& part) {
  part.range = places.params.varint();
  part.sum = part.sum_is_double() ? places.params.fixed<std::uint64_t>() : places.params.varint();
  part.has_stats = true;
}

bool read_texts(Places& places, Part& part) {
  const std::uint64_t count = places.params.varint();
  const std::uint64_t bytes = places.params.varint();
  if (count == 0 || count > part.count || bytes < count || bytes >> 40 != 0) return false;
  part.texts_at = places.texts;
  part.texts_count = static_cast<std::size_t>(count);
  part.texts_bytes = static_cast<std::size_t>(bytes);
  places.texts += part.texts_bytes;
  return true;
}

bool read_patches(Places& places, Part& part) {
  const std::uint64_t bytes = places.params.varint();
  if (bytes > part.count * (codec::kVarintBytesMax + 8)) return false;
  part.patches_at = places.side;
  part.patches_bytes = static_cast<std::size_t>(bytes);
  places.side += part.patches_bytes;
  return true;
}

bool read_marker_list(Places& places, std::size_t rows) {
  const std::uint64_t head = places.params.varint();
  const std::uint64_t markers = head >> 1;
  const std::uint64_t more_bytes = (head & 1) != 0 ? places.params.varint() : 0;
  if (!places.params.ok() || markers == 0 || markers >= rows) return false;
  if (more_bytes > markers * (codec::kVarintBytesMax - 1)) return false;
  places.marker_list = {static_cast<std::uint32_t>(markers), rows, places.side,
                        static_cast<std::size_t>(markers + more_bytes)};
  places.side += places.marker_list.bytes;
  return true;
}

bool read_markers(Places& places, Part& part) {
  if (part.detail > kSameMarkers) return false;
  part.markers = static_cast<std::uint32_t>(part.count);
  if (part.detail == kOnlyMarkers) return true;
  if (part.detail == 0 && !read_marker_list(places, part.count)) return false;
  const auto& list = places.marker_list;
  part.markers = list.markers;
  part.patches_at = list.at;
  part.patches_bytes = list.bytes;
  return list.rows == part.count;
}

bool read_part(Places& places, std::size_t count, Part& part) {
  const unsigned head = places.heads.byte();
  const unsigned last = static_cast<unsigned>(places.may_be_marked ? Form::marked : Form::mixed);
  if (!places.heads.ok() || (head & 15) > last) return false;
  part = {};
  part.form = static_cast<Form>(head & 15);
  part.detail = static_cast<std::uint8_t>(head >> 4);
  part.count = count;
  if (part.form == Form::marked) return read_markers(places, part);
  if (!read_sequence(places, count, 0, part.sequence)) return false;
  switch (part.form) {
    case Form::longs:
    case Form::decimals:
      if (!part.sequence.sparse()) read_stats(places, part);
      break;
    case Form::doubles:
      if (!part.sequence.sparse() && part.detail == kNumeric) read_stats(places, part);
      break;
    case Form::patched:
      if (!read_patches(places, part)) return false;
      break;
    case Form::texts:
      if (!read_texts(places, part)) return false;
      break;
    case Form::mixed:
    case Form::marked: break;
  }
  return places.params.ok();
}

// How many values of each type (by its number less 1) a mixed column has.
bool read_counts(Places& places, std::size_t rows, unsigned detail, std::span<std::size_t> counts) {
  std::uint64_t rest = rows;
  const auto take = [&](std::size_t& count) {
    const std::uint64_t some = places.params.varint();
    if (!places.params.ok() || some > rest) return false;
    rest -= some;
    count = static_cast<std::size_t>(some);
    return true;
  };
  std::size_t erased = 0;
  if ((detail & ~(kWithErased | kWithMoreTypes)) != 0 || !take(counts[0]) || !take(counts[1])) return false;
  if ((detail & kWithErased) != 0 && !take(erased)) return false;
  if ((detail & kWithMoreTypes) != 0 && (!take(counts[3]) || !take(counts[4]))) return false;
  counts[2] = static_cast<std::size_t>(rest);
  return true;
}

bool is_form_of(Form form, model::ValueType type) {
  if (type == model::ValueType::long_) return form == Form::longs;
  if (model::in_text(type)) return form == Form::texts;
  return form == Form::decimals || form == Form::patched || form == Form::doubles;
}

}  // namespace

bool read_column(Places& places, std::size_t rows, std::vector<Part>& out) {
  Part whole;
  if (!read_part(places, rows, whole)) return false;
  if (whole.form == Form::marked) {
    const std::size_t values = rows - whole.markers;
    out.push_back(whole);
    if (values == 0) return true;
    rows = values;
    if (!read_part(places, rows, whole) || whole.form == Form::marked) return false;
  }
  const std::size_t at = out.size();
  out.push_back(whole);
  if (whole.form != Form::mixed) return true;

  std::array<std::size_t, model::kValueTypeLast> counts{};
  if (!read_counts(places, rows, whole.detail, counts)) return false;
  for (unsigned i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    Part part;
    if (!read_part(places, counts[i], part) || !is_form_of(part.form, static_cast<model::ValueType>(i + 1))) {
      return false;
    }
    out[at].types = static_cast<std::uint8_t>(out[at].types | 2U << i);
    out.push_back(part);
  }
  return true;
}

}  // namespace varve::chunk
