// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/runs/database_rewrite.h"

#include <rocksdb/db.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <vector>

#include "base/log.h"
#include "engine/rocksdb/runs/database_reads.h"
#include "engine/rocksdb/runs/database_start.h"
#include "engine/rocksdb/runs/database_writer.h"
#include "engine/rocksdb/runs/keys.h"
#include "engine/rocksdb/runs/run.h"

namespace varve::engine::rocksdb {
namespace {

namespace fs = std::filesystem;

constexpr char kGarbageKind = 'g';  // blocks that no run names are not written

Status rewrite_records(::rocksdb::DB& from, DatabaseWriter& to, std::vector<Run>& runs) {
  for (const char& kind : kRecordKinds) {
    if (kind == kGarbageKind) continue;
    const auto copy = [&](std::string_view key, std::string_view value) -> Status {
      if (kind == 'r') {
        VARVE_ASSIGN_OR_RETURN(auto run, decode_run(key, value));
        runs.push_back(std::move(run));
      }
      VARVE_RETURN_IF_ERROR(to.put(key, value));
      return to.put(copy_key(key), value);
    };
    VARVE_RETURN_IF_ERROR(for_each_key(from, {&kind, 1}, "reading what is written anew", copy));
  }
  return {};
}

// Returns how many cannot be read.
Result<std::uint64_t> rewrite_blocks(::rocksdb::DB& from, DatabaseWriter& to, const std::vector<Run>& runs) {
  std::uint64_t lost = 0;
  std::string value;
  for (const Run& run : runs) {
    for (const std::uint32_t group : run.first_groups) {
      const std::string key = run.block_key(group);
      const auto is_there = read_value(from, key, value, "reading a block");
      if (is_there && *is_there) {
        VARVE_RETURN_IF_ERROR(to.put(key, value));
      } else {
        ++lost;
      }
    }
  }
  return lost;
}

// Is there anything that cannot be read? Not if only that says so which cannot be helped here.
Status read_all(::rocksdb::DB& db) {
  const std::uint64_t before = copies_read();
  for (const char& kind : kRecordKinds) {
    const auto nothing = [](std::string_view, std::string_view) { return Status{}; };
    VARVE_RETURN_IF_ERROR(for_each_key(db, {&kind, 1}, "reading the database", nothing));
  }
  if (copies_read() > before) return fail(Code::corrupt, "records are read from their copies");
  const auto sound = db.VerifyChecksum();
  return sound.IsCorruption() || sound.IsIOError() ? outcome(sound, "reading the database") : Status{};
}

Result<std::uint64_t> rewrite_into(::rocksdb::DB& from, const std::string& folder) {
  VARVE_ASSIGN_OR_RETURN(const auto db, make_database(folder));
  DatabaseWriter to(*db);
  std::vector<Run> runs;
  VARVE_RETURN_IF_ERROR(rewrite_records(from, to, runs));
  std::ranges::sort(runs, {}, [](const Run& run) { return run.block_prefix(); });
  VARVE_ASSIGN_OR_RETURN(const std::uint64_t lost, rewrite_blocks(from, to, runs));
  VARVE_RETURN_IF_ERROR(to.finish());
  return lost;
}

}  // namespace

Status rewrite_if_damaged(const std::string& path) {
  std::error_code ignored;
  const std::string folder = folder_of_repair(path);
  std::uint64_t lost = 0;
  {
    VARVE_ASSIGN_OR_RETURN(const auto db, open_to_read(path));
    const Status whole = read_all(*db);
    if (whole) return {};
    log::warn("the database is damaged, and is written anew: that takes as much room as it has",
              {{"path", path}, {"error", whole.error().message}});
    fs::remove_all(folder, ignored);
    const auto rewritten = rewrite_into(*db, folder);
    if (!rewritten) {
      fs::remove_all(folder, ignored);
      return fail(rewritten.error().code, "the database cannot be written anew: " + rewritten.error().message);
    }
    lost = *rewritten;
  }
  VARVE_ASSIGN_OR_RETURN(const std::string kept, take_place(path));
  if (lost > 0) {
    log::error("blocks of the database cannot be read and are lost: questions about what was in them fail",
               {{"blocks", lost}, {"kept", kept}});
  }
  log::warn("the database was damaged and is written anew; what was there is kept", {{"path", path}, {"kept", kept}});
  return {};
}

}  // namespace varve::engine::rocksdb
