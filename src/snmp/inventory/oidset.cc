// SPDX-License-Identifier: Apache-2.0
#include "snmp/inventory/oidset.h"

#include <algorithm>
#include <map>
#include <utility>

#include "model/time.h"
#include "snmp/inventory/device.h"

namespace varve::snmp::inventory {
namespace {

// The first name of a type is the one that is shown.
constexpr std::pair<std::string_view, ObjectType> kTypes[] = {
    {"Counter32", ObjectType::counter32},
    {"Counter64", ObjectType::counter64},
    {"Gauge32", ObjectType::gauge32},
    {"TimeTicks", ObjectType::time_ticks},
    {"Integer32", ObjectType::integer32},
    {"IpAddress", ObjectType::ip_address},
    {"DisplayString", ObjectType::octets},
    {"PhysAddress", ObjectType::phys_address},
    {"ObjectIdentifier", ObjectType::object_id},
    {"Counter", ObjectType::counter32},
    {"Gauge", ObjectType::gauge32},
    {"Unsigned32", ObjectType::gauge32},
    {"INTEGER", ObjectType::integer32},
    {"IANAifType", ObjectType::integer32},
    {"OctetString", ObjectType::octets},
    {"MacAddress", ObjectType::phys_address},
};

constexpr std::pair<std::string_view, HistoryKind> kHistories[] = {{"interfaces", HistoryKind::interfaces},
                                                                   {"saps", HistoryKind::saps},
                                                                   {"outlets", HistoryKind::outlets},
                                                                   {"lsps", HistoryKind::lsps}};

constexpr std::int64_t kFrequencyMaxMs = model::kDayMs;
constexpr std::int64_t kAggregateMaxMs = 366 * model::kDayMs;

void check_object(const Oidset& oidset, const Object& object, const std::string& place,
                  std::vector<std::string>& faults) {
  if (const Status good = check_name(object.name); !good) faults.push_back(place + "name: " + good.error().message);
  if (object.oid.empty()) faults.push_back(place + "oid: it is missing");
  if (object.alias.size() > kNameBytesMax) faults.push_back(place + "alias: it is too long");
  if (oidset.correlator.empty() && !object.oid.empty() && !is_scalar(object.oid)) {
    faults.push_back(place + "oid: " + to_text(object.oid) +
                     " is a column of a table, so the set needs a correlator; a scalar ends in .0");
  }
  if (!object.stand_in) return;
  if (object.type != ObjectType::counter64) faults.push_back(place + "stand_in: only a Counter64 has one");
  if (const Status good = check_name(object.stand_in->name); !good) {
    faults.push_back(place + "stand_in.name: " + good.error().message);
  }
  if (object.stand_in->oid.empty()) faults.push_back(place + "stand_in.oid: it is missing");
}

}  // namespace

std::optional<ObjectType> object_type_of(std::string_view name) {
  for (const auto& [known, type] : kTypes) {
    if (known == name) return type;
  }
  return std::nullopt;
}

std::string_view to_text(ObjectType type) {
  return std::ranges::find(kTypes, type, [](const auto& t) { return t.second; })->first;
}

std::optional<HistoryKind> history_kind_of(std::string_view name) {
  for (const auto& [known, kind] : kHistories) {
    if (known == name) return kind;
  }
  return std::nullopt;
}

std::string_view to_text(HistoryKind kind) { return kHistories[static_cast<std::size_t>(kind)].first; }

const Object* Oidset::find(std::string_view object) const {
  const auto found = std::ranges::find(objects, object, &Object::name);
  return found == objects.end() ? nullptr : &*found;
}

std::optional<ObjectType> Oidset::type_of(std::string_view object) const {
  for (const Object& one : objects) {
    if (one.name == object) return one.type;
    if (one.stand_in && one.stand_in->name == object) return ObjectType::counter32;
  }
  return std::nullopt;
}

std::vector<std::string> faults_of(const Oidset& oidset) {
  std::vector<std::string> out;
  if (const Status good = check_name(oidset.name); !good) out.push_back("name: " + good.error().message);
  const std::int64_t frequency = oidset.frequency_ms;
  if (frequency == 0) {
    out.emplace_back("frequency: it is missing");
  } else if (frequency < model::kSecondMs || frequency > kFrequencyMaxMs || frequency % model::kSecondMs != 0) {
    out.emplace_back("frequency: allowed is 1s to 1d, in whole seconds");
  }
  std::int64_t before = frequency;
  for (std::size_t i = 0; i < oidset.aggregates_ms.size(); ++i) {
    const std::int64_t width = oidset.aggregates_ms[i];
    const std::string place = "aggregates[" + std::to_string(i) + "]: ";
    if (width % model::kSecondMs != 0 || width > kAggregateMaxMs) {
      out.push_back(place + "allowed are whole seconds, up to 366d");
    } else if (width <= before) {
      out.push_back(place + "it is not longer than the one before, or than the frequency");
    }
    before = width;
  }
  if (oidset.objects.empty()) out.emplace_back("objects: there are none");
  if (oidset.objects.size() > kObjectsMax) {
    out.push_back("objects: there may be " + std::to_string(kObjectsMax));
    return out;
  }
  std::map<std::string_view, std::size_t> seen;
  const auto once = [&](std::string_view name, std::size_t i, const std::string& place) {
    const auto [first, is_new] = seen.emplace(name, i);
    if (!is_new) {
      out.push_back(place + "name: \"" + std::string(name) + "\" is objects[" + std::to_string(first->second) +
                    "], too");
    }
  };
  for (std::size_t i = 0; i < oidset.objects.size(); ++i) {
    const std::string place = "objects[" + std::to_string(i) + "].";
    check_object(oidset, oidset.objects[i], place, out);
    once(oidset.objects[i].name, i, place);
    if (oidset.objects[i].stand_in) once(oidset.objects[i].stand_in->name, i, place + "stand_in.");
  }
  if (oidset.history && oidset.correlator.empty())
    out.emplace_back("history: it needs a correlator, which names the rows");
  return out;
}

}  // namespace varve::snmp::inventory
