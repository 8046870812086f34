// SPDX-License-Identifier: Apache-2.0
// What network devices call a kind of message: %FACILITY-SEVERITY-MNEMONIC, as in %LINK-3-UPDOWN.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace varve::protocol::syslog {

struct Mnemonic {
  std::string_view facility;  // LINK
  std::string_view name;      // UPDOWN
  std::size_t end = 0;        // behind the colon, and a blank if there is one
};

// With a colon behind, or a blank and a colon. Nothing: the text does not begin with one.
std::optional<Mnemonic> begins_as_mnemonic(std::string_view text);

// `%$ VDC-1 %$ ` is in front of it where a part of a switch speaks.
inline constexpr std::string_view kVdcOpens = "%$ VDC-";

// Cisco's firewalls, which put their name before it: `fw1 : %ASA-6-302013: …`.
inline bool is_of_firewall(const Mnemonic& of) {
  return of.facility.starts_with("ASA") || of.facility.starts_with("FTD") || of.facility.starts_with("PIX");
}

}  // namespace varve::protocol::syslog
