// SPDX-License-Identifier: Apache-2.0
// CassandraRows: a RowStore in a Cassandra. Writes wait in a bounded queue (write_queue.h) and go as unlogged batches
// of one partition; reads come page by page (page_reader.h). Everything may be sent twice: each row has a timestamp.
#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "driver/cassandra.h"
#include "engine/cassandra/tables/row_store.h"
#include "engine/cassandra/tables/statements.h"
#include "engine/cassandra/tables/write_queue.h"

namespace varve::engine::cassandra {

struct CassandraRowsOptions {
  std::string keyspace = "varve";
  driver::Consistency consistency = driver::Consistency::session;  // of reads and writes
  std::size_t in_flight_requests = 256;                            // writes under way; fewer after slow ones
  std::size_t queued_bytes_max = 64 << 20;                         // of writes, waiting and under way
  // Of one request. A hundred small rows cost the server a tenth of what they cost alone, eight of 16 KiB half; more
  // together gain nothing that can be measured.
  std::size_t batch_rows_max = 100;
  std::size_t batch_bytes_max = 128 << 10;
  std::size_t reads_in_flight = 64;   // of one read()
  std::size_t read_bytes = 32 << 20;  // of pages of one read(), about
  std::size_t scan_ranges = 128;      // parts of the ring, for read_all()
};

class CassandraRows final : public RowStore {
 public:
  // Prepares statements: blocking. Session, tables and clock outlive it. Errors: unsupported (tables are missing: it
  // says what to do), those of the driver.
  static Result<std::unique_ptr<CassandraRows>> open(const driver::Session& session, const Tables& tables,
                                                     const CassandraRowsOptions& options, const Clock& clock);

  // The same with a queue of its own, for writes that must not wait behind this one's.
  [[nodiscard]] std::unique_ptr<CassandraRows> with_own_queue() const;

  // `done` comes on a thread of the driver; the destructor waits for all of them. Rows of another Tables are invalid.
  void write(std::vector<RowWrite> rows, Done done) override;
  void erase(std::vector<RowDelete> rows, Done done) override;
  // Not on a thread of the driver.
  Status read(std::span<const RowRead> reads, const ReadLimits& limits, const Each& each) override;
  // By parts of the ring, so that none takes long; each page is tried again for some seconds.
  Status read_all(const Table& table, std::span<const std::string> values, const EachOfAll& each) override;

  [[nodiscard]] WriteQueue::Load load() const { return queue_.load(); }

 private:
  CassandraRows(const driver::Session& session, const CassandraRowsOptions& options, const Clock& clock,
                std::shared_ptr<Statements> statements);
  void send(const std::vector<BoundRow>& rows, WriteQueue::Done done) const;
  driver::Request ask(const Select& select, std::span<const driver::Cell> cells, driver::Done<driver::Rows> done) const;
  template <class Row>
  void submit(std::vector<Row> rows, Done done);

  const driver::Session& session_;
  const CassandraRowsOptions options_;
  const Clock& clock_;
  const std::shared_ptr<Statements> statements_;
  WriteQueue queue_;  // ends first
};

}  // namespace varve::engine::cassandra
