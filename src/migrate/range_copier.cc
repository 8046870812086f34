// SPDX-License-Identifier: Apache-2.0
#include "migrate/range_copier.h"

#include <algorithm>
#include <utility>

namespace varve::migrate {

RangeCopier::RangeCopier(Copying& shared)
    : shared_(shared),
      refused_([this](const Refusal& refusal) { refused(refusal); }),
      sink_(shared.target.sink(shared.stopping, refused_)) {}

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
  VARVE_RETURN_IF_ERROR(sink_->flush());
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
  const Status begun = sink_->begin({partition_.stored, parsed->metric, *tags});
  partition_.taken = begun.has_value();
  if (begun) return {};
  if (begun.error().code != Code::invalid && begun.error().code != Code::corrupt) return begun;
  partition_.why = begun.error().message;
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

// It was counted as a sample.
void RangeCopier::refused(const Refusal& refusal) {
  MetricCount& count = totals_.metrics[std::string(refusal.metric)];
  --count.samples;
  ++(refusal.too_old ? count.too_old : count.bad);
  shared_.samples_written.fetch_sub(1, std::memory_order_relaxed);
  if (!refusal.too_old) shared_.bad(refusal.key, refusal.why, 1);
}

Status RangeCopier::cell(std::string_view column, std::string_view bytes) {
  ++partition_.cells;
  if (partition_.count != nullptr) ++partition_.count->cells;
  if (partition_.count != nullptr && partition_.key.type == DataType::other) return ++partition_.count->other, Status();
  if (!partition_.taken) return bad({}), Status();
  const auto time = column_time(shared_.source.spec(), partition_.key.row_time_ms, column);
  if (!time) return bad(time.error().message), Status();
  const auto value = decode_value(partition_.key.type, column, bytes, shared_.strings, room_);
  if (!value) return bad("column " + to_hex(column) + ": " + value.error().message), Status();
  if (const auto why = sink_->why_not(*value); !why.empty()) return bad(std::string(why)), Status();
  VARVE_ASSIGN_OR_RETURN(const model::Timestamp kept_from, sink_->kept_from());
  if (*time < kept_from) return ++partition_.count->too_old, Status();
  MetricCount& count = *partition_.count;
  ++count.samples;
  VARVE_RETURN_IF_ERROR(sink_->add(*time, *value));
  count.last_ms = std::max(count.last_ms, *time);
  count.old += *time < shared_.old_before_ms ? 1 : 0;
  count.types = static_cast<std::uint8_t>(count.types | 1U << static_cast<unsigned>(partition_.key.type));
  shared_.samples_written.fetch_add(1, std::memory_order_relaxed);
  return {};
}

}  // namespace varve::migrate
