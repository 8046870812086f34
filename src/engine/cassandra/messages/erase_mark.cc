// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/messages/erase_mark.h"

#include <algorithm>
#include <utility>

#include "chunk/bytes.h"
#include "codec/crc32c.h"
#include "engine/cassandra/messages/blob_bytes.h"
#include "message/matches.h"

namespace varve::engine::cassandra {

using message::Column;
using message::Condition;
using message::Op;
using message::Term;
using message::block::Bitmap;

namespace {

constexpr unsigned kMarkVersion = 1;
constexpr unsigned kConditionDepthMax = 64;
constexpr std::uint64_t kProcessMask = (1U << 11) - 1;

Status bad_mark(const char* what) { return fail(Code::corrupt, std::string("a delete of messages ") + what); }

void put_text(std::string_view text, chunk::Bytes& out) {
  out.varint(text.size());
  out.add(blob_bytes(text));
}

std::string take_text(chunk::Cursor& from) { return blob_text(from.take(static_cast<std::size_t>(from.varint()))); }

void put_condition(const Condition& condition, chunk::Bytes& out) {
  out.byte(static_cast<unsigned>(condition.kind));
  if (condition.kind != Condition::Kind::term) {
    out.varint(condition.parts.size());
    for (const Condition& part : condition.parts) put_condition(part, out);
    return;
  }
  const Term& term = condition.term;
  out.byte(static_cast<unsigned>(term.column));
  out.byte(static_cast<unsigned>(term.op));
  out.byte(term.is_number ? 1 : 0);
  out.fixed(term.low);
  out.fixed(term.high);
  put_text(term.field, out);
  put_text(term.text, out);
}

Status take_term(chunk::Cursor& from, Term& out) {
  const unsigned column = from.byte(), op = from.byte(), number = from.byte();
  if (column >= message::kColumns || op > static_cast<unsigned>(Op::word_prefix) || number > 1) {
    return bad_mark("has a term of another kind");
  }
  out.column = static_cast<Column>(column);
  out.op = static_cast<Op>(op);
  out.is_number = number == 1;
  out.low = from.fixed<std::int64_t>();
  out.high = from.fixed<std::int64_t>();
  out.field = take_text(from);
  out.text = take_text(from);
  if (out.column != Column::field && !message::fits(out.op, message::name_of(out.column).type)) {
    return bad_mark("has a term of an operator that its column does not have");
  }
  if (out.column == Column::id && out.text.size() != message::kIdBytes && from.ok()) {
    return bad_mark("has an id of another size");
  }
  if (out.op != Op::regex || !from.ok()) return {};
  VARVE_ASSIGN_OR_RETURN(out.regex, Regex::compile(out.text));
  return {};
}

Status take_condition(chunk::Cursor& from, unsigned depth, Condition& out) {
  const unsigned kind = from.byte();
  if (kind > static_cast<unsigned>(Condition::Kind::term) || depth > kConditionDepthMax) {
    return bad_mark("has a condition of another kind");
  }
  out.kind = static_cast<Condition::Kind>(kind);
  if (out.kind == Condition::Kind::term) return take_term(from, out.term);
  const std::uint64_t parts = from.varint();
  for (std::uint64_t i = 0; i < parts && from.ok(); ++i) {
    VARVE_RETURN_IF_ERROR(take_condition(from, depth + 1, out.parts.emplace_back()));
  }
  return {};
}

}  // namespace

void EraseMark::see(std::uint64_t arrival) {
  std::uint64_t& greatest = seen[static_cast<std::uint16_t>(arrival & kProcessMask)];
  greatest = std::max(greatest, arrival);
}

bool EraseMark::has_seen(std::uint64_t arrival) const {
  const auto of_process = seen.find(static_cast<std::uint16_t>(arrival & kProcessMask));
  return of_process != seen.end() && arrival <= of_process->second;
}

bool EraseMark::fits(message::RowView row) const {
  return row.time_us() >= first_us && row.time_us() <= last_us && message::matches(condition, row);
}

bool is_erased(std::span<const EraseMark> marks, message::RowView row) {
  return std::ranges::any_of(marks, [&](const EraseMark& mark) { return mark.erases(row); });
}

Result<Bitmap> fitting_in(message::block::Block& block, const EraseMark& mark) {
  Bitmap among(block.messages());
  if (!mark.overlaps(block.first_us(), block.last_us())) return among;
  block.expect(mark.condition);
  VARVE_ASSIGN_OR_RETURN(const auto times, block.times());
  const auto first = std::ranges::lower_bound(times, mark.first_us) - times.begin();
  const auto end = std::ranges::upper_bound(times, mark.last_us) - times.begin();
  for (auto row = first; row < end; ++row) among.set(static_cast<std::size_t>(row));
  return block.find(mark.condition, among);
}

Result<Bitmap> erased_in(message::block::Block& block, std::span<const EraseMark> marks) {
  Bitmap erased(block.messages());
  for (const EraseMark& mark : marks) {
    VARVE_ASSIGN_OR_RETURN(const Bitmap found, fitting_in(block, mark));
    if (found.none()) continue;
    VARVE_ASSIGN_OR_RETURN(const auto arrivals, block.arrivals());
    found.for_each([&](std::uint32_t row) {
      if (mark.has_seen(static_cast<std::uint64_t>(arrivals[row]))) erased.set(row);
    });
  }
  return erased;
}

std::string encode_erase_mark(const EraseMark& mark) {
  chunk::Bytes out;
  out.fixed(std::uint32_t{0});
  out.byte(kMarkVersion);
  out.fixed(mark.first_us);
  out.fixed(mark.last_us);
  out.varint(mark.seen.size());
  for (const auto& [process, arrival] : mark.seen) out.fixed(arrival);
  put_condition(mark.condition, out);
  store_le(out.data(), codec::crc32c(out.view().subspan(4)));
  return blob_text(out.view());
}

Result<EraseMark> decode_erase_mark(std::string_view blob) {
  chunk::Cursor from(blob_bytes(blob));
  const auto crc = from.fixed<std::uint32_t>();
  if (!from.ok() || codec::crc32c(blob_bytes(blob).subspan(4)) != crc) {
    return fail(bad_mark("has a wrong checksum").error());
  }
  const unsigned version = from.byte();
  if (from.ok() && version != kMarkVersion) {
    return fail(Code::unsupported, "a delete of messages has version " + std::to_string(version));
  }
  EraseMark mark;
  mark.first_us = from.fixed<std::int64_t>();
  mark.last_us = from.fixed<std::int64_t>();
  const std::uint64_t seen = from.varint();
  for (std::uint64_t i = 0; i < seen && from.ok(); ++i) mark.see(from.fixed<std::uint64_t>());
  VARVE_RETURN_IF_ERROR(take_condition(from, 0, mark.condition));
  if (!from.ok() || from.left() > 0) return fail(bad_mark("is cut short or too long").error());
  return mark;
}

}  // namespace varve::engine::cassandra
