// SPDX-License-Identifier: Apache-2.0
#include "chunk/block.h"

#include <algorithm>
#include <bit>

#include "chunk/block_state.h"

namespace varve::chunk {
namespace {

using model::ValueType;

std::unexpected<Error> malformed(const char* what) {
  return fail(Code::corrupt, std::string("block: ") + what + " cannot be decoded");
}

}  // namespace

bool Block::State::bytes_of(const Sequence& s, std::size_t count, SequenceBytes& out) const {
  if (s.side_bytes != 0) {
    const auto side = sections[kSide].bytes();
    if (side.empty()) return false;
    check(s.side_at + s.side_bytes <= side.size(), "read_directory() saw that sequences end with their section");
    out.side = side.subspan(s.side_at, s.side_bytes);
  }
  if (s.sparse()) return true;
  if (s.shift != 0) out.low = sections[kLow].bytes().data() + s.low_at;
  const ClassPlace& place = classes[s.symbol_class];
  if (residuals(count, s.order) == 0) return true;
  const auto frame = frames[place.frame].bytes();
  if (frame.empty()) return false;
  check(s.symbols_at + symbol_bytes(s.symbol_class, residuals(count, s.order)) <= place.size &&
            place.at + place.size <= frame.size(),
        "read_directory() saw that symbols end with their class");
  out.symbols = frame.data() + place.at + s.symbols_at;
  return true;
}

bool Block::State::decode_ints(const Part& part, std::uint64_t* out) const {
  SequenceBytes bytes;
  return bytes_of(part.sequence, part.count, bytes) && decode_sequence(part.sequence, bytes, part.count, out);
}

bool Block::State::decode_values(const Part& part, std::uint64_t* out) const {
  if (!decode_ints(part, out)) return false;
  const std::size_t n = part.count;
  if (part.form == Form::doubles) {
    for (std::size_t i = 0; i < n; ++i) out[i] = ordered(out[i]);
  }
  if (part.form != Form::decimals && part.form != Form::patched) return true;
  to_doubles({out, n}, part.detail);
  if (part.form == Form::decimals || part.patches_bytes == 0) return true;
  const auto side = sections[kSide].bytes();
  if (side.empty()) return false;
  check(part.patches_at + part.patches_bytes <= side.size(),
        "read_directory() saw that patches end with their section");
  Cursor patches(side.subspan(part.patches_at, part.patches_bytes));
  std::size_t next = 0;
  while (patches.left() != 0) {
    const std::uint64_t gap = patches.varint();
    const auto bits = patches.fixed<std::uint64_t>();
    if (!patches.ok() || gap >= n - next) return false;
    next += static_cast<std::size_t>(gap);
    out[next++] = bits;
  }
  return true;
}

bool Block::State::decode_texts(const Part& part, std::vector<std::string_view>& out) const {
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
  std::vector<std::uint64_t> positions(part.count);
  if (!cursor.ok() || cursor.left() != 0 || !decode_ints(part, positions.data())) return false;
  out.resize(part.count);
  for (std::size_t i = 0; i < part.count; ++i) {
    if (positions[i] >= dictionary.size()) return false;
    out[i] = dictionary[positions[i]];
  }
  return true;
}

bool Block::State::decode_mixed(const Part* part, DecodedColumn& out) const {
  const Part& types = *part;
  const std::size_t n = types.count;
  out.bits.resize(n);
  out.types.resize(n);
  if (!decode_ints(types, out.bits.data())) return false;
  std::array<std::size_t, model::kValueTypeLast + 1> seen{};
  for (std::size_t i = 0; i < n; ++i) {
    if (out.bits[i] > model::kValueTypeLast || (out.bits[i] == 0 && (types.detail & kWithErased) == 0)) return false;
    ++seen[out.bits[i]];
    out.types[i] = static_cast<ValueType>(out.bits[i]);
  }
  out.texts.clear();
  std::vector<std::uint64_t> values;
  std::vector<std::string_view> texts;
  for (unsigned number = 1; number <= model::kValueTypeLast; ++number) {
    const bool expected = (types.types >> number & 1) != 0;
    if (!expected && seen[number] != 0) return false;
    if (!expected) continue;
    ++part;
    if (part->count != seen[number]) return false;
    const auto type = static_cast<ValueType>(number);
    if (model::in_text(type)) {
      if (!decode_texts(*part, texts)) return false;
      out.texts.resize(n);
    } else {
      values.resize(part->count);
      if (!decode_values(*part, values.data())) return false;
    }
    std::size_t at = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (out.types[i] != type) continue;
      if (model::in_text(type)) {
        out.bits[i] = 0;
        out.texts[i] = texts[at++];
      } else {
        out.bits[i] = values[at++];
      }
    }
  }
  return true;
}

Block::Block(std::unique_ptr<State> state) : state_(std::move(state)) {}
Block::~Block() = default;

std::size_t Block::groups() const { return state_->groups.size(); }
model::GroupId Block::group(std::size_t i) const { return state_->groups[i].id; }
std::size_t Block::columns(std::size_t i) const { return state_->groups[i].columns; }
std::size_t Block::rows(std::size_t i) const { return state_->groups[i].times.rows; }
model::Timestamp Block::first_time(std::size_t i) const { return state_->groups[i].times.first; }
model::Timestamp Block::last_time(std::size_t i) const { return state_->groups[i].times.last; }
std::size_t Block::times_number(std::size_t i) const { return state_->groups[i].times.number; }

std::size_t Block::find(model::GroupId group) const {
  const auto& groups = state_->groups;
  const auto at = std::lower_bound(groups.begin(), groups.end(), group,
                                   [](const Group& g, model::GroupId id) { return g.id < id; });
  return at != groups.end() && at->id == group ? static_cast<std::size_t>(at - groups.begin()) : groups.size();
}

Status Block::times(std::size_t i, std::vector<model::Timestamp>& out) const {
  const Times& times = state_->groups[i].times;
  SequenceBytes bytes;
  std::span<const std::byte> gaps;
  if (!state_->bytes_of(times.sequence, times.rows, bytes)) return malformed("a time column");
  if (times.gaps_bytes != 0) {
    const auto side = state_->sections[kSide].bytes();
    if (side.empty()) return malformed("a time column");
    gaps = side.subspan(times.gaps_at, times.gaps_bytes);
  }
  out.resize(times.rows);
  if (!decode_times(times, gaps, bytes, out.data())) return malformed("a time column");
  return {};
}

Status Block::column(std::size_t i, std::size_t column, DecodedColumn& out) const {
  if (column >= state_->groups[i].columns) return malformed("a group with a column less");
  const Part& part = state_->part(i, column);
  out.uniform = part.form != Form::mixed;
  out.type = type_of(part.form);
  bool ok = false;
  if (part.form == Form::mixed) {
    ok = state_->decode_mixed(&part, out);
  } else if (part.form == Form::texts) {
    out.bits.clear();
    ok = state_->decode_texts(part, out.texts);
  } else {
    out.texts.clear();
    out.bits.resize(part.count);
    ok = state_->decode_values(part, out.bits.data());
  }
  if (!ok) return malformed("a column");
  return {};
}

std::size_t Block::memory_bytes() const {
  const State& s = *state_;
  std::size_t bytes = sizeof(Block) + sizeof(State) + s.stored_bytes + s.groups.capacity() * sizeof(Group) +
                      s.columns.capacity() * sizeof(std::size_t) + s.parts.capacity() * sizeof(Part);
  for (const Lazy& section : s.sections) bytes += section.memory_bytes();
  for (const Lazy& frame : s.frames) bytes += frame.memory_bytes();
  return bytes;
}

}  // namespace varve::chunk
