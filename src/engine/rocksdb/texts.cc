// SPDX-License-Identifier: Apache-2.0
// Texts: straight into a table of the database, since the engine's log knows rows only.
#include "engine/rocksdb/store_state.h"

namespace varve::engine::rocksdb {

using storage::TextChange;
using storage::TextName;

namespace {

std::string database_key(const TextName& name) {
  return text_key(name.tenant, name.service, storage::text_place(name.service_key, name.key));
}

}  // namespace

Status Store::put_text(const TextName& name, std::string_view text) {
  VARVE_RETURN_IF_ERROR(storage::check_text_name(name));
  VARVE_RETURN_IF_ERROR(storage::check_text(text));
  return state_->tables.database().put_text(database_key(name), text);
}

Status Store::erase_text(const TextName& name) {
  VARVE_RETURN_IF_ERROR(storage::check_text_name(name));
  return state_->tables.database().erase_text(database_key(name));
}

// All of them, or none.
Status Store::change_texts(std::span<const TextChange> changes) {
  std::vector<std::pair<std::string, const std::optional<std::string>*>> by_key;
  for (const TextChange& change : changes) {
    VARVE_RETURN_IF_ERROR(storage::check_text_change(change));
    by_key.emplace_back(database_key(change.name), &change.text);
  }
  return state_->tables.database().change_texts(by_key);
}

Result<std::optional<std::string>> Store::text(const TextName& name) const {
  return state_->tables.database().text(database_key(name));
}

Result<std::vector<TextName>> Store::text_names(std::string_view tenant, std::string_view service) const {
  const std::string prefix = text_key(tenant, service, "");
  VARVE_ASSIGN_OR_RETURN(const auto keys, state_->tables.database().text_keys(prefix));
  std::vector<TextName> out;
  for (const std::string& key : keys) {
    const std::string_view place = std::string_view(key).substr(prefix.size());
    const std::size_t end = place.find('\0');
    if (end == std::string_view::npos) return fail(Code::corrupt, "a text has a malformed key");
    out.push_back({std::string(tenant), std::string(service), std::string(place.substr(0, end)),
                   std::string(place.substr(end + 1))});
  }
  return out;
}

Result<std::vector<std::string>> Store::text_keys(std::string_view tenant, std::string_view service,
                                                  std::string_view service_key, std::string_view prefix) const {
  const std::size_t before = text_key(tenant, service, storage::text_place(service_key, "")).size();
  VARVE_ASSIGN_OR_RETURN(auto keys, state_->tables.database().text_keys(
                                        text_key(tenant, service, storage::text_place(service_key, prefix))));
  for (std::string& key : keys) key.erase(0, before);
  return keys;
}

}  // namespace varve::engine::rocksdb
