// SPDX-License-Identifier: Apache-2.0
#include "chunk/part.h"

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

bool read_part(Places& places, std::size_t count, Part& part) {
  const unsigned head = places.heads.byte();
  if (!places.heads.ok() || (head & 15) > static_cast<unsigned>(Form::mixed)) return false;
  part = {};
  part.form = static_cast<Form>(head & 15);
  part.detail = static_cast<std::uint8_t>(head >> 4);
  part.count = count;
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
    case Form::mixed: break;
  }
  return places.params.ok();
}

}  // namespace

bool read_column(Places& places, std::size_t rows, std::vector<Part>& out) {
  Part whole;
  if (!read_part(places, rows, whole)) return false;
  const std::size_t at = out.size();
  out.push_back(whole);
  if (whole.form != Form::mixed) return true;

  const std::uint64_t longs = places.params.varint();
  const std::uint64_t doubles = places.params.varint();
  if (!places.params.ok() || longs > rows || doubles > rows - longs) return false;
  const std::uint64_t erased = whole.detail == kWithErased ? places.params.varint() : 0;
  if (!places.params.ok() || erased > rows - longs - doubles) return false;
  const std::size_t counts[] = {static_cast<std::size_t>(longs), static_cast<std::size_t>(doubles),
                                rows - static_cast<std::size_t>(longs + doubles + erased)};
  for (unsigned i = 0; i < 3; ++i) {
    if (counts[i] == 0) continue;
    Part part;
    if (!read_part(places, counts[i], part)) return false;
    const bool fits = i == 0   ? part.form == Form::longs
                      : i == 1 ? part.form == Form::decimals || part.form == Form::patched || part.form == Form::doubles
                               : part.form == Form::texts;
    if (!fits) return false;
    out[at].types = static_cast<std::uint8_t>(out[at].types | 2U << i);
    out.push_back(part);
  }
  return true;
}

}  // namespace varve::chunk
