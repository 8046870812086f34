// SPDX-License-Identifier: Apache-2.0
// A TextStore in memory, for tests of what stands above one.
#pragma once

#include <map>
#include <tuple>

#include "base/mutex.h"
#include "storage/text_store.h"

namespace varve::storage::testing {

class MemoryTexts final : public TextStore {
 public:
  // While set, everything fails (unavailable).
  void away(bool is_away) { away_ = is_away; }

  Status put_text(const TextName& name, std::string_view text) override {
    VARVE_RETURN_IF_ERROR(there());
    VARVE_RETURN_IF_ERROR(check_text_name(name));
    VARVE_RETURN_IF_ERROR(check_text(text));
    const MutexLock lock(mutex_);
    texts_[{name.tenant, name.service, text_place(name.service_key, name.key)}] = {name, std::string(text)};
    return {};
  }
  Status erase_text(const TextName& name) override {
    VARVE_RETURN_IF_ERROR(there());
    VARVE_RETURN_IF_ERROR(check_text_name(name));
    const MutexLock lock(mutex_);
    texts_.erase({name.tenant, name.service, text_place(name.service_key, name.key)});
    return {};
  }
  [[nodiscard]] Result<std::optional<std::string>> text(const TextName& name) const override {
    VARVE_RETURN_IF_ERROR(there());
    const MutexLock lock(mutex_);
    const auto found = texts_.find({name.tenant, name.service, text_place(name.service_key, name.key)});
    if (found == texts_.end()) return std::nullopt;
    return found->second.second;
  }
  [[nodiscard]] Result<std::vector<TextName>> text_names(std::string_view tenant,
                                                         std::string_view service) const override {
    VARVE_RETURN_IF_ERROR(there());
    std::vector<TextName> out;
    const MutexLock lock(mutex_);
    for (const auto& [place, entry] : texts_) {
      if (entry.first.tenant == tenant && entry.first.service == service) out.push_back(entry.first);
    }
    return out;
  }
  [[nodiscard]] Result<std::vector<std::string>> text_keys(std::string_view tenant, std::string_view service,
                                                           std::string_view service_key,
                                                           std::string_view prefix) const override {
    VARVE_ASSIGN_OR_RETURN(const auto names, text_names(tenant, service));
    std::vector<std::string> out;
    for (const TextName& name : names) {
      if (name.service_key == service_key && name.key.starts_with(prefix)) out.push_back(name.key);
    }
    return out;
  }

 private:
  [[nodiscard]] Status there() const {
    if (away_) return fail(Code::unavailable, "the store is away");
    return {};
  }
  bool away_ = false;
  mutable Mutex mutex_;
  std::map<std::tuple<std::string, std::string, std::string>, std::pair<TextName, std::string>> texts_
      VARVE_GUARDED_BY(mutex_);
};

}  // namespace varve::storage::testing
