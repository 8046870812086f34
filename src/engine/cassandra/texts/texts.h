// SPDX-License-Identifier: Apache-2.0
// Texts: the store of texts, in one table. A row's name is its service key, NUL, its key (docs/formats/cluster.md).
#pragma once

#include "base/clock.h"
#include "engine/cassandra/series/stamps.h"
#include "engine/cassandra/tables/row_store.h"
#include "storage/passing_texts.h"
#include "storage/text_store.h"

namespace varve::engine::cassandra {

class Texts final : public storage::TextStore, public storage::PassingTexts {
 public:
  // `clock`: the one that all replicas share; of two writes the later one by it counts.
  Texts(const Tables& tables, RowStore& rows, const Clock& clock) : table_(tables.texts), rows_(rows), clock_(clock) {}

  Status put_text(const storage::TextName& name, std::string_view text) override;
  Status erase_text(const storage::TextName& name) override;
  Status change_texts(std::span<const storage::TextChange> changes) override;
  [[nodiscard]] Result<std::optional<std::string>> text(const storage::TextName& name) const override;
  [[nodiscard]] Result<std::vector<storage::TextName>> text_names(std::string_view tenant,
                                                                  std::string_view service) const override;
  [[nodiscard]] Result<std::vector<std::string>> text_keys(std::string_view tenant, std::string_view service,
                                                           std::string_view service_key,
                                                           std::string_view prefix) const override;

  Status put_passing_text(const storage::TextName& name, std::string_view text, std::chrono::seconds life) override;
  [[nodiscard]] Result<std::optional<std::string>> passing_text(const storage::TextName& name) const override {
    return this->text(name);
  }

 private:
  Status put(const storage::TextName& name, std::string_view text, std::uint32_t ttl_s);
  [[nodiscard]] Status read(const RowRead& what, const std::function<Status(const RowView&)>& each) const;

  const Table& table_;
  RowStore& rows_;
  const Clock& clock_;
  Stamps stamps_;
};

}  // namespace varve::engine::cassandra
