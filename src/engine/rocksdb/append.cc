// SPDX-License-Identifier: Apache-2.0
// The write path of the Store: log, then head, under one lock.
#include <chrono>

#include "base/log.h"
#include "engine/rocksdb/store_state.h"
#include "index/definitions.h"

namespace varve::engine::rocksdb {
namespace {

constexpr std::size_t kRecordDefinitionsBytesMax = std::size_t{4} << 20;

std::string all_but(std::size_t samples, const Error& why) {
  return std::to_string(samples) + (samples == 1 ? " sample is" : " samples are") +
         " refused, the others are kept: " + why.message;
}

// Bytes of as many definitions as take no more than `most`; of one at least.
std::size_t whole_records(std::string_view definitions, std::size_t most) {
  index::DefinitionReader reader(std::as_bytes(std::span(definitions)));
  index::Definition definition;
  std::size_t whole = 0;
  while (!reader.done() && reader.next(definition)) {
    if (whole > 0 && reader.offset() > most) break;
    whole = reader.offset();
  }
  return whole > 0 ? whole : definitions.size();
}

}  // namespace

Status Store::State::append(const model::RowBatch& batch, Status& left_out) {
  std::unique_lock lock(append_mutex);
  VARVE_CHECK_OK(wait_for_room(lock));
  std::span<const std::byte> rows = batch.bytes();
  std::vector<std::byte> kept;
  while (forgotten_groups.any_in(rows)) {
    lock.unlock();
    const Status revived = revive(batch);
    lock.lock();
    VARVE_CHECK_OK(wait_for_room(lock));
    if (revived) continue;
    const std::size_t samples = forgotten_groups.leave_out(rows, kept);
    if (kept.empty()) return fail(revived.error());
    if (samples > 0) left_out = fail(Code::invalid, all_but(samples, revived.error()));
    rows = kept;
  }
  VARVE_CHECK_OK(write_log(rows));
  head->append(rows);
  if (head_over(1) && frozen == nullptr) {
    if (auto status = freeze(); !status)
      log::warn("the log cannot be rotated yet", {{"error", status.error().message}});
  } else if (logged_definitions.size() > kRecordDefinitionsBytesMax) {
    notify_maintenance();
  }
  return {};
}

Status Store::State::write_log(std::span<const std::byte> rows) {
  std::string definitions;
  {
    const std::lock_guard pending(definitions_mutex);
    definitions.swap(pending_definitions);
  }
  std::string_view rest(definitions);
  Status status;
  // What has piled up while the log could not be written goes in pieces: a record has its limit.
  while (status && rest.size() > kRecordDefinitionsBytesMax) {
    const std::string_view piece = rest.substr(0, whole_records(rest, kRecordDefinitionsBytesMax));
    status = log->append(std::as_bytes(std::span(piece)), {});
    if (!status) break;
    logged_definitions += piece;
    rest.remove_prefix(piece.size());
  }
  if (status) status = log->append(std::as_bytes(std::span(rest)), rows);
  if (!status) {
    // Later definitions refer to these by number: they stay in front.
    const std::lock_guard pending(definitions_mutex);
    definitions.erase(0, definitions.size() - rest.size());
    definitions += pending_definitions;
    pending_definitions.swap(definitions);
    return status;
  }
  logged_definitions += rest;
  return {};
}

bool Store::State::head_over(std::size_t times) const {
  return log->segment_bytes() > options.log_bytes_max * times || head->memory_bytes() > options.head_bytes_max * times;
}

Status Store::State::wait_for_room(std::unique_lock<std::mutex>& lock) {
  if (frozen == nullptr || !head_over(2)) return {};
  const auto has_room = [this] { return frozen == nullptr || !head_over(2); };
  if (!room.wait_for(lock, std::chrono::milliseconds(options.head_wait_ms), has_room)) {
    return fail(Code::unavailable, spill_error.empty()
                                       ? "overloaded: samples come in faster than they can be stored"
                                       : "samples cannot be moved out of memory; try again later: " + spill_error);
  }
  return {};
}

Status Store::State::freeze() {
  VARVE_CHECK_OK(log->rotate());
  frozen = std::move(head);
  frozen_checkpoint.first_segment = log->segment();
  frozen_checkpoint.sequence = log->sequence();
  head = std::make_shared<Head>(slabs, chunk_width);
  notify_maintenance();
  return {};
}

View Store::State::view() const {
  const std::lock_guard lock(append_mutex);
  return {frozen, head, runs, database->snapshot()};
}

void Store::State::notify_maintenance() {
  {
    const std::lock_guard lock(wake_mutex);
    has_work = true;
  }
  wake.notify_one();
}

}  // namespace varve::engine::rocksdb
