// SPDX-License-Identifier: Apache-2.0
#include "migrate/contrail_copier.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/bytes.h"
#include "base/parallel.h"
#include "message/id.h"

namespace varve::migrate {
namespace {

using Role = ContrailColumn::Role;
constexpr std::int64_t kUsPerMs = 1000;

// For a person: how to find the row again.
std::string row_name(const ContrailLayout& layout, ContrailTable table, std::span<const driver::Cell> row) {
  std::string out = table == ContrailTable::v2 ? "messagetablev2" : "messagetable";
  for (std::size_t i = 0; i < layout.columns.size(); ++i) {
    const ContrailColumn& column = layout.columns[i];
    const std::string_view bytes = row[i].bytes();
    if (column.role == Role::id) {
      out += " " + column.name + " " + (bytes.size() == message::kIdBytes ? uuid_text(bytes) : "null");
    } else if ((column.role == Role::slot || column.role == Role::offset) && bytes.size() == sizeof(std::uint32_t)) {
      out += " " + column.name + " " + std::to_string(std::bit_cast<std::int32_t>(load_be32(bytes.data())));
    }
  }
  return out;
}

}  // namespace

Result<ContrailTotals> ContrailCopier::copy(std::size_t range) {
  totals_ = {};
  table_ = range < kRanges ? ContrailTable::v1 : ContrailTable::v2;
  if (!shared_.source.has(table_)) return std::move(totals_);
  names_.reset();
  if (table_ == ContrailTable::v1 && shared_.source.has_names()) {
    VARVE_ASSIGN_OR_RETURN(names_, shared_.names.of_range(range));
  }
  ContrailCells cells(shared_.source.layout(table_), one_);
  Pages pages = shared_.source.rows(table_, range % kRanges, shared_.stopping);
  for (;;) {
    VARVE_ASSIGN_OR_RETURN(const driver::Rows* const page, pages.next());
    if (page == nullptr) break;
    for (std::size_t i = 0; i < page->count(); ++i) VARVE_RETURN_IF_ERROR(row(cells, page->row(i)));
    shared_.rows_read += page->count();
  }
  VARVE_RETURN_IF_ERROR(sink_.flush());
  return std::move(totals_);
}

// Fails only where nothing can go on.
Status ContrailCopier::row(ContrailCells& cells, Row row) {
  ++count().read;
  const auto time_us = cells.read(row);
  if (!time_us) {
    ++count().bad;
    totals_.add_reason(time_us.error().message, 1);
    return bad(row, time_us.error().message), Status();
  }
  if (table_ == ContrailTable::v1) add_names(cells, row);
  one_.clear();
  cells.finish(*time_us);
  if (!cells.bad_name().empty()) {
    ++count().bad_names;
    bad(row, "'" + std::string(cells.bad_name().substr(0, 100)) + "' is not an object's name, and is left out");
  }
  return keep(message::RowView{one_.bytes().data()});
}

void ContrailCopier::add_names(ContrailCells& cells, Row row) {
  if (names_ == nullptr) return cells.add_objects_of_text();
  const auto& columns = shared_.source.layout(table_).columns;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].role != Role::id) continue;
    for (const auto name : names_->of(row[i].bytes())) cells.add_object(name);
  }
}

Status ContrailCopier::keep(message::RowView message) {
  const std::int64_t now_us = shared_.clock.now_ms() * kUsPerMs;
  const std::int64_t time_us = message.time_us();
  if (time_us < now_us - shared_.retention_ms(message) * kUsPerMs) return ++count().too_old, Status();
  if (time_us > now_us + shared_.future_ms * kUsPerMs) return ++count().ahead, Status();
  VARVE_RETURN_IF_ERROR(sink_.add(message));
  ++count().written;
  count().fading += time_us < shared_.fading_before_us ? 1 : 0;
  totals_.first_us = std::min(totals_.first_us, time_us);
  totals_.last_us = std::max(totals_.last_us, time_us);
  shared_.messages_written.fetch_add(1, std::memory_order_relaxed);
  return {};
}

void ContrailCopier::bad(Row row, const std::string& why) {
  shared_.bad(row_name(shared_.source.layout(table_), table_, row), why);
}

Status gather_names(ContrailCopying& shared, TaskPool& pool, std::size_t threads) {
  VARVE_RETURN_IF_ERROR(shared.names.begin());
  const bool are_text = shared.source.ids_are_text();
  VARVE_RETURN_IF_ERROR(in_parallel(pool, threads - 1, kRanges, [&](std::size_t range) -> Status {
    Pages pages = shared.source.names(range, shared.stopping);
    for (;;) {
      VARVE_ASSIGN_OR_RETURN(const driver::Rows* const page, pages.next());
      if (page == nullptr) return {};
      for (std::size_t i = 0; i < page->count(); ++i) {
        const auto row = page->row(i);
        const auto id = are_text ? read_uuid(row[2].bytes()) : std::nullopt;
        const std::string_view bytes = id ? std::string_view(id->data(), id->size()) : row[2].bytes();
        if (bytes.size() != message::kIdBytes) continue;  // of no message
        VARVE_RETURN_IF_ERROR(shared.names.add(bytes, row[0].bytes(), row[1].bytes()));
      }
    }
  }));
  return shared.names.end();
}

}  // namespace varve::migrate
