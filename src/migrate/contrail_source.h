// SPDX-License-Identifier: Apache-2.0
// ContrailSource: the keyspace of a Contrail's analytics in a Cassandra, to be read. It writes nothing there.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "driver/cassandra.h"
#include "migrate/contrail_layout.h"
#include "migrate/pages.h"

namespace varve::migrate {

enum class ContrailTable : std::uint8_t { v1, v2 };  // messagetable, messagetablev2

// Thread-safe.
class ContrailSource {
 public:
  // Blocking. `exact_keyspace` as it was written; in lower case if there is no such one. `session.keyspace` does not
  // count. Errors: not_found (no table of messages), unsupported (one that is made otherwise), those of the driver.
  static Result<std::unique_ptr<ContrailSource>> open(const driver::Runtime& runtime, driver::SessionOptions session,
                                                      const std::string& exact_keyspace);

  [[nodiscard]] const std::string& name() const { return name_; }  // "cluster/keyspace", the same by every host
  [[nodiscard]] bool has(ContrailTable table) const { return tables_[index(table)] != nullptr; }
  // Of tables that are there.
  [[nodiscard]] const ContrailLayout& layout(ContrailTable table) const { return tables_[index(table)]->layout; }
  // Is there an objecttable? Else names() and names_are_text() are of no use.
  [[nodiscard]] bool has_names() const { return names_ != nullptr; }
  [[nodiscard]] bool ids_are_text() const { return ids_are_text_; }

  // All rows whose partition has a token in range `range` of kRanges, in the order of the layout's columns.
  [[nodiscard]] Pages rows(ContrailTable table, std::size_t range, const std::atomic<bool>& stopping) const;
  // Of objecttable: type, value, UUID of the message.
  [[nodiscard]] Pages names(std::size_t range, const std::atomic<bool>& stopping) const;
  // The partitions of a table whose key begins with T2, which tell from when messages are: T2. Of v1 those of its index
  // by time; false: there is none.
  [[nodiscard]] bool has_slots(ContrailTable table) const { return slots_[index(table)] != nullptr; }
  [[nodiscard]] Pages slots(ContrailTable table, std::size_t range, const std::atomic<bool>& stopping) const;

 private:
  struct Table {
    ContrailLayout layout;
    driver::Statement rows;
  };
  static std::size_t index(ContrailTable table) { return static_cast<std::size_t>(table); }
  explicit ContrailSource(driver::Session session) : session_(std::move(session)) {}
  Status find(const std::string& exact_keyspace);
  Status prepare_messages(ContrailTable table, const std::string& name);
  Status prepare_names();
  Status prepare_slots(ContrailTable table, const std::string& name);
  Result<std::vector<ColumnInfo>> columns_of(const std::string& table) const;
  Result<driver::Statement> prepare_of_range(const std::string& select, const std::string& table,
                                             const std::vector<ColumnInfo>& columns) const;

  const driver::Session session_;
  std::string name_, keyspace_;
  std::unique_ptr<Table> tables_[2];
  std::unique_ptr<driver::Statement> slots_[2];
  std::unique_ptr<driver::Statement> names_;
  bool ids_are_text_ = false;
};

}  // namespace varve::migrate
