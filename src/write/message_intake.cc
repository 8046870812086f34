// SPDX-License-Identifier: Apache-2.0
#include "write/message_intake.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "message/level.h"

namespace varve::write {
namespace {

constexpr std::int64_t kUsPerMs = 1000;
constexpr std::int64_t kDiskEveryNs = 1'000'000'000;

}  // namespace

MessageIntake::MessageIntake(IntakeOptions options, const Clock& clock, Metrics& metrics)
    : options_(std::move(options)),
      clock_(clock),
      disk_(options_.disk),
      backlog_(options_.backlog),
      disk_next_ns_(clock.steady_ns()) {
  for (std::size_t place = 0; place <= protocol::messages::Shed::kNone; ++place) {
    const auto name = message::level_name(static_cast<std::int64_t>(place));
    shed_.push_back(&metrics.counter("varve_messages_shed_total",
                                     "Log messages dropped, as the disk or the memory was nearly full, by level.",
                                     {{"level", name.empty() ? "none" : name}}));
  }
}

protocol::messages::Limits MessageIntake::limits() {
  const std::int64_t now_us = clock_.now_ms() * kUsPerMs;
  protocol::messages::Limits limits;
  limits.now_us = now_us;
  limits.first_us = now_us - options_.classes.longest_ms() * kUsPerMs;
  limits.last_us = now_us + options_.future_ms * kUsPerMs;
  limits.too_old = "older than messages.retention";
  limits.too_new = "further ahead than messages.future";
  limits.made_ids = true;
  if (!options_.classes.are_one()) {
    limits.too_old += " and all of messages.classes";
    limits.classes = &options_.classes;
    limits.all_from_us = now_us - options_.classes.shortest_ms() * kUsPerMs;
  }
  if (const int level = dropped_level(); level != Watermarks::kNothing) {
    limits.shed = std::make_shared<protocol::messages::Shed>();
    limits.shed->level = level;
    limits.shed->why = why(level);
  }
  return limits;
}

void MessageIntake::count(const protocol::messages::Limits& limits) {
  if (limits.shed == nullptr) return;
  for (std::size_t place = 0; place < shed_.size(); ++place) {
    if (const auto dropped = limits.shed->dropped[place]; dropped != 0) shed_[place]->add(dropped);
  }
}

int MessageIntake::dropped_level() {
  int level = level_of_disk();
  if (options_.backlog_percent) level = std::min(level, backlog_.update(options_.backlog_percent()));
  if (level_.exchange(level, std::memory_order_relaxed) != level) {
    if (level == Watermarks::kNothing) {
      log::info("all messages are taken again");
    } else {
      log::warn("messages are dropped", {{"why", why(level)}});
    }
  }
  return level;
}

// One of the threads asks.
int MessageIntake::level_of_disk() {
  if (!options_.disk_percent) return Watermarks::kNothing;
  const std::int64_t now = clock_.steady_ns();
  std::int64_t next = disk_next_ns_.load(std::memory_order_relaxed);
  if (now >= next && disk_next_ns_.compare_exchange_strong(next, now + kDiskEveryNs)) {
    disk_level_.store(disk_.update(options_.disk_percent()), std::memory_order_relaxed);
  }
  return disk_level_.load(std::memory_order_relaxed);
}

std::string MessageIntake::why(int level) const {
  const bool disk = level == disk_level_.load(std::memory_order_relaxed);
  return "overloaded: messages of level " + std::string(message::level_name(level)) +
         " and less severe ones are dropped, as " +
         (disk ? "the disk is nearly full (messages.shed.disk)"
               : "they come faster than they are stored (messages.shed.backlog)");
}

}  // namespace varve::write
