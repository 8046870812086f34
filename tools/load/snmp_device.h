// SPDX-License-Identifier: Apache-2.0
// One simulated device: its counters are known functions of time, and it lies as it is told to.
//
// Counter `column` of interface i of device n, at time t (ms):
//   base + rate * (t - zero) / 1000, cut to 64 or 32 bits; rate = 1000 + (n*7919 + column*104729 + i*1299709) % 1000003
// so every millisecond has a value of its own, and a stored sample says when it was read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace varve::load {

// Each word is a value of the command KEY=WORD; see snmp_commands.h.
enum class Walk : std::uint8_t { normal, stuck, loop, endless };
enum class Wrong : std::uint8_t { none, id, version, community, kind };
enum class Answers : std::uint8_t { normal, missing, empty, error };
enum class Names : std::uint8_t { plain, empty, same, bytes, huge };
enum class Types : std::uint8_t { normal, text };

struct Lies {
  Walk walk = Walk::normal;
  Wrong wrong = Wrong::none;
  Answers answer = Answers::normal;
  Names names = Names::plain;  // of interface 1 only: the others have to come to no harm
  Types types = Types::normal;
  bool silent = false;
  std::uint64_t loss_permille = 0;      // of answers
  std::uint64_t delay_ms = 0;           // answers come so much later, with the values of the request's time
  std::uint64_t duplicates = 0;         // each answer comes so often more
  std::uint64_t cut_bytes = 0;          // so many are missing at a datagram's end
  std::uint64_t too_big = 0;            // more varbinds are answered by tooBig; 0: as many as fit
  std::uint64_t renumber_every_ms = 0;  // 0: only when told to
};

// A request that a device was sent.
struct Heard {
  std::int64_t time_ms = 0;
  char kind = 'g';  // of GET, n of GETNEXT, b of GETBULK
  std::size_t names = 0;
};

struct Device {
  std::uint32_t number = 0;
  std::uint32_t interfaces = 0;
  std::int64_t booted_ms = 0;
  std::int64_t zero_ms = 0;  // when its counters were `base`
  std::uint64_t base = 0;
  std::uint32_t discontinuity = 0;  // sysUpTime at the last one
  std::uint32_t shift = 0;          // row r is interface (r - 1 + shift) % interfaces + 1
  std::uint64_t speed_mbits = 10'000;
  std::string alias = "link # of @";  // # is the interface, @ the device
  Lies lies;

  std::uint64_t received = 0, answered = 0, objects = 0;
  std::uint64_t heard_max = 0;  // so many of the requests below are kept
  std::vector<Heard> heard;

  [[nodiscard]] std::uint32_t uptime_at(std::int64_t now_ms) const {
    return static_cast<std::uint32_t>((now_ms - booted_ms) / 10);
  }
  [[nodiscard]] std::uint64_t counter_at(std::uint32_t column, std::uint32_t interface, std::int64_t now_ms) const;
  [[nodiscard]] std::uint32_t interface_of(std::uint32_t row, std::int64_t now_ms) const;
  void name_of(std::uint32_t interface, std::string& name) const;
  void alias_of(std::uint32_t interface, std::string& text) const;

  void restart(std::int64_t now_ms);                     // sysUpTime and counters from 0
  void discontinue(std::int64_t now_ms);                 // counters from 0, and it says so
  void set_counters(std::uint64_t to, std::int64_t at);  // and it does not say so
};

}  // namespace varve::load
