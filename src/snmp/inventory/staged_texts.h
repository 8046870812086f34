// SPDX-License-Identifier: Apache-2.0
// StagedTexts: a store of texts whose changes are seen here only until they are committed, all together. One thread.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "storage/text_store.h"

namespace varve::snmp::inventory {

class StagedTexts {
 public:
  explicit StagedTexts(storage::TextStore& below) : below_(below) {}

  void put_text(const storage::TextName& name, std::string text) {
    staged_.insert_or_assign(key_of(name), storage::TextChange{name, std::move(text)});
  }
  [[nodiscard]] Result<std::optional<std::string>> text(const storage::TextName& name) const {
    const auto staged = staged_.find(key_of(name));
    if (staged != staged_.end()) return staged->second.text;
    return below_.text(name);
  }
  Status commit() {
    std::vector<storage::TextChange> changes;
    for (auto& [key, change] : staged_) changes.push_back(std::move(change));
    staged_.clear();
    return changes.empty() ? Status() : below_.change_texts(changes);
  }

 private:
  using Key = std::tuple<std::string, std::string, std::string>;
  static Key key_of(const storage::TextName& name) { return {name.service, name.service_key, name.key}; }

  storage::TextStore& below_;
  std::map<Key, storage::TextChange> staged_;
};

}  // namespace varve::snmp::inventory
