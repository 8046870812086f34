// SPDX-License-Identifier: Apache-2.0
// Limits: which messages of a request are taken, by their time and class and by what overload leaves of them.
// Admission: asks.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>

#include "base/result.h"
#include "message/builder.h"
#include "message/classes.h"
#include "message/made_ids.h"
#include "message/row.h"

namespace varve::protocol::messages {

// What overload drops of a request, and how many messages that were. For one thread.
struct Shed {
  static constexpr std::size_t kNone = 8;          // place of messages without a level, which count as info
  std::int64_t level = 0;                          // this level and less severe ones are dropped, and all of kind UVE
  std::string why;                                 // for people
  std::array<std::uint64_t, kNone + 1> dropped{};  // by level

  // Is this one to be dropped? Then it is counted.
  bool drops(message::RowView row);
  [[nodiscard]] std::uint64_t total() const;
};

// Which times are taken, both ends inclusive, and what a time outside of them is, in words that name the limit. The
// time of arrival is not looked at.
struct Limits {
  std::int64_t first_us = std::numeric_limits<std::int64_t>::min();
  std::int64_t last_us = std::numeric_limits<std::int64_t>::max();
  std::string too_old = "too old";
  std::string too_new = "too far ahead";
  // Messages that say their time and have no id get one that is computed from what they say: requests come again.
  bool made_ids = false;
  std::shared_ptr<Shed> shed = nullptr;  // nullptr: nothing is dropped; else it belongs to the request

  // How long which messages are kept; nullptr: all alike, from first_us on. It outlives the request.
  const message::Classes* classes = nullptr;
  std::int64_t now_us = 0;                                              // when the request came
  std::int64_t all_from_us = std::numeric_limits<std::int64_t>::min();  // from then on every class is kept

  // May the row be stored, as far as its cells say? Errors: unavailable (it is dropped, and counted), too_old.
  [[nodiscard]] Status check_row(message::RowView row) const;
  [[nodiscard]] bool asks_rows() const { return shed != nullptr || classes != nullptr; }
};

// Stands between a builder and the batch where Limits ask for a row's cells; else the builder writes to the batch.
class Admission {
 public:
  // Both outlive it.
  Admission(const Limits& limits, message::Batch& batch) : limits_(limits), batch_(batch), ids_(batch) {}

  // Where the builder has to put rows.
  [[nodiscard]] message::Batch& rows() { return limits_.asks_rows() ? row_ : batch_; }
  // Builder::finish() of a message that says its time, and admit().
  Status finish(message::Builder& builder, std::int64_t time_us, unsigned nanos);
  // After Builder::finish(): the row comes into the batch, or is left out. Errors: those of Limits::check_row().
  Status admit();

 private:
  const Limits& limits_;
  message::Batch& batch_;
  message::Batch row_;  // one
  message::MadeIds ids_;
};

// Error of a message that overload dropped.
inline bool is_shed(const Status& status) { return !status && status.error().code == Code::unavailable; }

}  // namespace varve::protocol::messages
