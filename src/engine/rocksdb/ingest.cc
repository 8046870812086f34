// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/ingest.h"

#include <algorithm>
#include <chrono>

#include "base/guarded.h"
#include "base/log.h"
#include "index/definitions.h"

namespace varve::engine::rocksdb {
namespace {

constexpr std::size_t kHeadTimes = 2;  // its size, while the one before is flushed
constexpr std::size_t kRecordDefinitionsBytesMax = std::size_t{4} << 20;

std::string all_but(std::size_t samples, const Error& why) {
  return std::to_string(samples) + (samples == 1 ? " sample is" : " samples are") +
         " refused, the others are kept: " + why.message;
}

}  // namespace

void Ingest::recovered(std::unique_ptr<Log> log, std::shared_ptr<Head> head, std::string definitions) {
  const MutexLock lock(mutex_);
  check(log != nullptr && head != nullptr, "a start makes a log and a head");
  check(log_ == nullptr, "a store is recovered once");
  log_ = std::move(log);
  head_ = std::move(head);
  logged_definitions_ = std::move(definitions);
  note_size();
}

void Ingest::start() {
  check(!admitter_.joinable(), "a store starts once");
  admitter_ = std::thread([this] { admit_waiting(); });
}

void Ingest::refuse() {
  {
    const MutexLock lock(mutex_);
    admits_ = false;
  }
  room_.notify_all();
}

void Ingest::stop() {
  refuse();
  if (admitter_.joinable()) admitter_.join();
  if (log_) log_->stop();
}

void Ingest::append(std::span<const std::byte> rows, storage::SampleStore::AppendDone done) {
  Entering batch{rows};
  Status status;
  bool written = false;
  while (status && !written) {
    {
      const MutexLock lock(mutex_);
      if (!waiting_.empty() || !has_room()) {
        const auto until = WaitingAppends::Clock::now() + std::chrono::milliseconds(env_.options.head_wait_ms);
        if (admits_ && waiting_.add(rows, done, until)) {
          note_size();
          return room_.notify_all();
        }
        status = fail(no_room());
      } else if (!catalog_.keeps_out(batch.rows)) {
        status = write(batch.rows);
        written = true;
        if (status && answers_later(batch, done)) return room_.notify_all();
      }
    }
    if (status && !written) status = revive(batch);
  }
  acknowledge(std::move(status), std::move(batch.left_out), std::move(done));
}

// Under no lock: whoever searches the index holds it for a while. Error: nothing is left of the batch. Of markers that
// are left out no sender hears: they said nothing.
Status Ingest::revive(Entering& batch) {
  const Status revived = catalog_.revive(batch.all);
  batch.left_out = {};
  batch.kept.clear();
  if (revived) {
    catalog_.leave_out_markers(batch.all, batch.kept);
    batch.rows = batch.kept;
    return {};
  }
  const std::size_t samples = catalog_.leave_out(batch.all, batch.kept);
  if (batch.kept.empty()) return fail(revived.error());
  if (samples > 0) batch.left_out = fail(Code::invalid, all_but(samples, revived.error()));
  batch.rows = batch.kept;
  return {};
}

void Ingest::acknowledge(Status status, Status left_out, storage::SampleStore::AppendDone done) {
  if (!status) return done(std::move(status));
  if (left_out) return log_->when_durable(std::move(done));
  log_->when_durable([done = std::move(done), left_out = std::move(left_out)](Status durable) {
    done(durable ? left_out : std::move(durable));
  });
}

Status Ingest::enter(Entering& batch) {
  while (true) {
    {
      const MutexLock lock(mutex_);
      if (!catalog_.keeps_out(batch.rows)) return write(batch.rows);
    }
    VARVE_RETURN_IF_ERROR(revive(batch));
  }
}

Status Ingest::write(std::span<const std::byte> rows) {
  if (rows.empty()) return {};  // all were left out
  VARVE_RETURN_IF_ERROR(write_log(rows));
  head_->append(rows, log_->sequence());
  if (head_over(1) && !visible_.has_immutable()) {
    static_cast<void>(rotate_head());
  } else if (logged_definitions_.size() > kRecordDefinitionsBytesMax) {
    wake_flush_();
  }
  note_size();
  return {};
}

Result<bool> Ingest::take_in(std::span<const std::byte> rows) {
  const MutexLock lock(mutex_);
  VARVE_RETURN_IF_ERROR(write_log(rows));
  head_->append(rows, log_->sequence());
  return head_over(1);
}

Status Ingest::log_definitions() {
  const MutexLock lock(mutex_);
  return write_log({});
}

void Ingest::between_appends(const std::function<void()>& work) {
  const MutexLock lock(mutex_);
  work();
}

Status Ingest::write_log(std::span<const std::byte> rows) {
  const std::string definitions = catalog_.take_definitions();
  std::string_view rest(definitions);
  const std::uint64_t before = log_->sequence();
  Status status;
  // What has piled up while the log could not be written goes in pieces: a record has its limit.
  while (status && rest.size() > kRecordDefinitionsBytesMax) {
    const std::string_view piece = rest.substr(0, index::whole_records(rest, kRecordDefinitionsBytesMax));
    status = log_->append(std::as_bytes(std::span(piece)), {});
    if (!status) break;
    logged_definitions_ += piece;
    rest.remove_prefix(piece.size());
  }
  if (status) status = log_->append(std::as_bytes(std::span(rest)), rows);
  if (!status) {
    catalog_.put_back_definitions(rest);
    return status;
  }
  check(log_->sequence() > before, "what is written has a number of its own");
  logged_definitions_ += rest;
  return {};
}

double Ingest::head_times() const {
  const auto of = [](std::uint64_t bytes, std::size_t most) {
    return static_cast<double>(bytes) / static_cast<double>(most);
  };
  return std::max({of(log_->segment_bytes(), env_.options.log_bytes_max),
                   of(head_->memory_bytes(), env_.options.head_bytes_max),
                   of(head_->messages.memory_bytes(), env_.options.head_messages_bytes_max)});
}

// Growth up to where writes wait is usual: a flush takes its time, and who sends as fast as he can comes that far. What
// more there is in front of refusals is the room of those that wait.
void Ingest::note_size() {
  const double grown = std::min(1.0, head_times() / static_cast<double>(kHeadTimes));
  const double waiting = std::min(1.0, static_cast<double>(waiting_.bytes()) / static_cast<double>(kWaitingBytesMax));
  percent_.store(kWaitingFromPercent * grown + (100 - kWaitingFromPercent) * waiting, std::memory_order_relaxed);
}

// Where the log cannot be rotated the head stays, so it grows up to the same bound.
bool Ingest::has_room() {
  if (!head_over(kHeadTimes)) return true;
  return !visible_.has_immutable() && rotate_head();
}

Error Ingest::no_room() const {
  const std::string& why = rotate_error_.empty() ? flush_error_ : rotate_error_;
  if (why.empty()) return {Code::unavailable, "overloaded: samples come in faster than they can be stored"};
  return {Code::unavailable, "samples cannot be moved out of memory; try again later: " + why};
}

Status Ingest::rotate(When when) {
  const MutexLock lock(mutex_);
  if (visible_.has_immutable()) return {};
  if (when == When::full && !head_over(1)) return {};
  if (when == When::filled && head_->empty()) return {};
  return rotate_head();
}

Status Ingest::rotate_head() {
  const std::uint64_t segment = log_->segment();
  const Status rotated = log_->rotate();
  if (!rotated && rotate_error_.empty()) log::warn("the log cannot be rotated", {{"error", rotated.error().message}});
  if (rotated && !rotate_error_.empty()) log::info("the log is rotated again");
  rotate_error_ = rotated ? std::string() : rotated.error().message;
  VARVE_RETURN_IF_ERROR(rotated);
  check(log_->segment() > segment, "segments of the log ascend");
  immutable_checkpoint_.first_segment = log_->segment();
  immutable_checkpoint_.sequence = log_->sequence();
  check(head_ == visible_.now().head, "what is written is what is read");
  head_ = std::make_shared<Head>(slabs_, env_.chunk_width_ms, &env_.options.message_classes);
  visible_.rotate(head_);
  note_size();
  wake_flush_();
  return {};
}

std::uint64_t Ingest::sequence() const {
  const MutexLock lock(mutex_);
  return log_->sequence();
}

Ingest::Immutable Ingest::immutable() const {
  const MutexLock lock(mutex_);
  return {visible_.now().immutable, immutable_checkpoint_};
}

void Ingest::note_flush(const Status& status) {
  const MutexLock lock(mutex_);
  flush_error_ = status ? std::string() : status.error().message;
}

void Ingest::flushed(std::uint64_t first_segment) {
  {
    const MutexLock lock(mutex_);
    check(first_segment <= log_->segment(), "the segment that is written stays");
    // A head that grew past its limit while the other was being flushed is next.
    if (!visible_.has_immutable() && head_over(1)) static_cast<void>(rotate_head());
  }
  room_.notify_all();
  log_->remove_before(first_segment);
}

bool Ingest::has_logged_definitions() const {
  const MutexLock lock(mutex_);
  return !logged_definitions_.empty();
}

std::pair<std::uint64_t, std::string> Ingest::take_logged_definitions() {
  const MutexLock lock(mutex_);
  return {log_->sequence(), std::exchange(logged_definitions_, {})};
}

void Ingest::put_back_logged_definitions(std::string_view taken) {
  const MutexLock lock(mutex_);
  logged_definitions_.insert(0, taken);
}

}  // namespace varve::engine::rocksdb
