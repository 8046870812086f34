// SPDX-License-Identifier: Apache-2.0
// Internal to session/: libsnmp itself, begun once, silent, without MIB files. It writes nothing: its folder is none.
#pragma once

#include <net-snmp/net-snmp-config.h>

#include <net-snmp/net-snmp-includes.h>

#include <net-snmp/library/large_fd_set.h>

// Macros that stand for fields of its requests.
#undef non_repeaters
#undef max_repetitions

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "snmp/session/binding.h"

namespace varve::snmp::session {

struct Protocol {
  const oid* name = nullptr;
  std::size_t length = 0;
};

// Any number of times, from any thread. All other calls of the library are of one thread.
void init_library();

// A set of descriptors of any number, all clear, which snmp_sess_read2() takes. Of the one thread.
netsnmp_large_fd_set& library_descriptors();

// nullopt: this libsnmp has none of that name.
std::optional<Protocol> find_auth(std::string_view name);
std::optional<Protocol> find_priv(std::string_view name);

// What it has read. Views into `from`.
Binding binding_of(const netsnmp_variable_list& from);

}  // namespace varve::snmp::session
