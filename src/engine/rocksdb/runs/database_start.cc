// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/runs/database_start.h"

#include <fcntl.h>
#include <rocksdb/db.h>
#include <rocksdb/options.h>
#include <stdio.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>

#include "base/log.h"
#include "engine/rocksdb/log/durable_file.h"
#include "engine/rocksdb/runs/checkpoint.h"
#include "engine/rocksdb/runs/database_options.h"
#include "engine/rocksdb/runs/database_reads.h"
#include "engine/rocksdb/runs/database_salvage.h"

namespace varve::engine::rocksdb {
namespace {

namespace fs = std::filesystem;

Status failed(const std::string& doing, const std::error_code& error) {
  return fail(Code::io, doing + ": " + error.message());
}

Status compare_with_log(const Checkpoint& checkpoint, std::optional<std::uint64_t> oldest_segment) {
  if (!oldest_segment || *oldest_segment <= checkpoint.first_segment) return {};
  return fail(Code::corrupt,
              "the database ends where segment " + std::to_string(checkpoint.first_segment) +
                  " of the log follows, and the log begins with segment " + std::to_string(*oldest_segment) +
                  ": the database's list of its files has lost its end, or files of the log are missing");
}

Status count_records(::rocksdb::DB& db, const StoredCheckpoint& stored) {
  RecordCounts found;
  const auto counter = [](std::uint64_t& count) {
    return [&count](std::string_view, std::string_view) -> Status {
      ++count;
      return {};
    };
  };
  VARVE_RETURN_IF_ERROR(for_each_key(db, "r", "reading the list of runs", counter(found.runs)));
  VARVE_RETURN_IF_ERROR(for_each_key(db, "s", "reading the marks of slots", counter(found.marks)));
  VARVE_RETURN_IF_ERROR(check_counts(stored.checkpoint.records, found));
  const auto texts = count_texts(db, stored.commit);
  return texts ? Status{} : fail(texts.error());
}

// What was there before, of which there may be several.
std::string folder_of_damaged(const std::string& path) {
  std::error_code error;
  std::string name = path + ".damaged";
  for (int n = 2; fs::exists(name, error); ++n) name = path + ".damaged-" + std::to_string(n);
  return name;
}

// The tables are never changed, so both folders may have them.
Status link_tables(const std::string& from, const std::string& to) {
  std::error_code error;
  fs::remove_all(to, error);
  if (error) return failed("removing " + to, error);
  VARVE_RETURN_IF_ERROR(make_folder_durably(to));
  for (const auto& file : fs::directory_iterator(from, error)) {
    if (file.path().extension() != ".sst") continue;
    fs::create_hard_link(file.path(), fs::path(to) / file.path().filename(), error);
    if (error) return failed("linking " + file.path().string(), error);
  }
  return error ? failed("listing " + from, error) : Status{};
}

// True: it is whole, and reaches further than the one that was there. False: the tables have nothing more than that
// one.
Result<bool> list_tables_anew(const std::string& in, const std::optional<StoredCheckpoint>& before,
                              std::optional<std::uint64_t> oldest_segment) {
  VARVE_RETURN_IF_ERROR(outcome(::rocksdb::RepairDB(in, database_options(nullptr)), "listing its tables"));
  VARVE_ASSIGN_OR_RETURN(const auto db, open_to_read(in));
  VARVE_ASSIGN_OR_RETURN(const StoredCheckpoint stored, read_checkpoint(*db));
  if (before && before->commit > 0 && before->commit == stored.commit) return false;
  VARVE_RETURN_IF_ERROR(compare_with_log(stored.checkpoint, oldest_segment));
  VARVE_RETURN_IF_ERROR(count_records(*db, stored));
  return true;
}

// Are there tables that RocksDB's repair could not open? It puts them there.
bool leaves_out_tables(const std::string& in) {
  std::error_code error;
  return fs::exists(in + "/lost", error) && !fs::is_empty(in + "/lost", error);
}

void say_what_is_lost(const std::string& in) {
  std::error_code error;
  for (const auto& file : fs::directory_iterator(in + "/lost", error)) {
    if (file.path().extension() != ".sst") continue;
    log::error("a table of the database cannot be read, and what is in it is lost", {{"file", file.path().string()}});
  }
}

// What RocksDB says of the tables that it cannot open, and what else is missing.
std::string what_is_wrong_with(const Salvaged& salvaged) {
  std::string text;
  for (const std::string& table : salvaged.unopened) text += (text.empty() ? "" : "; ") + table;
  if (salvaged.unreadable_bytes > 0) {
    text += (text.empty() ? "" : "; ") + std::to_string(salvaged.unreadable_bytes) + " bytes cannot be read";
  }
  return text;
}

// Of what can be read of all tables, also of those that cannot be opened. Error: it has not all that it should have.
Result<Salvaged> salvage(const std::string& path, const std::string& in, std::optional<std::uint64_t> oldest_segment) {
  std::error_code error;
  fs::remove_all(in, error);
  VARVE_ASSIGN_OR_RETURN(const Salvaged salvaged, salvage_into(path, in));
  const auto lacking = [&](const Error& what) {
    const std::string why = what_is_wrong_with(salvaged);
    return fail(what.code, what.message + (why.empty() ? "" : " (" + why + ")"));
  };
  VARVE_ASSIGN_OR_RETURN(const auto db, open_to_read(in));
  const auto stored = read_checkpoint(*db);
  if (!stored) return lacking(stored.error());
  if (const auto reaches = compare_with_log(stored->checkpoint, oldest_segment); !reaches)
    return lacking(reaches.error());
  if (const auto whole = count_records(*db, *stored); !whole) return lacking(whole.error());
  return salvaged;
}

// Likewise; it takes the place of what RocksDB has made of the tables. Error: that stays.
Result<Salvaged> salvage_instead(const std::string& path, std::optional<std::uint64_t> oldest_segment) {
  const std::string folder = path + ".salvaged";
  std::error_code error;
  auto salvaged = salvage(path, folder, oldest_segment);
  if (!salvaged) {
    fs::remove_all(folder, error);
    return salvaged;
  }
  const std::string repaired = folder_of_repair(path);
  fs::remove_all(repaired, error);
  if (!error) fs::rename(folder, repaired, error);
  if (error) return fail(failed("renaming " + folder, error).error());
  return salvaged;
}

void say_what_was_salvaged(const Salvaged& salvaged, const std::string& kept) {
  for (const std::string& table : salvaged.unopened) {
    log::error("a table of the database cannot be opened: what is in it was read block by block", {{"error", table}});
  }
  if (salvaged.unreadable_bytes > 0) {
    log::error("parts of tables of the database cannot be read", {{"bytes", salvaged.unreadable_bytes}});
  }
  if (salvaged.lost_blocks > 0) {
    log::error("blocks of the database cannot be read and are lost: questions about what was in them fail",
               {{"blocks", salvaged.lost_blocks}, {"kept", kept}});
  }
}

}  // namespace

Result<std::unique_ptr<::rocksdb::DB>> open_to_read(const std::string& path) {
  std::error_code error;
  if (!fs::exists(path + "/CURRENT", error)) {
    return fail(Code::corrupt, "opening the database " + path + ": its file CURRENT is missing");
  }
  ::rocksdb::DB* db = nullptr;
  const auto status = ::rocksdb::DB::OpenForReadOnly(database_options(nullptr), path, &db);
  std::unique_ptr<::rocksdb::DB> opened(db);
  const Status result = outcome(status, "opening the database " + path);
  // A file that it names is missing.
  if (status.IsPathNotFound()) return fail(Code::corrupt, result.error().message);
  VARVE_RETURN_IF_ERROR(result);
  return opened;
}

std::string folder_of_repair(const std::string& path) { return path + ".repaired"; }

// Both names change at once: there is a database at each moment.
Result<std::string> take_place(const std::string& path) {
  const std::string repaired = folder_of_repair(path);
  std::error_code error;
  if (::renameat2(AT_FDCWD, repaired.c_str(), AT_FDCWD, path.c_str(), RENAME_EXCHANGE) != 0) {
    const std::string why = std::strerror(errno);
    fs::remove_all(repaired, error);
    return fail(Code::io, "exchanging " + repaired + " and " + path + ": " + why);
  }
  const std::string damaged = folder_of_damaged(path);
  fs::rename(repaired, damaged, error);
  VARVE_RETURN_IF_ERROR(sync_path(fs::path(path).parent_path().string()));
  return error ? repaired : damaged;
}

Status look_at_database(const std::string& path, std::optional<std::uint64_t> oldest_segment) {
  VARVE_ASSIGN_OR_RETURN(const auto db, open_to_read(path));
  VARVE_ASSIGN_OR_RETURN(const StoredCheckpoint stored, read_checkpoint(*db));
  return compare_with_log(stored.checkpoint, oldest_segment);
}

Status repair_database(const std::string& path, std::optional<std::uint64_t> oldest_segment) {
  std::optional<StoredCheckpoint> before;  // nullopt: it cannot be read
  if (const auto db = open_to_read(path)) {
    if (const auto read = read_checkpoint(**db)) before = *read;
  }
  const std::string repaired = folder_of_repair(path);
  std::error_code error;
  const Status linked = link_tables(path, repaired);
  const Result<bool> listed =
      linked ? list_tables_anew(repaired, before, oldest_segment) : Result<bool>(fail(linked.error()));
  if (listed && !*listed) {
    fs::remove_all(repaired, error);
    log::warn("the database is whole: it is the log that has lost its beginning", {{"path", path}});
    return {};
  }
  std::optional<Salvaged> salvaged;
  if (!listed || leaves_out_tables(repaired)) {
    auto made = salvage_instead(path, oldest_segment);
    if (made) salvaged = std::move(*made);
    // Where there is no room for it, for instance, nothing is given up that could be read another time.
    if (!made && (!listed || made.error().code != Code::corrupt)) {
      fs::remove_all(repaired, error);
      return fail(made.error().code, "the database cannot be repaired: " + made.error().message);
    }
  }
  VARVE_ASSIGN_OR_RETURN(const std::string kept, take_place(path));
  if (salvaged) {
    say_what_was_salvaged(*salvaged, kept);
    log::warn("the database was damaged and is written anew; what was there is kept", {{"path", path}, {"kept", kept}});
    return {};
  }
  say_what_is_lost(path);
  log::warn("the database was damaged and is repaired: its tables are listed anew; what was there is kept",
            {{"path", path}, {"kept", kept}});
  return {};
}

}  // namespace varve::engine::rocksdb
