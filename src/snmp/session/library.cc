// SPDX-License-Identifier: Apache-2.0
#include "snmp/session/library.h"

#include <cstdlib>
#include <mutex>

namespace varve::snmp::session {
namespace {

std::once_flag once;

void init() {
  // No MIB is loaded and no file of the system is read: names are numbers here.
  ::setenv("MIBS", "", 1);
  ::setenv("MIBDIRS", "/dev/null", 1);
  ::setenv("SNMPCONFPATH", "/dev/null", 1);
  ::setenv("SNMP_PERSISTENT_DIR", "/dev/null", 1);
  netsnmp_ds_set_boolean(NETSNMP_DS_LIBRARY_ID, NETSNMP_DS_LIB_DONT_PERSIST_STATE, 1);
  netsnmp_ds_set_boolean(NETSNMP_DS_LIBRARY_ID, NETSNMP_DS_LIB_DISABLE_PERSISTENT_LOAD, 1);
  netsnmp_ds_set_boolean(NETSNMP_DS_LIBRARY_ID, NETSNMP_DS_LIB_DISABLE_PERSISTENT_SAVE, 1);
  netsnmp_ds_set_boolean(NETSNMP_DS_LIBRARY_ID, NETSNMP_DS_LIB_DONT_READ_CONFIGS, 1);
  snmp_disable_log();
  init_snmp("varve");
}

}  // namespace

void init_library() { std::call_once(once, init); }

netsnmp_large_fd_set& library_descriptors() {
  static netsnmp_large_fd_set& descriptors = *[] {
    auto* const made = new netsnmp_large_fd_set;  // stays until the process ends
    netsnmp_large_fd_set_init(made, FD_SETSIZE);
    return made;
  }();
  return descriptors;
}

std::optional<Protocol> find_auth(std::string_view name) {
  const int type = name.empty() ? -1 : usm_lookup_auth_type(std::string(name).c_str());
  Protocol found;
  if (type <= 0) return std::nullopt;
  found.name = sc_get_auth_oid(type, &found.length);
  return found.name == nullptr ? std::nullopt : std::optional(found);
}

std::optional<Protocol> find_priv(std::string_view name) {
  if (name != "DES" && name != "AES") return std::nullopt;
  const int type = usm_lookup_priv_type(std::string(name).c_str());
  Protocol found;
  if (type <= 0) return std::nullopt;
  found.name = sc_get_priv_oid(type, &found.length);
  return found.name == nullptr ? std::nullopt : std::optional(found);
}

}  // namespace varve::snmp::session
