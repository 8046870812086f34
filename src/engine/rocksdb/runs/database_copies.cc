// SPDX-License-Identifier: Apache-2.0
// Copies of the records that versions wrote which made none.
#include "base/log.h"
#include "engine/rocksdb/runs/database_state.h"

namespace varve::engine::rocksdb {
namespace {

constexpr std::size_t kCopiedBytes = std::size_t{4} << 20;

// A version that makes no copies leaves older ones. Newer ones say that records have been lost.
Status compare_with_copy(std::string_view checkpoint, std::string_view copy) {
  VARVE_ASSIGN_OR_RETURN(const StoredCheckpoint is, decode_checkpoint(checkpoint));
  const auto was = decode_checkpoint(copy);
  if (!was || was->commit <= is.commit) return {};
  return fail(Code::corrupt, "the copies are newer than what they are copies of");
}

}  // namespace

// The checkpoint's is the last one, so without it there are none.
Status Database::State::make_copies() {
  std::string checkpoint;
  {
    const auto db = handle->access();
    if (!db) return fail(DatabaseHandle::closed());
    VARVE_ASSIGN_OR_RETURN(const bool is_there, read_value(*db, kCheckpointKey, checkpoint, "reading the checkpoint"));
    if (!is_there) return {};
    VARVE_ASSIGN_OR_RETURN(const bool has, has_copies(*db));
    if (has) return {};
    std::string copy;
    VARVE_ASSIGN_OR_RETURN(const bool has_some,
                           read_value(*db, copy_key(kCheckpointKey), copy, "reading a checkpoint"));
    if (has_some) VARVE_RETURN_IF_ERROR(compare_with_copy(checkpoint, copy));
  }
  Batch batch(*this);
  batch.erase(copy_key(kCheckpointKey));
  VARVE_RETURN_IF_ERROR(batch.write({"copies.write", "copies.written"}));
  VARVE_RETURN_IF_ERROR(batch.flush());
  const auto erase = [&](std::string_view key, std::string_view) -> Status {
    batch.erase(key);
    return {};
  };
  VARVE_RETURN_IF_ERROR(in_pieces(batch, kCopyPrefix, erase));
  const auto copy = [&](std::string_view key, std::string_view value) -> Status {
    if (key != kCheckpointKey) batch.put(copy_key(key), value);
    return {};
  };
  for (const char& kind : kRecordKinds) VARVE_RETURN_IF_ERROR(in_pieces(batch, {&kind, 1}, copy));
  VARVE_RETURN_IF_ERROR(batch.flush());
  batch.put(copy_key(kCheckpointKey), checkpoint);
  VARVE_RETURN_IF_ERROR(batch.commit_and_flush({"copies.count", "copies.counted"}));
  log::info("what says where data lie in the database is there twice now");
  return {};
}

// Whoever writes must not have access, so it is read piece by piece.
Status Database::State::in_pieces(Batch& batch, std::string_view prefix, const EachKey& each) {
  std::string after;
  for (bool more = true; more;) {
    more = false;
    {
      const auto db = handle->access();
      if (!db) return fail(DatabaseHandle::closed());
      const auto some = [&](std::string_view key, std::string_view value) -> Status {
        if (batch.bytes() >= kCopiedBytes) {
          more = true;
          return fail(Code::limit, "enough for now");
        }
        after = key;
        return each(key, value);
      };
      const Status read = for_each_key_after(*db, prefix, after, "reading what is to be copied", some);
      if (!read && !more) return read;
    }
    if (!batch.empty()) VARVE_RETURN_IF_ERROR(batch.write({"copies.write", "copies.written"}));
  }
  return {};
}

void Database::complete_copies() {
  if (const Status made = state_->make_copies(); !made) {
    log::warn("copies of what says where data lie are made at the next start", {{"error", made.error().message}});
  }
}

}  // namespace varve::engine::rocksdb
