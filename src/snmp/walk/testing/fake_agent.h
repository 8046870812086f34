// SPDX-License-Identifier: Apache-2.0
// FakeAgent: answers requests from a map of values, honestly or not, without a network.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "snmp/session/binding.h"
#include "snmp/walk/walk.h"

namespace varve::snmp::walk::testing {

using session::Binding;
using session::Kind;

struct FakeValue {
  Kind kind = Kind::counter64;
  std::uint64_t number = 0;
  std::string octets = {};
};

struct FakeAgent {
  std::map<ArcVector, FakeValue> values = {};
  std::size_t bindings_max = 1000;   // of an answer; further ones are cut off
  std::size_t too_big_above = 1000;  // bindings: then tooBig
  bool is_v1 = false;
  int requests = 0;
  std::size_t last_size = 0;                    // bindings of the last answer
  std::function<void(FakeAgent&)> before = {};  // each answer

  void set(ArcVector name, FakeValue value) { values[std::move(name)] = std::move(value); }

  // Views are valid until the next answer.
  session::Answer answer(const session::Request& request, model::Timestamp at) {
    ++requests;
    if (before) before(*this);
    names_.clear();
    session::Answer out;
    out.received_ms = at;
    const std::size_t once =
        request.command == session::Command::get_bulk ? request.non_repeaters : request.names.size();
    std::vector<ArcVector> cursors;
    for (const Name name : request.names) cursors.emplace_back(name.begin(), name.end());
    const bool is_get = request.command == session::Command::get;
    for (std::size_t i = 0; i < once; ++i) step(cursors[i], is_get);
    for (unsigned r = 0; r < request.repetitions && request.command == session::Command::get_bulk; ++r) {
      for (std::size_t i = once; i < cursors.size(); ++i) step(cursors[i], false);
    }
    if (names_.size() > too_big_above) {
      out.error_status = session::kTooBig;
      return out;
    }
    names_.resize(std::min(names_.size(), bindings_max));
    bindings_.clear();
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const auto& [name, value] = names_[i];
      if (is_v1 && (value.kind == Kind::end_of_view || value.kind == Kind::no_instance)) {
        out.error_status = session::kNoSuchName;
        out.error_index = static_cast<int>(i + 1);
        return out;
      }
      bindings_.push_back({.name = name, .kind = value.kind, .number = value.number, .octets = value.octets});
    }
    last_size = bindings_.size();
    out.bindings = bindings_;
    return out;
  }

 private:
  void step(ArcVector& cursor, bool is_get) {
    const auto at = is_get ? values.find(cursor) : values.upper_bound(cursor);
    if (at == values.end()) {
      names_.emplace_back(cursor, FakeValue{is_get ? Kind::no_instance : Kind::end_of_view});
      return;
    }
    cursor = at->first;
    names_.emplace_back(*at);
  }

  std::vector<std::pair<ArcVector, FakeValue>> names_;
  std::vector<Binding> bindings_;
};

}  // namespace varve::snmp::walk::testing
