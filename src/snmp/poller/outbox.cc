// SPDX-License-Identifier: Apache-2.0
#include "snmp/poller/outbox.h"

#include <utility>

#include "base/guarded.h"
#include "base/log.h"
#include "base/wait.h"

namespace varve::snmp::poller {
namespace {

using correlation::RecordView;

constexpr std::size_t kPieceBytes = std::size_t{256} << 10;
constexpr std::size_t kWriteBytes = std::size_t{2} << 20;  // at a time

// Will it be accepted later? What is wrong stays so.
bool passes(Code code) { return code == Code::unavailable || code == Code::timeout || code == Code::io; }

model::Value value_of(const RecordView& record, std::size_t i) {
  const auto bits = static_cast<std::uint64_t>(record.values[i]);
  return {record.head.is_real ? model::ValueType::double_ : model::ValueType::long_, bits, {}};
}

// Errors: those of define().
Result<model::GroupId> number_of(write::Ingest& ingest, const RecordView& record) {
  if (record.head.group != model::kNoGroup) return record.head.group;
  if (const auto* const known = ingest.groups().find(record.tags, record.metrics)) return known->id;
  model::TagViews tags = correlation::tags_of(record.tags);
  VARVE_RETURN_IF_ERROR(model::normalize(tags));
  const auto metrics = correlation::texts_of(record.metrics);
  VARVE_ASSIGN_OR_RETURN(const auto* const defined, ingest.groups().define(record.tags, record.metrics, tags, metrics));
  return defined->id;
}

// Adds a record to a request. Errors: those of define().
Status add(write::Ingest& ingest, const RecordView& record) {
  VARVE_ASSIGN_OR_RETURN(const model::GroupId number, number_of(ingest, record));
  const model::KeptGroup group{.id = number, .count = record.head.count};
  if (!record.head.is_real) {
    ingest.batch().add_longs(group, record.head.at, record.values);
    return {};
  }
  std::vector<model::Value> values;
  for (std::size_t i = 0; i < record.values.size(); ++i) values.push_back(value_of(record, i));
  ingest.batch().add(group, record.head.at, values);
  return {};
}

}  // namespace

Outbox::Outbox(write::Writer& writer, OutboxOptions options, Counter& dropped)
    : writer_(writer), options_(options), dropped_(dropped), thread_([this] { run(); }) {}

Outbox::~Outbox() {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Outbox::push(const std::string& tenant, const correlation::Records& records) {
  if (records.empty()) return;
  bool is_first = false;
  {
    const MutexLock lock(mutex_);
    is_first = pieces_.empty();
    if (is_first || pieces_.back()->tenant != tenant || pieces_.back()->records.bytes() > kPieceBytes) {
      pieces_.push_back(spare_ ? std::move(spare_) : std::make_unique<Piece>());
      pieces_.back()->tenant = tenant;
    }
    auto& to = pieces_.back()->records;
    records.for_each([&to](const RecordView& record) { to.add(record); });
    waiting_bytes_ += records.bytes();
    while (waiting_bytes_ + writing_bytes_ > options_.bytes_max && pieces_.size() > 1) {
      waiting_bytes_ -= pieces_.front()->records.bytes();
      dropped_.add(pieces_.front()->records.samples());
      pieces_.pop_front();
    }
  }
  if (is_first) changed_.notify_all();
}

std::size_t Outbox::bytes() const {
  const MutexLock lock(mutex_);
  return waiting_bytes_ + writing_bytes_;
}

void Outbox::wait(std::chrono::milliseconds time) {
  const auto until = std::chrono::steady_clock::now() + time;
  while (!stopping_ && changed_.wait_until(mutex_, until) == std::cv_status::no_timeout) {
  }
}

Outbox::Pieces Outbox::take() {
  Pieces taken;
  while (!pieces_.empty() && writing_bytes_ < kWriteBytes &&
         (taken.empty() || pieces_.front()->tenant == taken.front()->tenant)) {
    const std::size_t bytes = pieces_.front()->records.bytes();
    waiting_bytes_ -= bytes;
    writing_bytes_ += bytes;
    taken.push_back(std::move(pieces_.front()));
    pieces_.pop_front();
  }
  return taken;
}

void Outbox::run() {
  MutexLock lock(mutex_);
  for (;;) {
    while (pieces_.empty() && !stopping_) changed_.wait(mutex_);
    if (pieces_.empty()) return;
    if (waiting_bytes_ < kWriteBytes) wait(options_.gather);
    Pieces pieces = take();
    for (;;) {
      const bool is_last = stopping_;  // one that began before it is no last one: the store may have changed since
      lock.unlock();
      const bool written = write(pieces);
      lock.lock();
      if (written) break;
      if (is_last) {
        for (const auto& piece : pieces) dropped_.add(piece->records.samples());
        for (const auto& piece : pieces_) dropped_.add(piece->records.samples());
        return;
      }
      wait(options_.again);
    }
    writing_bytes_ = 0;
    if (spare_ == nullptr) {
      spare_ = std::move(pieces.front());
      spare_->records.clear();
    }
  }
}

// True: there is nothing more to do for these.
bool Outbox::write(const Pieces& pieces) {
  const Status status = guarded([&] { return write_once(pieces); });
  const bool refused = !status && passes(status.error().code);
  if (refused != is_refused_) {
    if (refused) log::warn("polled samples wait: the store refuses them", {{"error", status.error().message}});
    if (!refused) log::info("polled samples are stored again");
  }
  is_refused_ = refused;
  return !refused;
}

Status Outbox::write_once(const Pieces& pieces) {
  auto opened = writer_.open(pieces.front()->tenant, write::Family::snmp);
  if (!opened) return fail(opened.error());
  Status first;  // of the records that were left out
  Status passing;
  std::size_t left_out = 0;
  for (const auto& piece : pieces) {
    piece->records.for_each([&](const RecordView& record) {
      if (!passing) return;
      const Status added = add(**opened, record);
      if (added) return;
      if (passes(added.error().code)) {
        passing = added;
      } else {
        left_out += record.head.count;
        if (first) first = added;
      }
    });
  }
  if (!passing) return passing;
  Status stored = wait_for([&](auto done) { writer_.commit(std::move(*opened), std::move(done)); });
  if (!stored && passes(stored.error().code)) return stored;
  if (!first) {
    dropped_.add(left_out);
    writer_.count_rejected(first.error().code, left_out);
    log::warn("polled samples are refused", {{"samples", left_out}, {"error", first.error().message}});
  }
  if (!stored) log::warn("polled samples are refused", {{"error", stored.error().message}});
  return stored;
}

}  // namespace varve::snmp::poller
