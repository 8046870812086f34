// SPDX-License-Identifier: Apache-2.0
// Message reader: what there is of a tenant's messages in a range of time, as parts that are read when somebody wants
// them; and the names that they have brought along.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "engine/cassandra/messages/message_tables.h"
#include "storage/message_store.h"

namespace varve::engine::cassandra {

class MessageReader {
 public:
  // `clock`: the one that all replicas share.
  MessageReader(const Tables& tables, RowStore& rows, const MessageTables& messages, const Clock& clock)
      : tables_(tables), rows_(rows), messages_(messages), clock_(clock) {}

  [[nodiscard]] Result<std::vector<storage::MessagePart>> parts(std::string_view tenant, std::int64_t first_us,
                                                                std::int64_t last_us) const;
  [[nodiscard]] Result<storage::MessageNames> names(std::string_view tenant) const;

 private:
  Status add_parts(std::string_view owner, std::int64_t first_us, std::int64_t last_us,
                   std::vector<storage::MessagePart>& out) const;
  void add_hot(std::string_view tenant, const SlotMessages& slot, std::int64_t first_us, std::int64_t last_us,
               std::vector<storage::MessagePart>& out) const;
  using Marks = std::shared_ptr<const std::vector<EraseMark>>;
  [[nodiscard]] storage::MessagePart hot_part(std::string_view tenant, model::Timestamp slot, const Marks& marks,
                                              std::vector<HotMessages> rows) const;
  // Of one that was sealed while marks came: what is left of it, as rows.
  Status add_block(std::string_view tenant, const SlotMessages& slot, const SealedBlock& block,
                   std::vector<storage::MessagePart>& out) const;

  const Tables& tables_;
  RowStore& rows_;
  const MessageTables& messages_;
  const Clock& clock_;
};

}  // namespace varve::engine::cassandra
