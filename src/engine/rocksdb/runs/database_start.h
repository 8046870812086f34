// SPDX-License-Identifier: Apache-2.0
// What is done before RocksDB opens a database to write to it. Then it deletes every table that its list of files, the
// MANIFEST, does not name: of a database whose MANIFEST has lost its end nothing would be left to be mended. So the
// database is first looked at without changing it, and compared with the log. Included by database*.cc only.
#pragma once

#include <rocksdb/db.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"

namespace varve::engine::rocksdb {

// Can it be opened, and does it reach to where the log begins? `oldest_segment`: of the log; nullopt: it has none, and
// nothing is compared. Error: corrupt, or io where it may be well another time. Changes nothing.
Status look_at_database(const std::string& path, std::optional<std::uint64_t> oldest_segment);

// Lists the tables of a damaged database anew, in a folder of its own that takes the place of `path` if it has all that
// it should have. What was there is kept beside it. Where the tables have no more than it had, it stays: then the log
// has lost its beginning. Error: nothing has changed.
Status repair_database(const std::string& path, std::optional<std::uint64_t> oldest_segment);

// A folder beside `path`, for a database that is to take its place.
std::string folder_of_repair(const std::string& path);
// That database takes the place of the one at `path`, which is kept beside it. Returns where. Error: nothing has
// changed, and the new one is gone.
Result<std::string> take_place(const std::string& path);
// To look at it.
Result<std::unique_ptr<::rocksdb::DB>> open_to_read(const std::string& path);

}  // namespace varve::engine::rocksdb
