// SPDX-License-Identifier: Apache-2.0
#include "snmp/inventory/device.h"

#include <algorithm>
#include <charconv>

#include "protocol/json/text.h"

namespace varve::snmp::inventory {
namespace {

Result<std::uint16_t> parse_port(std::string_view text) {
  std::uint16_t port = 0;
  const char* const end = text.data() + text.size();
  const auto [behind, error] = std::from_chars(text.data(), end, port);
  if (error == std::errc() && behind == end && port != 0) return port;
  return fail(Code::invalid, "\"" + std::string(text) + "\" is not a port; allowed is 1 to 65535");
}

bool is_host(std::string_view host) {
  return !host.empty() && host.size() <= kNameBytesMax &&
         std::ranges::all_of(host, [](char c) { return c > ' ' && c != '[' && c != ']' && c != '/' && c != '\x7f'; });
}

}  // namespace

Result<HostPort> parse_host_port(std::string_view text) {
  const auto wrong = [&] {
    return fail(Code::invalid,
                "\"" + std::string(text) + "\" is not an address; write HOST or HOST:PORT, [ADDRESS]:PORT for IPv6");
  };
  HostPort out;
  std::string_view host = text;
  std::string_view rest;
  if (text.starts_with('[')) {
    const std::size_t close = text.find(']');
    if (close == std::string_view::npos) return wrong();
    host = text.substr(1, close - 1);
    rest = text.substr(close + 1);
    if (!rest.empty() && rest[0] != ':') return wrong();
  } else if (const std::size_t colon = text.find(':'); colon != std::string_view::npos && colon == text.rfind(':')) {
    host = text.substr(0, colon);
    rest = text.substr(colon);
  }
  if (!is_host(host)) return wrong();
  if (!rest.empty()) {
    VARVE_ASSIGN_OR_RETURN(out.port, parse_port(rest.substr(1)));
  }
  out.host = host;
  return out;
}

Status check_name(std::string_view name) {
  if (name.empty()) return fail(Code::invalid, "a name may not be empty");
  if (name.size() > kNameBytesMax) {
    return fail(Code::invalid, "a name may have " + std::to_string(kNameBytesMax) + " bytes, this one has " +
                                   std::to_string(name.size()));
  }
  if (name.find('\0') != std::string_view::npos) return fail(Code::invalid, "a name may not contain a NUL");
  if (!protocol::json::is_utf8(name)) return fail(Code::invalid, "a name must be UTF-8");
  return {};
}

std::vector<std::string> faults_of(const Device& device) {
  std::vector<std::string> out;
  const auto check = [&](const std::string& place, const Status& status) {
    if (!status) out.push_back(place + ": " + status.error().message);
  };
  check("name", check_name(device.name));
  if (device.address.empty()) {
    out.emplace_back("address: it is missing");
  } else if (const auto parsed = parse_host_port(device.address); !parsed) {
    out.push_back("address: " + parsed.error().message);
  }
  check("credential", check_name(device.credential));
  for (std::size_t i = 0; i < device.oidsets.size(); ++i) {
    const std::string place = "oidsets[" + std::to_string(i) + "]";
    check(place, check_name(device.oidsets[i]));
    const auto first = std::ranges::find(device.oidsets, device.oidsets[i]);
    if (first != device.oidsets.begin() + static_cast<std::ptrdiff_t>(i)) {
      out.push_back(place + ": \"" + device.oidsets[i] + "\" is named twice");
    }
  }
  for (const auto& [key, value] : device.tags) {
    check("tags." + key, check_name(key));
    if (!value.empty()) check("tags." + key, check_name(value));
  }
  if (device.begin && device.end && *device.end < *device.begin) out.emplace_back("end: it is before begin");
  return out;
}

}  // namespace varve::snmp::inventory
