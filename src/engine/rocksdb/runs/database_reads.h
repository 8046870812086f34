// SPDX-License-Identifier: Apache-2.0
// Reads of RocksDB whose failure cannot be overlooked. An iterator ends where it cannot read on, just as it does at the
// last key, and the next seek forgets why: so nothing but for_each_key() has one. What RocksDB says of an operation
// becomes a Status where it is said, which the compiler does not let anybody ignore. Included by database*.cc only.
#pragma once

#include <rocksdb/db.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "engine/rocksdb/runs/checkpoint.h"
#include "engine/rocksdb/runs/text_counts.h"

namespace varve::engine::rocksdb {

inline ::rocksdb::Slice slice(std::string_view bytes) { return {bytes.data(), bytes.size()}; }

// `doing`: begins the message: "reading the list of runs".
Status outcome(const ::rocksdb::Status& status, std::string_view doing);

// What cannot be read of a record is read from its copy, as it is here everywhere. How often that was necessary since
// the process began.
std::uint64_t copies_read();
// Does each record have its copy? Error: that cannot be known.
Result<bool> has_copies(::rocksdb::DB& db);

// False: there is no such key, and `value` is not to be used.
Result<bool> read_value(::rocksdb::DB& db, std::string_view key, std::string& value, std::string_view doing,
                        const ::rocksdb::Snapshot* snapshot = nullptr);

// Of a database without one, which has no runs yet, it counts none.
Result<StoredCheckpoint> read_checkpoint(::rocksdb::DB& db);

// Counts the texts. nullopt: some cannot be read, which is said. Error: corrupt (there are others than were counted at
// this commit), io.
Result<std::optional<TextCounts>> count_texts(::rocksdb::DB& db, std::uint64_t commit);

// Calls each(key, value) for all keys with this prefix, in ascending order, until one fails. Unless it says so by an
// error, there are no others.
using EachKey = std::function<Status(std::string_view key, std::string_view value)>;
Status for_each_key(::rocksdb::DB& db, std::string_view prefix, std::string_view doing, const EachKey& each);
// Likewise, of the keys behind `after`, which has the prefix.
Status for_each_key_after(::rocksdb::DB& db, std::string_view prefix, std::string after, std::string_view doing,
                          const EachKey& each);

}  // namespace varve::engine::rocksdb
