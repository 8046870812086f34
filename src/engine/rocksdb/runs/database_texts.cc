// SPDX-License-Identifier: Apache-2.0
// The texts of the key-value store. Each write of one, and each commit, says how many there are then.
#include "engine/rocksdb/runs/database_state.h"

namespace varve::engine::rocksdb {

Status Database::State::know_texts() {
  VARVE_RETURN_IF_ERROR(mend());
  const auto db = handle->access();
  if (!db) return fail(DatabaseHandle::closed());
  if (texts_epoch == db.epoch()) return {};
  texts_epoch = 0;
  VARVE_ASSIGN_OR_RETURN(const StoredCheckpoint stored, read_checkpoint(*db));
  VARVE_ASSIGN_OR_RETURN(texts, count_texts(*db, stored.commit));
  texts_commit = stored.commit;
  texts_epoch = db.epoch();
  return {};
}

void Database::State::put_counts(Batch& batch, const std::optional<TextCounts>& counts, std::uint64_t commit) {
  counts ? batch.put(kTextCountsKey, encode_text_counts(*counts, commit)) : batch.erase(kTextCountsKey);
}

// How many there are when this one is written.
Result<std::optional<TextCounts>> Database::State::counts_with(const std::string& key,
                                                               std::optional<std::string_view> text,
                                                               std::uint64_t epoch) const {
  if (!texts || !key.starts_with(kTextPrefix)) return texts;  // some times are written like texts
  const auto db = handle->access();
  VARVE_RETURN_IF_ERROR(check_epoch(db, epoch));
  TextCounts counts = *texts;
  std::string before;
  const auto was_there = read_value(*db, key, before, "reading a text");
  if (!was_there && was_there.error().code == Code::corrupt) return std::nullopt;
  if (!was_there) return fail(was_there.error());
  if (*was_there) counts.remove(key, before);
  if (text) counts.add(key, *text);
  return counts;
}

Status Database::State::write_text(const std::string& key, std::optional<std::string_view> text) {
  VARVE_RETURN_IF_ERROR(step("text.write"));
  Batch batch(*this);
  {
    const MutexLock lock(texts_mutex);
    VARVE_RETURN_IF_ERROR(know_texts());
    VARVE_RETURN_IF_ERROR(batch.belong_to(texts_epoch));
    VARVE_ASSIGN_OR_RETURN(const auto counts, counts_with(key, text, batch.epoch()));
    text ? batch.put(key, *text) : batch.erase(key);
    put_counts(batch, counts, texts_commit);
    VARVE_RETURN_IF_ERROR(batch.write({}));
    texts = counts;
  }
  VARVE_RETURN_IF_ERROR(step("text.written"));
  return batch.flush();
}

Status Database::put_text(const std::string& key, std::string_view text) { return state_->write_text(key, text); }

Status Database::erase_text(const std::string& key) { return state_->write_text(key, std::nullopt); }

Result<std::optional<std::string>> Database::text(const std::string& key) const {
  const auto db = state_->handle->access();
  if (!db) return fail(DatabaseHandle::closed());
  std::string text;
  VARVE_ASSIGN_OR_RETURN(const bool is_there, read_value(*db, key, text, "reading a text"));
  return is_there ? std::optional(std::move(text)) : std::nullopt;
}

Result<std::vector<std::string>> Database::text_keys(const std::string& prefix) const {
  const auto db = state_->handle->access();
  if (!db) return fail(DatabaseHandle::closed());
  std::vector<std::string> keys;
  const auto add = [&](std::string_view key, std::string_view) -> Status {
    keys.emplace_back(key);
    return {};
  };
  VARVE_RETURN_IF_ERROR(for_each_key(*db, prefix, "reading the names of texts", add));
  return keys;
}

}  // namespace varve::engine::rocksdb
