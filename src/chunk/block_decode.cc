// SPDX-License-Identifier: Apache-2.0
// Decodes rows of the parts of an opened block.
#include <algorithm>
#include <array>
#include <iterator>

#include "chunk/block_state.h"

namespace varve::chunk {

using model::ValueType;

bool Block::State::bytes_of(const Sequence& s, std::size_t count, SequenceBytes& out) const {
  if (s.side_bytes != 0) {
    const auto side = sections[kSide].bytes();
    if (side.empty()) return false;
    check(s.side_at + s.side_bytes <= side.size(), "read_directory() saw that sequences end with their section");
    out.side = side.subspan(s.side_at, s.side_bytes);
  }
  if (s.sparse()) return true;
  if (s.shift != 0) out.low = sections[kLow].bytes().data() + s.low_at;
  const std::size_t size = symbol_bytes(s.symbol_class, residuals(count, s.order));
  if (size == 0) return true;
  const auto& segments = classes[s.symbol_class];
  const auto after = std::ranges::upper_bound(segments, s.symbols_at, {}, &Segment::first);
  check(after != segments.begin(), "read_directory() saw that there are symbols of the class");
  const Segment& segment = *std::prev(after);
  const std::size_t at = s.symbols_at - segment.first;
  if (size > segment.size - std::min(at, segment.size)) return false;  // no sequence is in two frames
  const auto frame = frames[segment.frame]->bytes();
  if (frame.empty()) return false;
  check(segment.at + segment.size <= frame.size(), "read_frames() added up the frame");
  out.symbols = frame.data() + segment.at + at;
  return true;
}

bool Block::State::decode(const Part* part, Rows rows, DecodedColumn& out) const {
  if (part->form == Form::marked) return decode_marked(part, rows, out);
  out.uniform = part->form != Form::mixed;
  out.type = type_of(part->form);
  if (part->form == Form::mixed) return decode_mixed(part, rows, out);
  if (part->form == Form::texts) {
    out.bits.clear();
    return decode_texts(*part, rows, out.texts);
  }
  out.texts.clear();
  out.bits.resize(rows.count);
  return decode_values(*part, rows, out.bits.data());
}

bool Block::State::decode_ints(const Part& part, Rows rows, std::uint64_t* out) const {
  SequenceBytes bytes;
  if (!bytes_of(part.sequence, part.count, bytes)) return false;
  SequenceReader reader(part.sequence, bytes, part.count);
  return reader.skip(rows.first) && reader.read(rows.count, out);
}

bool Block::State::decode_values(const Part& part, Rows rows, std::uint64_t* out) const {
  SequenceBytes bytes;
  if (!bytes_of(part.sequence, part.count, bytes)) return false;
  SequenceReader reader(part.sequence, bytes, part.count);
  if (!reader.skip(rows.first)) return false;
  for (std::size_t at = 0; at < rows.count; at += kValuesAtOnce) {
    const std::span<std::uint64_t> values(out + at, std::min(kValuesAtOnce, rows.count - at));
    if (!reader.read(values.size(), values.data())) return false;
    if (part.form == Form::doubles) {
      for (std::uint64_t& value : values) value = ordered(value);
    } else if (part.form == Form::decimals || part.form == Form::patched) {
      to_doubles(values, part.detail);
    }
  }
  return part.form != Form::patched || patch(part, rows, out);
}

bool Block::State::patch(const Part& part, Rows rows, std::uint64_t* out) const {
  if (part.patches_bytes == 0) return true;
  const auto side = sections[kSide].bytes();
  if (side.empty()) return false;
  check(part.patches_at + part.patches_bytes <= side.size(),
        "read_directory() saw that patches end with their section");
  Cursor patches(side.subspan(part.patches_at, part.patches_bytes));
  std::size_t next = 0;
  while (patches.left() != 0) {
    const std::uint64_t gap = patches.varint();
    const auto bits = patches.fixed<std::uint64_t>();
    if (!patches.ok() || gap >= part.count - next) return false;
    next += static_cast<std::size_t>(gap);
    if (next >= rows.first && next - rows.first < rows.count) out[next - rows.first] = bits;
    ++next;
  }
  return true;
}

bool Block::State::decode_texts(const Part& part, Rows rows, std::vector<std::string_view>& out) const {
  const auto section = sections[kTexts].bytes();
  if (section.empty()) return false;
  check(part.texts_at + part.texts_bytes <= section.size(), "read_directory() saw that texts end with their section");
  Cursor cursor(section.subspan(part.texts_at, part.texts_bytes));
  std::vector<std::size_t> lengths(part.texts_count);
  for (std::size_t& length : lengths) length = static_cast<std::size_t>(cursor.varint());
  std::vector<std::string_view> dictionary(part.texts_count);
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const auto text = cursor.take(lengths[i]);
    dictionary[i] = {reinterpret_cast<const char*>(text.data()), text.size()};
  }
  std::vector<std::uint64_t> positions(rows.count);
  if (!cursor.ok() || cursor.left() != 0 || !decode_ints(part, rows, positions.data())) return false;
  out.resize(rows.count);
  for (std::size_t i = 0; i < rows.count; ++i) {
    if (positions[i] >= dictionary.size()) return false;
    out[i] = dictionary[positions[i]];
  }
  return true;
}

namespace {

using TypeCounts = std::array<std::size_t, model::kValueTypeLast + 1>;

// Adds up how many values of each type there are. False: some are of no type, or erased in a column without such.
bool count_types(const Part& part, std::span<const std::uint64_t> types, TypeCounts& counts) {
  for (const std::uint64_t type : types) {
    if (type > model::kValueTypeLast || (type == 0 && (part.detail & kWithErased) == 0)) return false;
    ++counts[type];
  }
  return true;
}

}  // namespace

bool Block::State::decode_mixed(const Part* part, Rows rows, DecodedColumn& out) const {
  const Part& types = *part;
  const std::size_t n = rows.count;
  const std::size_t end = rows.first + n;
  std::vector<std::uint64_t> numbers(end);
  TypeCounts before{};
  TypeCounts here{};
  if (!decode_ints(types, {0, end}, numbers.data()) || !count_types(types, {numbers.data(), rows.first}, before) ||
      !count_types(types, {numbers.data() + rows.first, n}, here)) {
    return false;
  }
  out.bits.assign(n, 0);
  out.types.resize(n);
  for (std::size_t i = 0; i < n; ++i) out.types[i] = static_cast<ValueType>(numbers[rows.first + i]);
  out.texts.clear();
  std::vector<std::uint64_t> values;
  std::vector<std::string_view> texts;
  for (unsigned number = 1; number <= model::kValueTypeLast; ++number) {
    const Rows of_type{before[number], here[number]};
    const bool expected = (types.types >> number & 1) != 0;
    if (expected) ++part;
    const std::size_t most = expected ? part->count : 0;
    const std::size_t seen = of_type.first + of_type.count;
    if (seen > most || (end == types.count && seen < most)) return false;
    if (of_type.count == 0) continue;
    const auto type = static_cast<ValueType>(number);
    if (model::in_text(type)) {
      if (!decode_texts(*part, of_type, texts)) return false;
      out.texts.resize(n);
    } else {
      values.resize(of_type.count);
      if (!decode_values(*part, of_type, values.data())) return false;
    }
    std::size_t at = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (out.types[i] != type) continue;
      if (model::in_text(type)) {
        out.texts[i] = texts[at++];
      } else {
        out.bits[i] = values[at++];
      }
    }
  }
  return true;
}

}  // namespace varve::chunk
