// SPDX-License-Identifier: Apache-2.0
#include "migrate/source_address.h"

#include <algorithm>
#include <cctype>

namespace varve::migrate {
namespace {

constexpr std::string_view kScheme = "cassandra://";

std::string in_quotes(std::string_view text) { return "\"" + std::string(text) + "\""; }

Status set_parameter(SourceAddress& address, std::string_view name, std::string_view value) {
  if (name == "datacenter") {
    address.datacenter = value;
  } else if (name == "username") {
    address.username = value;
  } else if (name == "password_file") {
    address.password_file = value;
  } else if (name == "tls" && (value == "true" || value == "false")) {
    address.tls = value == "true";
  } else if (name == "strings" && (value == "plain" || value == "snappy")) {
    address.strings = value == "snappy" ? Strings::snappy : Strings::plain;
  } else {
    return fail(Code::invalid, in_quotes(std::string(name) + "=" + std::string(value)) +
                                   ": allowed are datacenter=, username=, password_file=, tls=true or false, "
                                   "strings=plain or snappy");
  }
  return {};
}

}  // namespace

Result<SourceAddress> parse_source(std::string_view text) {
  SourceAddress address;
  if (!text.starts_with(kScheme)) return fail(Code::invalid, in_quotes(text) + ": it begins with cassandra://");
  std::string_view rest = text.substr(kScheme.size());
  const std::size_t question = rest.find('?');
  std::string_view parameters = question == std::string_view::npos ? "" : rest.substr(question + 1);
  rest = rest.substr(0, question);
  const std::size_t slash = rest.find('/');
  if (slash == 0 || slash == std::string_view::npos || slash + 1 == rest.size()) {
    return fail(Code::invalid, in_quotes(text) + ": write cassandra://HOST:PORT/KEYSPACE");
  }
  address.contact_points = rest.substr(0, slash);
  if (address.contact_points.find('@') != std::string::npos) {
    return fail(Code::invalid,
                "a user is given as ?username=…&password_file=…, never with the password in the command");
  }
  for (const char c : rest.substr(slash + 1)) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_') {
      return fail(Code::invalid, in_quotes(rest.substr(slash + 1)) + ": a keyspace has letters, digits and _ only");
    }
    address.exact_keyspace += c;
    address.keyspace += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  while (!parameters.empty()) {
    const std::size_t end = std::min(parameters.find('&'), parameters.size());
    const std::string_view one = parameters.substr(0, end);
    const std::size_t equals = std::min(one.find('='), one.size());
    VARVE_RETURN_IF_ERROR(set_parameter(address, one.substr(0, equals), one.substr(std::min(equals + 1, one.size()))));
    parameters.remove_prefix(std::min(end + 1, parameters.size()));
  }
  return address;
}

}  // namespace varve::migrate
