// SPDX-License-Identifier: Apache-2.0
// How much is asked with one request: which columns, and how many rows.
#include <algorithm>
#include <utility>

#include "snmp/walk/kinds.h"
#include "snmp/walk/walk.h"

namespace varve::snmp::walk {
namespace {

using session::Binding;
using session::Command;

constexpr unsigned kFirstBindings = 50;  // of an agent that is not known yet: what fits into a datagram of Ethernet
constexpr unsigned kBindingsMost = 100;
constexpr std::size_t kDatagramBytes = 1400;  // that no network on the way cuts, with what tunnels add
constexpr std::size_t kMessageBytes = 130;    // around the bindings: of v3, signed and hidden
constexpr std::uint8_t kQuestioned = 255;     // answers, after which it is tried whether more fits

std::size_t number_bytes(std::uint64_t number) {
  std::size_t bytes = 1;
  for (; number > 0x7f; number >>= 8) ++bytes;
  return bytes;
}

std::size_t oid_bytes(Name name) {
  std::size_t bytes = 0;
  for (Arc arc : name) {
    do ++bytes;
    while ((arc >>= 7) != 0);
  }
  return bytes;
}

// Of a binding in a message, nearly: numbers may be padded.
std::size_t bytes_of(const Binding& binding) {
  constexpr std::size_t kHeads = 3 * 2;
  std::size_t value = binding.octets.size() + oid_bytes(binding.oid);
  if (value == 0 && !is_missing(binding.kind)) value = number_bytes(binding.number);
  return kHeads + oid_bytes(binding.name) + value + (value > 0x7f ? 4 : 0);
}

}  // namespace

// The first column of a group's values; of the group behind the last: the end. A stand-in is with what it stands for.
std::size_t Walk::first_value(unsigned group) const {
  const auto& columns = pass().columns;
  const std::size_t first = pass().names + (columns.size() - pass().names) * group / fit_.passes[pass_].groups;
  return first < columns.size() && columns[first].stands_in ? first + 1 : first;
}

// In v1 there are no values of 64 bits.
bool Walk::is_asked(std::size_t column) const {
  const auto& columns = pass().columns;
  if (columns[column].stands_in) return !in_bulk() || !fit_.passes[pass_].needless[column];
  const bool has_stand_in = column + 1 < columns.size() && columns[column + 1].stands_in;
  return in_bulk() || !has_stand_in;
}

void Walk::ask_rows(Scratch& scratch) {
  const auto columns = static_cast<unsigned>(asked_.size());
  PassFit& fit = pass_fit();
  if (fit.repetitions == 0) fit.repetitions = static_cast<std::uint16_t>(std::max(1U, kFirstBindings / columns));
  repetitions_ = std::min<unsigned>(fit.repetitions, std::max(1U, kBindingsMost / columns));
  // Not more than there were the last time, and one more to see the end.
  if (fit.rows >= rows_ && fit.rows > 0) {
    repetitions_ = static_cast<unsigned>(std::min<std::size_t>(repetitions_, fit.rows - rows_ + 1));
  }
  if (!in_bulk() || lost_ > 0) repetitions_ = 1;
  uptime_asked_ = !uptime_done_ && in_bulk();
  scratch.request = {in_bulk() ? Command::get_bulk : Command::get_next, uptime_asked_ ? 1U : 0U, repetitions_, {}};
  if (uptime_asked_) scratch.add(std::span(kUptime).first(std::size(kUptime) - 1));
  for (const Asked& asked : asked_) scratch.add(column_of(asked).oid, cursor_);
}

void Walk::fit_answer(std::size_t repetitions, bool is_over) {
  PassFit& fit = pass_fit();
  fit.doubted = false;
  if (const unsigned lost = std::exchange(lost_, 0); lost > 0) {
    fit.repetitions = fit.most = static_cast<std::uint16_t>(std::max(1U, lost / 2));
    fit.age = 0;
    return;
  }
  if (++fit.age == kQuestioned && fit.most < kBindingsMost) ++fit.most;
  if (repetitions < repetitions_) {
    if (!is_over) fit.repetitions = fit.most = static_cast<std::uint16_t>(repetitions);
    return;
  }
  if (repetitions_ < fit.repetitions || is_over) return;
  const unsigned more = fit.repetitions + std::max(1U, fit.repetitions / 2U);
  const std::size_t most = std::min({std::size_t{fit.most}, std::max<std::size_t>(1, kBindingsMost / asked_.size()),
                                     std::max<std::size_t>(fit.repetitions, rows_of_a_datagram(repetitions))});
  fit.repetitions = static_cast<std::uint16_t>(std::max<std::size_t>(1, std::min<std::size_t>(more, most)));
}

// Which stand-ins are asked the next time. Of fewer columns more rows fit, and of more fewer.
void Walk::fit_stand_ins() {
  PassFit& fit = pass_fit();
  const auto columns = [&] {
    std::size_t count = 0;
    for (std::size_t i = pass().names; i < pass().columns.size(); ++i) count += is_asked(i) ? 1U : 0U;
    return pass().names + (count + fit.groups - 1) / fit.groups;
  };
  const std::size_t before = columns();
  for (std::size_t i = 0; i < lacking_.size(); ++i) {
    if (pass().columns[i].stands_in) fit.needless[i] = in_bulk() && !lacking_[i] && rows_ > 0;
  }
  if (columns() == before) return;
  fit.groups = 1;
  const auto scaled = [&](std::uint16_t rows) {
    const std::size_t fits = rows * before / columns();
    return static_cast<std::uint16_t>(std::clamp<std::size_t>(fits, 1, PassFit().most));
  };
  fit.repetitions = scaled(fit.repetitions);
  if (fit.most != PassFit().most) fit.most = scaled(fit.most);
}

// How many rows like those of this answer fit into a datagram.
std::size_t Walk::rows_of_a_datagram(std::size_t repetitions) const {
  std::size_t bytes = 0;
  for (const Binding& binding : bindings_) bytes += bytes_of(binding);
  return (kDatagramBytes - kMessageBytes) * repetitions / std::max<std::size_t>(bytes, 1);
}

// A large request was not answered. False: it is not its size. An agent that has answered is asked a small one now. Of
// one that has not, nobody knows whether it is there; if it answers meanwhile and not the next time, it is the size.
bool Walk::ask_less() {
  if (in_scalars_ || !in_bulk() || repetitions_ <= 1) return false;
  PassFit& fit = pass_fit();
  if (has_answer_) {
    lost_ = repetitions_;
    return true;
  }
  if (std::exchange(fit.doubted, !fit.doubted)) {
    fit.repetitions = fit.most = static_cast<std::uint16_t>(repetitions_ / 2);
    fit.age = 0;
  }
  return false;
}

// Fewer rows a request, or fewer columns. False: there is nothing left to leave out, or rows were taken already, which
// must not come twice in one poll; then it begins so the next time.
bool Walk::make_smaller() {
  PassFit& fit = pass_fit();
  if (repetitions_ > 1) {
    fit.repetitions = fit.most = static_cast<std::uint16_t>(repetitions_ / 2);
    return true;
  }
  const std::size_t values = pass().columns.size() - pass().names;
  if (fit.groups >= values || fit.groups > 127) return false;
  fit.groups = static_cast<std::uint8_t>(std::min<std::size_t>(values, fit.groups * 2U));
  if (group_ > 0 || !cursor_.empty()) return false;
  begin_group();
  return true;
}

}  // namespace varve::snmp::walk
