// SPDX-License-Identifier: Apache-2.0
// Times that maintenance keeps in the database from one start to the next.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/bytes.h"
#include "engine/rocksdb/runs/database.h"

namespace varve::engine::rocksdb {

// docs/formats/keys.md
inline constexpr const char* kReclaimedKey = "e";     // up to when slots were checked for expired samples
inline constexpr const char* kReclaimedForKey = "f";  // RetentionClasses::fingerprint() of these checks
inline constexpr const char* kExpiryTimeKey = "k";    // shared::ExpiryClock::stored_ms()

// Errors: corrupt, io.
inline Result<std::optional<std::int64_t>> stored_time(const Database& database, const char* key) {
  VARVE_ASSIGN_OR_RETURN(const auto stored, database.text(key));
  if (!stored) return std::nullopt;
  if (stored->size() != sizeof(std::int64_t)) {
    return fail(Code::corrupt, std::string("what stands under the key ") + key + " of the database is not a time");
  }
  return static_cast<std::int64_t>(load_be64(stored->data()));
}

inline Status store_time_in(Database& database, const char* key, std::int64_t time_ms) {
  std::string stored(sizeof(std::int64_t), '\0');
  store_be64(stored.data(), static_cast<std::uint64_t>(time_ms));
  return database.put_text(key, stored);
}

}  // namespace varve::engine::rocksdb
