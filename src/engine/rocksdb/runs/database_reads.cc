// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/runs/database_reads.h"

#include <rocksdb/options.h>

#include <atomic>
#include <memory>

#include "base/check.h"
#include "base/log.h"
#include "engine/rocksdb/runs/keys.h"

namespace varve::engine::rocksdb {
namespace {

constexpr std::uint64_t kCopiesSaid = 20;  // what cannot be read may be asked for again and again

std::atomic<std::uint64_t> reads_of_copies = 0;

void note_copy(const Error& why) {
  if (++reads_of_copies > kCopiesSaid) return;
  log::error("the database is damaged, its second copy is read: make a backup, and look at the disk",
             {{"error", why.message}});
}

Result<bool> read_exactly(::rocksdb::DB& db, std::string_view key, std::string& value, std::string_view doing,
                          const ::rocksdb::Snapshot* snapshot) {
  ::rocksdb::ReadOptions options;
  options.snapshot = snapshot;
  const auto status = db.Get(options, slice(key), &value);
  if (status.IsNotFound()) return false;
  VARVE_RETURN_IF_ERROR(outcome(status, doing));
  return true;
}

bool may_read_copies(::rocksdb::DB& db) {
  const auto has = has_copies(db);
  return has && *has;
}

// The first key behind all with the prefix, which is not empty and does not end in 0xff.
std::string end_of(std::string prefix) {
  check(!prefix.empty() && prefix.back() != '\xff', "a prefix with keys behind it");
  ++prefix.back();
  return prefix;
}

// Of the keys of records, or of their copies; `after` becomes the last one that was passed on, without `place`. What
// `each` refuses with is in `refused`.
Status walk(::rocksdb::DB& db, std::string_view place, std::string_view prefix, std::string& after,
            std::string_view doing, const EachKey& each, Status& refused) {
  ::rocksdb::ReadOptions options;
  options.fill_cache = false;
  const std::string all = std::string(place).append(prefix);
  const std::string from = std::string(place).append(after.empty() ? prefix : after);
  // What lies behind them is not touched: a damaged block there does not make these unreadable.
  const std::string end = end_of(all);
  const ::rocksdb::Slice upper = slice(end);
  options.iterate_upper_bound = &upper;
  const std::unique_ptr<::rocksdb::Iterator> at(db.NewIterator(options));
  for (at->Seek(slice(from)); at->Valid() && at->key().starts_with(slice(all)); at->Next()) {
    const std::string_view key = at->key().ToStringView().substr(place.size());
    if (key == after) continue;
    refused = each(key, at->value().ToStringView());
    if (!refused) return {};
    after = key;
  }
  return outcome(at->status(), doing);
}

}  // namespace

Status outcome(const ::rocksdb::Status& status, std::string_view doing) {
  if (status.ok()) return {};
  Code code = Code::io;
  if (status.IsCorruption()) code = Code::corrupt;
  const std::string said = status.ToString();
  // No file can be opened for now: whoever asks again may have an answer.
  const bool is_over_soon = status.IsNoSpace() || (status.IsIOError() && said.ends_with("Too many open files"));
  if (is_over_soon) code = Code::unavailable;
  return fail(code, std::string(doing) + ": " + said);
}

std::uint64_t copies_read() { return reads_of_copies; }

// The copy of the checkpoint is written with it, and when all copies are made it is the last one. Versions that make
// none have newer checkpoints.
Result<bool> has_copies(::rocksdb::DB& db) {
  std::string copy;
  VARVE_ASSIGN_OR_RETURN(const bool has_copy, read_exactly(db, copy_key(kCheckpointKey), copy,
                                                           "reading the copy of the checkpoint", nullptr));
  if (!has_copy) return false;
  std::string checkpoint;
  const auto is_there = read_exactly(db, kCheckpointKey, checkpoint, "reading the checkpoint", nullptr);
  return !is_there || (*is_there && checkpoint == copy);
}

Result<bool> read_value(::rocksdb::DB& db, std::string_view key, std::string& value, std::string_view doing,
                        const ::rocksdb::Snapshot* snapshot) {
  auto is_there = read_exactly(db, key, value, doing, snapshot);
  if (is_there || !is_of_record(key) || !may_read_copies(db)) return is_there;
  auto copy_is_there = read_exactly(db, copy_key(key), value, doing, snapshot);
  if (!copy_is_there) return is_there;
  note_copy(is_there.error());
  return copy_is_there;
}

Result<StoredCheckpoint> read_checkpoint(::rocksdb::DB& db) {
  std::string record;
  VARVE_ASSIGN_OR_RETURN(const bool is_there, read_value(db, kCheckpointKey, record, "reading the checkpoint"));
  if (is_there) return decode_checkpoint(record);
  StoredCheckpoint none;
  none.checkpoint.records = RecordCounts{};
  return none;
}

Result<std::optional<TextCounts>> count_texts(::rocksdb::DB& db, std::uint64_t commit) {
  TextCounts found;
  const auto add = [&](std::string_view key, std::string_view text) -> Status {
    found.add(key, text);
    return {};
  };
  if (const auto read = for_each_key(db, kTextPrefix, "reading the texts of the key-value store", add); !read) {
    if (read.error().code != Code::corrupt) return fail(read.error());
    log::error("some texts of the key-value store cannot be read, all else goes on", {{"error", read.error().message}});
    return std::nullopt;
  }
  std::string record;
  VARVE_ASSIGN_OR_RETURN(const bool are_counted, read_value(db, kTextCountsKey, record, "reading the number of texts"));
  if (are_counted) VARVE_RETURN_IF_ERROR(check_text_counts(record, commit, found));
  return found;
}

Status for_each_key(::rocksdb::DB& db, std::string_view prefix, std::string_view doing, const EachKey& each) {
  return for_each_key_after(db, prefix, {}, doing, each);
}

// Where the records cannot be read the copies go on, and the other way round. They have the same keys.
Status for_each_key_after(::rocksdb::DB& db, std::string_view prefix, std::string after, std::string_view doing,
                          const EachKey& each) {
  bool in_copies = false;
  std::string failed_after;
  for (bool is_first = true;; is_first = false) {
    Status refused;
    const Status read = walk(db, in_copies ? kCopyPrefix : std::string_view(), prefix, after, doing, each, refused);
    VARVE_RETURN_IF_ERROR(refused);
    if (read) return {};
    if (!is_of_record(prefix) || (!is_first && failed_after == after) || !may_read_copies(db)) return read;
    failed_after = after;
    in_copies = !in_copies;
    note_copy(read.error());
  }
}

}  // namespace varve::engine::rocksdb
