// SPDX-License-Identifier: Apache-2.0
#include "write/message_writer.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "message/id.h"
#include "message/row.h"
#include "model/instant.h"
#include "model/time.h"

namespace varve::write {
namespace {

constexpr std::int64_t kUsPerSecond = 1'000'000;

// 2023-10-03T10:11:12.000123Z, with what is behind the microsecond, if there is something.
std::string instant_of(message::RowView row) {
  const std::int64_t second_us = model::window_start(row.time_us(), kUsPerSecond);
  std::string out = model::instant(second_us / 1000);
  out.back() = '.';
  model::append_padded(out, row.time_us() - second_us, 6);
  if (row.nanos() != 0) model::append_padded(out, row.nanos(), 3);
  return out += 'Z';
}

// Adds the row with another time. Its own becomes a field, if there is room for one.
void add_with_time(message::RowView row, std::int64_t time_us, message::Builder& to) {
  const std::string own = instant_of(row);
  to.start();
  if (message::has_lasting_id(row)) to.set_id(message::id_of(row));
  message::CellReader reader = row.reader();
  for (message::Cell cell; reader.next(cell);) {
    Status kept;
    switch (cell.column) {
      case message::Column::field: kept = to.add_field(cell.name, cell.form, cell.text); break;
      case message::Column::object: kept = to.add_object(cell.text); break;
      case message::Column::id: break;
      default:
        if (message::is_integer(cell.column)) {
          to.set(cell.column, cell.number);
        } else {
          kept = to.set(cell.column, cell.text);
        }
    }
    check(kept.has_value(), "what was built once can be built again");
  }
  const Status told = to.add_field("device_time", message::FieldForm::text, own);
  check(told || told.error().code == Code::limit, "a time is within a field's limits");
  to.finish(time_us);
}

}  // namespace

void MessageWriter::append(std::string_view tenant, message::Batch& batch, storage::MessageStore::AppendDone done) {
  if (batch.empty()) return done({});
  const auto limits = intake_.limits();
  const std::int64_t all_from_us = std::max(limits.first_us, limits.all_from_us);
  if (limits.shed != nullptr || batch.first_us() < all_from_us || batch.last_us() > limits.last_us) {
    admit(batch, limits);
    if (batch.empty()) return done({});
  }
  store_.append_messages(tenant, batch, std::move(done));
}

void MessageWriter::admit(message::Batch& batch, const protocol::messages::Limits& limits) {
  message::Batch kept;
  message::Builder builder(kept);
  const auto rows = batch.bytes();
  std::size_t retimed = 0;
  for (const std::byte *at = rows.data(), *const end = at + rows.size(); at != end;) {
    const message::RowView row{at};
    const std::size_t bytes = row.bytes();
    const bool in_time = row.time_us() >= limits.first_us && row.time_us() <= limits.last_us;
    const Status status = in_time ? limits.check_row(row) : Status(fail(Code::too_old, limits.too_old));
    if (status) {
      std::memcpy(kept.reserve(bytes), at, bytes);
      kept.added(bytes, row.time_us());
    } else if (!protocol::messages::is_shed(status) && !(limits.shed != nullptr && limits.shed->drops(row))) {
      add_with_time(row, limits.now_us, builder);
      ++retimed;
    }
    at += bytes;
  }
  retimed_.add(retimed);
  intake_.count(limits);
  batch = std::move(kept);
}

}  // namespace varve::write
