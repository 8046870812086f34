// SPDX-License-Identifier: Apache-2.0
#include "snmp/session/v3_identity.h"

#include "snmp/session/library.h"

namespace varve::snmp::session {
namespace {

const u_char* engine_bytes(const std::string& engine) { return reinterpret_cast<const u_char*>(engine.data()); }

usmUser* listed_user(const std::string& engine, const std::string& name) {
  return usm_get_user(engine_bytes(engine), engine.size(), name.c_str());
}

}  // namespace

V3Identity::~V3Identity() {
  if (user_ == nullptr) return;
  if (const auto place = places_.find(engine_); place != places_.end() && place->second == this) {
    usm_remove_user(static_cast<usmUser*>(user_));
    places_.erase(place);
  }
  usm_free_user(static_cast<usmUser*>(user_));
}

void V3Identity::begin(const std::string& engine, const std::string& user) {
  engine_ = engine;
  name_ = user;
  if (const auto place = places_.find(engine_); place != places_.end()) {
    place->second->leave_place();
    places_.erase(place);
  }
}

void V3Identity::made() {
  user_ = listed_user(engine_, name_);
  if (user_ == nullptr) return;
  set_enginetime(engine_bytes(engine_), static_cast<u_int>(engine_.size()), 0, 0, 1);
  places_[engine_] = this;
}

void V3Identity::take_place() {
  if (user_ == nullptr) return;
  V3Identity*& place = places_[engine_];
  if (place == this) return;
  if (place != nullptr) place->leave_place();
  place = this;
  usm_add_user(static_cast<usmUser*>(user_));
  const bool is_known = boots_ != 0 || time_ != 0;
  const std::int64_t passed_s = is_known ? static_cast<std::int64_t>(snmpv3_local_snmpEngineTime()) - left_s_ : 0;
  set_enginetime(engine_bytes(engine_), static_cast<u_int>(engine_.size()), boots_,
                 time_ + static_cast<std::uint32_t>(passed_s), 1);
}

void V3Identity::leave_place() {
  usm_remove_user(static_cast<usmUser*>(user_));
  if (get_enginetime(engine_bytes(engine_), static_cast<u_int>(engine_.size()), &boots_, &time_, 1) !=
      SNMPERR_SUCCESS) {
    boots_ = time_ = 0;
  }
  left_s_ = static_cast<std::int64_t>(snmpv3_local_snmpEngineTime());
}

}  // namespace varve::snmp::session
