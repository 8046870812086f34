// SPDX-License-Identifier: Apache-2.0
// Engine: what we are to those who send informs by v3 (RFC 3414). Of an inform the receiver is the authoritative
// engine: its id is what keys are bound to, and its clock says which messages are too old.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "base/clock.h"

namespace varve::snmp::session {

// Why a message of v3 is refused: the numbers of usmStats, which are counted and reported.
enum class Refusal : std::uint8_t {
  unsupported_level = 1,
  not_in_time_window = 2,
  unknown_user = 3,
  unknown_engine = 4,
  wrong_digest = 5,
  decryption_error = 6,
};

// For one thread. The clock outlives it.
class Engine {
 public:
  // `boots` is greater than it has ever been with this id.
  Engine(std::string id, std::uint32_t boots, const Clock& clock);

  [[nodiscard]] const std::string& id() const { return id_; }
  [[nodiscard]] std::uint32_t boots() const { return boots_; }
  // Seconds since it was made.
  [[nodiscard]] std::uint32_t time() const;
  // Was a message with this clock made at most 150 s ago, or will it be so late?
  [[nodiscard]] bool is_timely(std::uint32_t boots, std::uint32_t time) const;

  // Counts it; returns how many there are now.
  std::uint32_t refuse(Refusal why) { return ++refused_[static_cast<std::size_t>(why)]; }
  // Never the same twice: what makes two hidden messages differ.
  std::uint64_t next_salt() { return ++salt_; }

 private:
  const std::string id_;
  const std::uint32_t boots_;
  const Clock& clock_;
  const std::int64_t began_ns_;
  std::array<std::uint32_t, 7> refused_ = {};  // by Refusal
  std::uint64_t salt_;
};

}  // namespace varve::snmp::session
