// SPDX-License-Identifier: Apache-2.0
// TimeMark: the latest time that replicas share, as one of them last stored it: a row that is written once a second. A
// replica that starts continues from there if Redis says that it is earlier: its clock went back while no replica ran
// (tracker/redis/server_clock.h).
//
// The row is in the table `alarms`, in a partition of its own; its write timestamp is the time, so the latest one
// stays. Thread-safe.
#pragma once

#include <string>
#include <utility>

#include "engine/cassandra/tables/cell.h"
#include "engine/cassandra/tables/row_store.h"
#include "engine/cassandra/tables/schema.h"
#include "model/time.h"

namespace varve::engine::cassandra {

class TimeMark {
 public:
  static constexpr std::int64_t kWrittenWithinMs = 2'000;  // who marks the time is not later than that

  // `id`: of the installation.
  TimeMark(const std::string& id, const Tables& tables, RowStore& rows)
      : id_(id + "|time"), tables_(tables), rows_(rows) {}

  // Both block. Errors: those of the store.
  Status write(model::Timestamp now_ms) {
    std::vector<RowWrite> rows;
    rows.push_back({&tables_.alarms, {id_}, {bigint_cell(0)}, {timestamp_cell(now_ms), ""}, now_ms * 1000, 0});
    return rows_.write_now(std::move(rows));
  }
  // What it surely was not later than; 0: there is none.
  Result<model::Timestamp> read() {
    const RowRead read{&tables_.alarms, {id_}, {}, {}, {"at"}};
    model::Timestamp mark = 0;
    VARVE_RETURN_IF_ERROR(rows_.read({&read, 1}, {}, [&](std::size_t, const RowView& row) -> Status {
      VARVE_ASSIGN_OR_RETURN(mark, timestamp_of(row.cells[1]));
      return {};
    }));
    return mark;
  }

 private:
  const std::string id_;
  const Tables& tables_;
  RowStore& rows_;
};

}  // namespace varve::engine::cassandra
