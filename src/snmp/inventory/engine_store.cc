// SPDX-License-Identifier: Apache-2.0
#include "snmp/inventory/engine_store.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <random>
#include <string_view>

#include "base/hex.h"

namespace varve::snmp::inventory {
namespace {

// RFC 3411: of the enterprise 8072 (Net-SNMP, whose library speaks here), the octets that follow were made by whoever
// runs it.
constexpr std::string_view kIdBegin("\x80\x00\x1f\x88\x05", 5);
constexpr std::size_t kIdRandom = 12, kIdLeast = 5, kIdMost = 32;
constexpr std::int64_t kYear2020Ms = 1'577'836'800'000;
constexpr std::uint32_t kBootsMost = std::numeric_limits<std::int32_t>::max();

std::string random_id() {
  std::random_device random;
  std::string id(kIdBegin);
  while (id.size() < kIdBegin.size() + kIdRandom) id += static_cast<char>(random() & 0xff);
  return id;
}

// "ID BOOTS"
Result<EngineStart> parse(std::string_view text) {
  EngineStart out;
  const std::size_t space = std::min(text.find(' '), text.size());
  const std::string_view hex = text.substr(0, space), boots = text.substr(std::min(space + 1, text.size()));
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    out.id += static_cast<char>(hex_digit(hex[i]) << 4 | hex_digit(hex[i + 1]));
  }
  const bool is_hex = std::ranges::all_of(hex, [](char c) { return hex_digit(c) >= 0; });
  const auto [end, error] = std::from_chars(boots.data(), boots.data() + boots.size(), out.boots);
  const bool is_id = is_hex && hex.size() % 2 == 0 && out.id.size() >= kIdLeast && out.id.size() <= kIdMost;
  if (!is_id || error != std::errc() || end != boots.data() + boots.size()) {
    return fail(Code::corrupt, "the engine id of SNMP is not readable: " + std::string(text.substr(0, 100)));
  }
  return out;
}

}  // namespace

std::string engine_text(const std::string& id) {
  std::string out;
  append_hex(out, id);
  return out;
}

Result<EngineStart> start_engine(storage::TextStore& texts, const std::string& replica, model::Timestamp now_ms) {
  const storage::TextName name{"", "_snmp_engine", "engine", replica};
  VARVE_ASSIGN_OR_RETURN(const auto known, texts.text(name));
  EngineStart out{random_id(), 0};
  if (known) {
    VARVE_ASSIGN_OR_RETURN(out, parse(*known));
  }
  const std::int64_t by_clock = std::max<std::int64_t>((now_ms - kYear2020Ms) / model::kSecondMs, 0);
  const std::int64_t boots = std::max(std::int64_t{out.boots} + 1, by_clock);
  out.boots = static_cast<std::uint32_t>(std::min<std::int64_t>(boots, kBootsMost));
  VARVE_RETURN_IF_ERROR(texts.put_text(name, engine_text(out.id) + " " + std::to_string(out.boots)));
  return out;
}

}  // namespace varve::snmp::inventory
