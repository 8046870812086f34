// SPDX-License-Identifier: Apache-2.0
// KairosdbSource: the keyspace of a KairosDB in a Cassandra, to be read. It writes nothing there.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "driver/cassandra.h"
#include "migrate/kairosdb_cells.h"
#include "migrate/pages.h"

namespace varve::migrate {

// What KairosDB keeps beside the samples: texts of its metadata service, and roll-up tasks.
struct ServiceText {
  std::string service, service_key, key, value;
};

// Thread-safe.
class KairosdbSource {
 public:
  // Blocking. `session.keyspace` is KairosDB's. Errors: not_found (no table data_points), unsupported (an unknown
  // row_time_unit), those of the driver.
  static Result<std::unique_ptr<KairosdbSource>> open(const driver::Runtime& runtime,
                                                      const driver::SessionOptions& session);

  [[nodiscard]] const RowSpec& spec() const { return spec_; }
  [[nodiscard]] const std::string& name() const { return name_; }  // "cluster/keyspace", the same by every host

  // Blocking. None where a KairosDB is too old to have them. Errors: those of Pages.
  [[nodiscard]] Result<std::vector<ServiceText>> texts(const std::atomic<bool>& stopping) const;

  // All cells whose partition has a token in range `number` of kRanges: key, column1, value. Partition by partition,
  // columns ascending.
  [[nodiscard]] Pages cells(std::size_t number, const std::atomic<bool>& stopping) const;
  // The partitions there: key.
  [[nodiscard]] Pages keys(std::size_t number, const std::atomic<bool>& stopping) const;
  // The cells of one partition: column1, value, writetime(value).
  [[nodiscard]] Pages cells_of(std::string_view key, const std::atomic<bool>& stopping) const;
  // One row if the partition has any cell.
  [[nodiscard]] Pages any_of(std::string_view key, const std::atomic<bool>& stopping) const;

 private:
  KairosdbSource(driver::Session session, std::string name, RowSpec spec)
      : session_(std::move(session)), name_(std::move(name)), spec_(spec) {}

  const driver::Session session_;
  const std::string name_;
  const RowSpec spec_;
  struct Statements {
    driver::Statement cells, keys, cells_of, any_of;
    std::optional<driver::Statement> texts;  // nullopt: there is no such table
  };
  std::unique_ptr<Statements> statements_;
};

}  // namespace varve::migrate
