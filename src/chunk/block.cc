// SPDX-License-Identifier: Apache-2.0
#include "chunk/block.h"

#include <algorithm>
#include <limits>

#include "chunk/block_state.h"

namespace varve::chunk {
namespace {

std::unexpected<Error> malformed(const char* what) {
  return fail(Code::corrupt, std::string("block: ") + what + " cannot be decoded");
}

}  // namespace

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

Result<Rows> Block::times(std::size_t i, model::TimeRange range, std::vector<model::Timestamp>& out) const {
  const Times& times = state_->groups[i].times;
  if (range.first > times.last || range.last <= times.first) {
    out.clear();
    return Rows{};
  }
  SequenceBytes bytes;
  std::span<const std::byte> gaps;
  if (!state_->bytes_of(times.sequence, times.rows, bytes)) return malformed("a time column");
  if (times.gaps_bytes != 0) {
    const auto side = state_->sections[kSide].bytes();
    if (side.empty()) return malformed("a time column");
    gaps = side.subspan(times.gaps_at, times.gaps_bytes);
  }
  Rows rows;
  if (!decode_times(times, gaps, bytes, range, out, rows)) return malformed("a time column");
  return rows;
}

Status Block::column(std::size_t i, std::size_t column, Rows rows, DecodedColumn& out) const {
  if (column >= state_->groups[i].columns) return malformed("a group with a column less");
  const Part& part = state_->part(i, column);
  check(rows.first <= part.count && rows.count <= part.count - rows.first, "rows that the chunk has");
  if (!state_->decode(&part, rows, out)) return malformed("a column");
  return {};
}

Status Block::times(std::size_t i, std::vector<model::Timestamp>& out) const {
  const model::Timestamp last = last_time(i);
  // A range has no room for the greatest time of all, which damaged bytes may hold.
  if (last == std::numeric_limits<model::Timestamp>::max()) return malformed("a time column");
  VARVE_RETURN_IF_ERROR(times(i, {first_time(i), last + 1}, out));
  return {};
}

Status Block::column(std::size_t i, std::size_t column, DecodedColumn& out) const {
  return this->column(i, column, {0, rows(i)}, out);
}

std::size_t Block::memory_bytes() const {
  const State& s = *state_;
  std::size_t bytes = sizeof(Block) + sizeof(State) + s.stored_bytes + s.groups.capacity() * sizeof(Group) +
                      s.columns.capacity() * sizeof(std::size_t) + s.parts.capacity() * sizeof(Part);
  for (const Lazy& section : s.sections) bytes += section.memory_bytes();
  for (const auto& frame : s.frames) bytes += sizeof(Lazy) + frame->memory_bytes();
  return bytes;
}

}  // namespace varve::chunk
