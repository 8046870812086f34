// SPDX-License-Identifier: Apache-2.0
// Influx line protocol: text → rows. docs/protocols/influx.md says what becomes of each part of a line.
//
//   measurement[,tag=value…] field=value[,field=value…] [timestamp]
//
// The way of a line: the group that followed the last one the last time is compared with the line's bytes (tags, then
// each field's name); its numbers are read where they stand and packed as one row. If the guess is wrong the line's
// name is hashed and looked up; if that fails the line is taken apart (split.h), and if it is new it is defined.
#pragma once

#include <string_view>

#include "base/result.h"
#include "model/line_group.h"
#include "model/row.h"
#include "model/time.h"
#include "protocol/outcome.h"

namespace varve::protocol::influx {

enum class Precision { ns, us, ms, s, m, h };

// Of the query parameter `precision`: "" n ns u us µ µs ms s m h. Error: invalid.
Result<Precision> precision_of(std::string_view name);

inline constexpr std::size_t kBodyPadding = 64;

// Parses the lines of `body`, behind which kBodyPadding bytes must be readable (their values do not matter), and adds
// their rows to `batch`. A line without timestamp is of `now` (ms). A bad line costs only itself: the outcome names it
// by its number (from 1) and the reason, and nothing of it is in the batch or registered.
Outcome parse_lines(std::string_view body, Precision precision, model::Timestamp now, model::GroupSource& groups,
                    model::RowBatch& batch);

}  // namespace varve::protocol::influx
