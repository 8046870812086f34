// SPDX-License-Identifier: Apache-2.0
// The write path of the Store: log, then head, under one lock.
#include <chrono>

#include "base/log.h"
#include "engine/rocksdb/store_state.h"

namespace varve::engine::rocksdb {
namespace {

constexpr std::size_t kDefinitionsBytesMax = std::size_t{4} << 20;

std::string all_but(std::size_t samples, const Error& why) {
  return std::to_string(samples) + (samples == 1 ? " sample is" : " samples are") +
         " refused, the others are kept: " + why.message;
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
  } else if (logged_definitions.size() > kDefinitionsBytesMax) {
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
  if (auto status = log->append(std::as_bytes(std::span(definitions)), rows); !status) {
    // Later definitions refer to these by number: they stay in front.
    const std::lock_guard pending(definitions_mutex);
    pending_definitions.insert(0, definitions);
    return status;
  }
  logged_definitions += definitions;
  return {};
}

bool Store::State::head_over(std::size_t times) const {
  return log->segment_bytes() > options.log_bytes_max * times || head->memory_bytes() > options.head_bytes_max * times;
}

Status Store::State::wait_for_room(std::unique_lock<std::mutex>& lock) {
  if (frozen == nullptr || !head_over(2)) return {};
  const auto has_room = [this] { return frozen == nullptr || !head_over(2); };
  if (!room.wait_for(lock, std::chrono::milliseconds(options.head_wait_ms), has_room)) {
    return fail(Code::unavailable, spill_failing ? "disk full: samples cannot be moved out of memory; try again later"
                                                 : "overloaded: samples come in faster than they can be stored");
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
