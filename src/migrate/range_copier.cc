// SPDX-License-Identifier: Apache-2.0
#include "migrate/range_copier.h"

#include <utility>

namespace varve::migrate {

Result<Totals> RangeCopier::copy(std::size_t range) {
  totals_ = {};
  partition_ = {};
  Pages pages = shared_.source.cells(range, shared_.stopping);
  for (;;) {
    VARVE_ASSIGN_OR_RETURN(const driver::Rows* const page, pages.next());
    if (page == nullptr) break;
    for (std::size_t i = 0; i < page->count(); ++i) {
      const auto row = page->row(i);
      if (row[0].bytes() != partition_.stored) VARVE_RETURN_IF_ERROR(begin(row[0].bytes()));
      VARVE_RETURN_IF_ERROR(cell(row[1].bytes(), row[2].bytes()));
    }
    shared_.cells_read += page->count();
  }
  end();
  VARVE_RETURN_IF_ERROR(sink_.flush());
  return std::move(totals_);
}

// Fails only where nothing can go on.
Status RangeCopier::begin(std::string_view key) {
  end();
  partition_ = {};
  partition_.stored = key;
  const auto parsed = parse_key(partition_.stored);
  if (!parsed) {
    partition_.why = parsed.error().message;
    return {};
  }
  partition_.key = *parsed;
  partition_.count = &totals_.metrics[std::string(parsed->metric)];
  if (parsed->type == DataType::other) return {};
  if (parsed->type == DataType::legacy && !shared_.source.spec().legacy) {
    partition_.why = "a row without a data type, where table spec says that there are none";
    return {};
  }
  const auto tags = parse_tags(parsed->tags);
  if (!tags) {
    partition_.why = tags.error().message;
    return {};
  }
  const auto group = sink_.group(parsed->metric, *tags);
  if (group) {
    partition_.group = *group;
  } else if (group.error().code == Code::invalid || group.error().code == Code::corrupt) {
    partition_.why = group.error().message;
  } else {
    return fail(group.error());
  }
  return {};
}

void RangeCopier::end() {
  if (partition_.key.type == DataType::other && partition_.count != nullptr && partition_.cells > 0) {
    totals_.other_types[std::string(partition_.key.type_name)] += partition_.cells;
  }
  if (partition_.bad > 0) shared_.bad(partition_.stored, partition_.why, partition_.bad);
}

void RangeCopier::bad(std::string why) {
  if (partition_.why.empty()) partition_.why = std::move(why);
  ++partition_.bad;
  ++(partition_.count == nullptr ? totals_.bad_keys : partition_.count->bad);
}

Status RangeCopier::cell(std::string_view column, std::string_view bytes) {
  ++partition_.cells;
  if (partition_.count != nullptr) ++partition_.count->cells;
  if (partition_.count != nullptr && partition_.key.type == DataType::other) return ++partition_.count->other, Status();
  if (!partition_.group) return bad({}), Status();
  const auto time = column_time(shared_.source.spec(), partition_.key.row_time_ms, column);
  if (!time) return bad(time.error().message), Status();
  const auto value = decode_value(partition_.key.type, column, bytes, shared_.strings, room_);
  if (!value) return bad("column " + to_hex(column) + ": " + value.error().message), Status();
  VARVE_ASSIGN_OR_RETURN(const model::Timestamp kept_from, sink_.kept_from());
  if (*time < kept_from) return ++partition_.count->too_old, Status();
  VARVE_RETURN_IF_ERROR(sink_.add(*partition_.group, *time, *value));
  MetricCount& count = *partition_.count;
  ++count.samples;
  count.old += *time < shared_.old_before_ms ? 1 : 0;
  count.types = static_cast<std::uint8_t>(count.types | 1U << static_cast<unsigned>(partition_.key.type));
  shared_.samples_written.fetch_add(1, std::memory_order_relaxed);
  return {};
}

}  // namespace varve::migrate
