// SPDX-License-Identifier: Apache-2.0
// The write path of the Store: log, then head, under one lock.
#include <chrono>

#include "base/guarded.h"
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

void Store::State::append(std::span<const std::byte> rows, storage::SampleStore::AppendDone done) {
  Status left_out;
  Status status;
  {
    std::unique_lock lock(append_mutex);
    if (!waiting.empty() || !has_room()) {
      const auto until = WaitingAppends::Clock::now() + std::chrono::milliseconds(options.head_wait_ms);
      if (admits && waiting.add(rows, done, until)) return room.notify_all();
      status = fail(no_room());
    } else {
      status = append_now(lock, rows, left_out);
    }
  }
  acknowledge(std::move(status), std::move(left_out), std::move(done));
}

void Store::State::acknowledge(Status status, Status left_out, storage::SampleStore::AppendDone done) {
  if (!status) return done(std::move(status));
  if (left_out) return log->when_durable(std::move(done));
  log->when_durable([done = std::move(done), left_out = std::move(left_out)](Status durable) {
    done(durable ? left_out : std::move(durable));
  });
}

Status Store::State::append_now(std::unique_lock<std::mutex>& lock, std::span<const std::byte> rows, Status& left_out) {
  const std::span<const std::byte> all = rows;
  std::vector<std::byte> kept;
  while (forgotten_groups.any_in(rows)) {
    lock.unlock();
    const Status revived = revive(all);
    lock.lock();
    if (revived) continue;
    const std::size_t samples = forgotten_groups.leave_out(rows, kept);
    if (kept.empty()) return fail(revived.error());
    if (samples > 0) left_out = fail(Code::invalid, all_but(samples, revived.error()));
    rows = kept;
  }
  VARVE_CHECK_OK(write_log(rows));
  head->append(rows);
  if (head_over(1) && frozen == nullptr) {
    static_cast<void>(freeze());
  } else if (logged_definitions.size() > kRecordDefinitionsBytesMax) {
    flusher.wake();
  }
  return {};
}

// Those that wait are taken in where there is room, and refused when they have waited long enough.
void Store::State::admit() {
  std::unique_lock lock(append_mutex);
  while (admits || !waiting.empty()) {
    if (waiting.empty()) {
      room.wait(lock);
      continue;
    }
    const bool may_enter = admits && has_room();
    if (!may_enter && admits && WaitingAppends::Clock::now() < waiting.front().until) {
      room.wait_until(lock, waiting.front().until);
      continue;
    }
    auto next = waiting.take();
    Status left_out;
    Status status = admits ? fail(no_room()) : fail(Code::unavailable, "the store is closed");
    if (may_enter) status = guarded([&] { return append_now(lock, next.rows, left_out); });
    if (lock.owns_lock()) lock.unlock();
    acknowledge(std::move(status), std::move(left_out), std::move(next.done));
    lock.lock();
  }
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

// Where the log cannot be rotated the head is not frozen, so it grows up to the same bound.
bool Store::State::has_room() {
  if (!head_over(2)) return true;
  return frozen == nullptr && freeze();
}

Error Store::State::no_room() const {
  const std::string& why = rotate_error.empty() ? spill_error : rotate_error;
  if (why.empty()) return {Code::unavailable, "overloaded: samples come in faster than they can be stored"};
  return {Code::unavailable, "samples cannot be moved out of memory; try again later: " + why};
}

Status Store::State::freeze() {
  const Status rotated = log->rotate();
  if (!rotated && rotate_error.empty()) log::warn("the log cannot be rotated", {{"error", rotated.error().message}});
  if (rotated && !rotate_error.empty()) log::info("the log is rotated again");
  rotate_error = rotated ? std::string() : rotated.error().message;
  VARVE_CHECK_OK(rotated);
  frozen = std::move(head);
  frozen_checkpoint.first_segment = log->segment();
  frozen_checkpoint.sequence = log->sequence();
  head = std::make_shared<Head>(slabs, chunk_width);
  flusher.wake();
  return {};
}

View Store::State::view() const {
  const std::lock_guard lock(append_mutex);
  return {frozen, head, runs, database->snapshot()};
}

}  // namespace varve::engine::rocksdb
