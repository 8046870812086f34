// SPDX-License-Identifier: Apache-2.0
// TextStore: a key-value store for small values, which people and services keep beside their samples. Both engines
// implement it and pass storage/testing/text_contract.h. All methods are thread-safe and may block.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace varve::storage {

// Entries of a service are ordered by service key, then key, both bytewise.
struct TextName {
  std::string tenant;  // by name: texts may exist before the first sample. "": texts of the server itself
  std::string service, service_key, key;
  bool operator==(const TextName&) const = default;
};

struct TextChange {
  TextName name;
  std::optional<std::string> text;  // nullopt: the entry goes
};

inline constexpr std::size_t kTextNameBytesMax = 512;  // of each part
inline constexpr std::size_t kTextBytesMax = std::size_t{1} << 20;

class TextStore {
 public:
  virtual ~TextStore() = default;

  // Stores the value: when it returns, the value is durable and visible to every later call (on other replicas, too).
  // Errors: invalid (check_text_name()), too_large, unavailable, io.
  virtual Status put_text(const TextName& name, std::string_view text) = 0;
  // Succeeds if there is no such entry. Errors: as above.
  virtual Status erase_text(const TextName& name) = 0;

  // put_text() or erase_text() of each, in order; together they cost little more than one. After an error some may have
  // been done: the first ones, or any.
  virtual Status change_texts(std::span<const TextChange> changes) {
    for (const TextChange& change : changes) {
      VARVE_RETURN_IF_ERROR(change.text ? put_text(change.name, *change.text) : erase_text(change.name));
    }
    return {};
  }

  // nullopt: there is no such entry.
  [[nodiscard]] virtual Result<std::optional<std::string>> text(const TextName& name) const = 0;
  // All names of a service, in order.
  [[nodiscard]] virtual Result<std::vector<TextName>> text_names(std::string_view tenant,
                                                                 std::string_view service) const = 0;
  // Keys under one service key that begin with the prefix, in order.
  [[nodiscard]] virtual Result<std::vector<std::string>> text_keys(std::string_view tenant, std::string_view service,
                                                                   std::string_view service_key,
                                                                   std::string_view prefix) const = 0;
};

// For engines. Parts are not empty (except tenant), contain no NUL and are not longer than kTextNameBytesMax.
inline Status check_text_name(const TextName& name) {
  for (const std::string* part : {&name.service, &name.service_key, &name.key}) {
    if (part->empty()) return fail(Code::invalid, "a service, service key or key is empty");
  }
  for (const std::string* part : {&name.tenant, &name.service, &name.service_key, &name.key}) {
    if (part->size() > kTextNameBytesMax) {
      return fail(Code::invalid,
                  "a service, service key or key is longer than " + std::to_string(kTextNameBytesMax) + " bytes");
    }
    if (part->find('\0') != std::string::npos) return fail(Code::invalid, "a service, service key or key has a NUL");
  }
  return {};
}
inline Status check_text(std::string_view text);
inline Status check_text_change(const TextChange& change) {
  VARVE_RETURN_IF_ERROR(check_text_name(change.name));
  return change.text ? check_text(*change.text) : Status();
}
inline Status check_text(std::string_view text) {
  if (text.size() <= kTextBytesMax) return {};
  return fail(Code::too_large, "a text is longer than " + std::to_string(kTextBytesMax) + " bytes");
}

// The sort key of an entry within its service: one string of both keys.
inline std::string text_place(std::string_view service_key, std::string_view key) {
  std::string place(service_key);
  place += '\0';
  return place.append(key);
}

}  // namespace varve::storage
