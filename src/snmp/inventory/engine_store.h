// SPDX-License-Identifier: Apache-2.0
// EngineStore: who this replica is to those who send informs by SNMPv3, kept as a text (docs/formats/snmp.md): its
// engine id, and the number of its starts, without which a message of before could be repeated.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "model/time.h"
#include "storage/text_store.h"

namespace varve::snmp::inventory {

struct EngineStart {
  std::string id = {};  // bytes (RFC 3411, SnmpEngineID)
  std::uint32_t boots = 0;
};

// Makes the id at the first start of this replica. The number of starts is greater than the last one, which is durable
// when this returns, and than seconds since 2020: also where the store was put back from a backup. Blocks. Errors:
// those of the store; corrupt.
Result<EngineStart> start_engine(storage::TextStore& texts, const std::string& replica, model::Timestamp now_ms);

// For people: 80001f8805…
std::string engine_text(const std::string& id);

}  // namespace varve::snmp::inventory
