// SPDX-License-Identifier: Apache-2.0
// Rows: concatenated packed rows of one group, as an engine keeps them until they become columns.
//
// If two samples have the same time, the later row wins. Each row may be followed by its arrival:u32, which orders rows
// of different groups, too. Plain rows have no such number and are in order of arrival.
#pragma once

#include <cstdint>
#include <span>

#include "base/bytes.h"
#include "model/row.h"

namespace varve::engine::shared {

inline constexpr std::size_t kArrivalBytes = 4;

enum class RowForm { plain, with_arrival };

// Calls each(row, arrival). The rows must be well-formed (model::check_row); the arrival of a plain row is its
// position.
template <class Each>
void for_each_row(std::span<const std::byte> rows, RowForm form, const Each& each) {
  const std::byte* at = rows.data();
  const std::byte* const end = at + rows.size();
  for (std::uint32_t number = 0; at != end; ++number) {
    const model::RowView row{at};
    at += row.bytes();
    const std::uint32_t arrival = form == RowForm::plain ? number : load_le<std::uint32_t>(at);
    if (form == RowForm::with_arrival) at += kArrivalBytes;
    each(row, arrival);
  }
}

}  // namespace varve::engine::shared
