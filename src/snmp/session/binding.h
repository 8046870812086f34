// SPDX-License-Identifier: Apache-2.0
// What goes to an agent and comes back, as plain data: names, values, requests, answers. No library appears here.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "model/time.h"

namespace varve::snmp::session {

using Arc = std::uint64_t;  // one number of a name; 32 bits on the wire
using Name = std::span<const Arc>;

enum class Version : std::uint8_t { v1, v2c, v3 };

// The type of a value as the agent sent it.
enum class Kind : std::uint8_t {
  integer,  // signed, 32 bits
  counter32,
  gauge32,  // Unsigned32 is the same on the wire
  ticks,    // hundredths of a second
  counter64,
  real,  // a float or a double, as Net-SNMP wraps them
  octets,
  object_id,
  address,  // 4 octets
  null,
  no_object,    // the agent does not know the column (v2c, v3)
  no_instance,  // it knows the column, and not this row
  end_of_view,  // nothing follows
  other,
};

// Views are valid while the answer is handed over.
struct Binding {
  Name name = {};
  Kind kind = Kind::null;
  std::uint64_t number = 0;      // of integer (sign-extended), counters, gauges, ticks; of real: the bits of a double
  std::string_view octets = {};  // of octets and address
  Name oid = {};                 // of object_id
};

enum class Command : std::uint8_t { get, get_next, get_bulk };

struct Request {
  Command command = Command::get;
  // Of get_bulk: the first names are asked once, the others so often.
  unsigned non_repeaters = 0, repetitions = 0;
  std::span<const Name> names = {};
};

// What became of a request.
enum class Outcome : std::uint8_t {
  answered,       // error_status says whether well
  timed_out,      // after all tries; `why`, if something else came
  not_sent,       // the system would not send it
  bad_community,  // the answer bears another community
  refused,        // v3: the agent reports that it will not; `why`
  malformed,      // the answer is none, or after all tries only what cannot be read; `why`
};

struct Answer {
  Outcome outcome = Outcome::answered;
  int error_status = 0, error_index = 0;  // RFC 3416; the index counts from 1
  std::string_view why = {};              // for a person
  model::Timestamp received_ms = 0;       // by the clock, when its datagram was read
  std::span<const Binding> bindings = {};
};

inline constexpr int kTooBig = 1;
inline constexpr int kNoSuchName = 2;

// Whoever asked.
class Asker {
 public:
  // Called once for each request that was sent, from Loop::turn(); may send the next one, must not close the session.
  virtual void on_answer(const Answer& answer) = 0;

 protected:
  ~Asker() = default;
};

}  // namespace varve::snmp::session
