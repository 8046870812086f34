// SPDX-License-Identifier: Apache-2.0
// ContrailCopier: the messages of one token range into varve, and what was counted on the way.
#pragma once

#include <atomic>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/task_pool.h"
#include "migrate/contrail_cells.h"
#include "migrate/contrail_names.h"
#include "migrate/contrail_progress.h"
#include "migrate/contrail_source.h"
#include "migrate/message_sink.h"

namespace varve::migrate {

// What all threads of a migration share.
struct ContrailCopying {
  const ContrailSource& source;
  ContrailNames& names;
  MessageTarget target;
  const Clock& clock;
  // How long this message is kept, and how far ahead one may be.
  std::function<std::int64_t(message::RowView)> retention_ms;
  std::int64_t future_ms = 0;
  std::int64_t fading_before_us = std::numeric_limits<std::int64_t>::min();
  // Called for each row that is not taken as it is, by any thread.
  std::function<void(std::string_view row, std::string_view why)> bad;
  std::atomic<bool> stopping = false;
  std::atomic<std::uint64_t> rows_read = 0, messages_written = 0;  // for showing; ranges begun again count again
};

class ContrailCopier {
 public:
  using Shared = ContrailCopying;
  using Progress = ContrailProgress;

  explicit ContrailCopier(Shared& shared) : shared_(shared), sink_(shared.target, shared.stopping) {}
  // `range` as in ContrailProgress::done. Everything in it is durable and visible in varve when this has succeeded.
  // Done again it changes nothing.
  Result<ContrailTotals> copy(std::size_t range);

 private:
  using Row = std::span<const driver::Cell>;
  Status row(ContrailCells& cells, Row row);
  void add_names(ContrailCells& cells, Row row);
  Status keep(message::RowView message);
  void bad(Row row, const std::string& why);
  ContrailCount& count() { return totals_.tables[static_cast<std::size_t>(table_)]; }

  Shared& shared_;
  MessageSink sink_;
  ContrailTotals totals_;
  ContrailTable table_{};
  message::Batch one_;                         // the message that is read
  std::shared_ptr<const NamesOfPiece> names_;  // of the range; nullptr: they are in the rows, or in the text alone
};

// All names of objecttable into `names`, by all threads. Errors: those of Cassandra and of the files; cancelled.
Status gather_names(ContrailCopying& shared, TaskPool& pool, std::size_t threads);

}  // namespace varve::migrate
