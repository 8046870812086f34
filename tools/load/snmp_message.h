// SPDX-License-Identifier: Apache-2.0
// A request as an agent reads it, and the frame of its answer.
#pragma once

#include <string_view>
#include <vector>

#include "tools/load/snmp_ber.h"

namespace varve::load {

enum class SnmpVersion : std::uint8_t { v1 = 0, v2c = 1 };
enum class SnmpError : std::uint8_t { none = 0, too_big = 1, no_such_name = 2, general = 5 };

struct SnmpRequest {
  SnmpVersion version{};
  std::string_view community;  // of the datagram
  BerTag kind{};               // get, get_next, get_bulk
  std::int32_t id = 0;
  std::size_t non_repeaters = 0;  // of get_bulk; those that are fewer than 0 are 0
  std::size_t repetitions = 0;
  std::vector<Oid> names;
};

// False: it is none, or of another version, or SET. Keeps the memory of `request`.
bool parse_snmp(std::span<const std::uint8_t> datagram, SnmpRequest& request);

// The frame: begin(), then the varbinds into the writer, then end().
class SnmpAnswer {
 public:
  explicit SnmpAnswer(BerWriter& out) : out_(out) {}

  void begin(std::int64_t version, std::string_view community, BerTag kind, std::int32_t id);
  void fail(SnmpError error, std::size_t index);  // of the varbind, from 1; 0: of none
  void drop_varbinds() { out_.truncate(list_); }
  [[nodiscard]] std::size_t varbinds_at() const { return list_; }
  void end();

 private:
  BerWriter& out_;
  std::size_t message_ = 0, pdu_ = 0, error_ = 0, list_ = 0;
};

}  // namespace varve::load
