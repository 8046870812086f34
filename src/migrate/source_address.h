// SPDX-License-Identifier: Apache-2.0
// Where another database's data are: cassandra://host:port[,host…]/keyspace[?name=value[&…]]. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "migrate/kairosdb_cells.h"

namespace varve::migrate {

struct SourceAddress {
  std::string contact_points;  // "host:port,host"
  std::string keyspace;        // in lower case, as Cassandra has names without quotes
  std::string exact_keyspace;  // as written
  // What this cluster needs otherwise than cassandra.… says.
  std::optional<std::string> datacenter, username, password_file;
  std::optional<bool> tls;
  Strings strings = Strings::plain;
};

Result<SourceAddress> parse_source(std::string_view text);

}  // namespace varve::migrate
