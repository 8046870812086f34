// SPDX-License-Identifier: Apache-2.0
#include "snmp/session/library.h"

#include <bit>
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
  // Without any handler it writes to stderr, whatever strangers make it say. What fails is said by its results.
  netsnmp_register_loghandler(NETSNMP_LOGHANDLER_NONE, LOG_DEBUG);
  init_snmp("varve");
}

Kind kind_of(u_char type) {
  switch (type) {
    case ASN_INTEGER: return Kind::integer;
    case ASN_COUNTER: return Kind::counter32;
    case ASN_GAUGE: return Kind::gauge32;
    case ASN_TIMETICKS: return Kind::ticks;
    case ASN_COUNTER64: return Kind::counter64;
    case ASN_OPAQUE_FLOAT:
    case ASN_OPAQUE_DOUBLE: return Kind::real;
    case ASN_OCTET_STR: return Kind::octets;
    case ASN_OBJECT_ID: return Kind::object_id;
    case ASN_IPADDRESS: return Kind::address;
    case ASN_NULL: return Kind::null;
    case SNMP_NOSUCHOBJECT: return Kind::no_object;
    case SNMP_NOSUCHINSTANCE: return Kind::no_instance;
    case SNMP_ENDOFMIBVIEW: return Kind::end_of_view;
    default: return Kind::other;
  }
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

Binding binding_of(const netsnmp_variable_list& from) {
  Binding binding;
  binding.name = {from.name, from.name_length};
  binding.kind = kind_of(from.type);
  switch (binding.kind) {
    case Kind::integer: binding.number = static_cast<std::uint64_t>(*from.val.integer); break;
    case Kind::counter32:
    case Kind::gauge32:
    case Kind::ticks: binding.number = static_cast<std::uint32_t>(*from.val.integer); break;
    case Kind::counter64:
      binding.number = static_cast<std::uint64_t>(from.val.counter64->high) << 32 |
                       static_cast<std::uint32_t>(from.val.counter64->low);
      break;
    case Kind::real:
      binding.number = std::bit_cast<std::uint64_t>(
          from.type == ASN_OPAQUE_FLOAT ? static_cast<double>(*from.val.floatVal) : *from.val.doubleVal);
      break;
    case Kind::octets:
    case Kind::address: binding.octets = {reinterpret_cast<const char*>(from.val.string), from.val_len}; break;
    case Kind::object_id: binding.oid = {from.val.objid, from.val_len / sizeof(oid)}; break;
    default: break;
  }
  return binding;
}

}  // namespace varve::snmp::session
