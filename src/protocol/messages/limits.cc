// SPDX-License-Identifier: Apache-2.0
#include "protocol/messages/limits.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "base/check.h"
#include "message/level.h"

namespace varve::protocol::messages {
namespace {

constexpr std::int64_t kInfo = 6;
constexpr std::int64_t kUve = 6;  // kind

}  // namespace

bool Shed::drops(message::RowView row) {
  const auto given = row.cell(message::Column::level);
  const auto kind = row.cell(message::Column::kind);
  const bool is_uve = kind && kind->number == kUve;
  if (!is_uve && (given ? given->number : kInfo) < level) return false;
  const auto place = given ? std::clamp<std::int64_t>(given->number, 0, message::kDebug) : std::int64_t{kNone};
  ++dropped[static_cast<std::size_t>(place)];
  return true;
}

std::uint64_t Shed::total() const { return std::accumulate(dropped.begin(), dropped.end(), std::uint64_t{0}); }

Status Limits::check_row(message::RowView row) const {
  constexpr std::int64_t kUsPerMs = 1000;
  if (classes != nullptr && row.time_us() < all_from_us) {
    const message::ClassId of = classes->of(row);
    if (row.time_us() < now_us - classes->retention_ms(of) * kUsPerMs) {
      const auto name = classes->name(of);
      return fail(Code::too_old, "time " + std::to_string(row.time_us()) + " is older than messages." +
                                     (name.empty() ? "retention" : "classes keep '" + std::string(name) + "'"));
    }
  }
  if (shed != nullptr && shed->drops(row)) return fail(Code::unavailable, shed->why);
  return {};
}

Status Admission::finish(message::Builder& builder, std::int64_t time_us, unsigned nanos) {
  if (!limits_.made_ids || builder.has(message::Column::id)) {
    builder.finish(time_us, nanos);
    return admit();
  }
  builder.finish_with_computed_id(time_us, nanos);
  VARVE_RETURN_IF_ERROR(admit());
  ids_.number(batch_);  // what equals a row that was left out is left out, too
  return {};
}

Status Admission::admit() {
  if (!limits_.asks_rows()) return {};
  check(row_.rows() == 1, "a builder writes one row");
  const message::RowView row{row_.bytes().data()};
  const Status status = limits_.check_row(row);
  if (status) {
    std::memcpy(batch_.reserve(row.bytes()), row.at, row.bytes());
    batch_.added(row.bytes(), row.time_us());
  }
  row_.clear();
  return status;
}

}  // namespace varve::protocol::messages
