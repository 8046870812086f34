// SPDX-License-Identifier: Apache-2.0
// Many SNMP agents in one: who is asked, what is answered, and how the answer is spoilt. No socket, no clock.
#pragma once

#include <optional>

#include "tools/load/dataset.h"
#include "tools/load/snmp_message.h"
#include "tools/load/snmp_tables.h"

namespace varve::load {

struct AgentOptions {
  std::uint32_t devices = 1;
  std::uint32_t interfaces = 10;  // of each
  std::size_t bytes_max = 1400;   // of an answer: fewer repetitions, or tooBig
  std::int64_t since_ms = 0;      // when all booted, and all counters were 0
};

// What becomes of an answer on its way.
struct Delivery {
  std::uint64_t copies = 0;  // 0: there is none
  std::uint64_t delay_ms = 0;
};

class SnmpAgent {
 public:
  explicit SnmpAgent(const AgentOptions& options);

  // A community that ends in -N (dev-17) is device N; any other one is the device of the address that was asked.
  Delivery answer(std::span<const std::uint8_t> datagram, std::uint32_t addressed, std::int64_t now_ms, BerWriter& out);

  // SCOPE WORD…: what the devices of a scope (*, 7 or 7-20) do from now on; see `kSnmpCommands`. The answer is one line
  // that begins with "ok " and the time, or with "error: ".
  std::string command(std::string_view line, std::int64_t now_ms);

 private:
  Device* device_of(std::string_view community, std::uint32_t addressed);
  void answer_get(const Device& device, std::int64_t now_ms, BerWriter& out, SnmpAnswer& frame);
  void answer_next(const Device& device, std::int64_t now_ms, BerWriter& out, SnmpAnswer& frame);
  bool add(const std::optional<Place>& place, const Oid& asked, const Device& device, std::int64_t now_ms,
           BerWriter& out);
  void spoil(const Device& device, SnmpAnswer& frame);

  AgentOptions options_;
  SnmpTables tables_;
  std::vector<Device> devices_;
  Random random_;
  SnmpRequest request_;
  std::vector<std::optional<Place>> places_;  // of the next varbind of each name
  std::size_t varbinds_ = 0, found_ = 0, room_ = 0;
};

// How the commands are written; for --help.
extern const std::string_view kSnmpCommands;
// One word of a command. False: there is no such word.
bool apply_word(Device& device, std::string_view word, std::int64_t now_ms);

}  // namespace varve::load
