// SPDX-License-Identifier: Apache-2.0
// cctz reads the rules. It keeps every name that it was ever asked for, and takes paths for names: so it is only asked
// for names that were seen in tzdata's directory.
#include "model/time_zone.h"

#include <cctz/time_zone.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>

#include "base/mutex.h"
#include "model/time.h"

namespace varve::model {

namespace {

// The common ones first.
constexpr std::array<std::string_view, 13> kUtcNames = {"",    "UTC",           "Etc/UTC", "GMT",           "Etc/GMT",
                                                        "Z",   "Etc/Greenwich", "Etc/UCT", "Etc/Universal", "Etc/Zulu",
                                                        "UCT", "Universal",     "Zulu"};
constexpr std::size_t kCommonUtcNames = 6;

std::filesystem::path directory() {
  const char* set = std::getenv("TZDIR");
  return set != nullptr && *set != '\0' ? set : "/usr/share/zoneinfo";
}

bool has_rules(const std::filesystem::path& file) {
  std::array<char, 4> magic{};
  std::ifstream in(file, std::ios::binary);
  return in.read(magic.data(), magic.size()) && std::string_view(magic.data(), magic.size()) == "TZif";
}

// Zones are named like Europe/Paris; beside them lie tables, copies with leap seconds, and the machine's own zone.
bool is_other(std::string_view name) {
  return name.empty() || name[0] < 'A' || name[0] > 'Z' || name == "Factory" || name.starts_with("SystemV/");
}

std::vector<std::string> read_names() {
  namespace fs = std::filesystem;
  std::vector<std::string> out;
  std::error_code error;
  const fs::path root = directory();
  for (fs::recursive_directory_iterator at(root, error), end; !error && at != end; at.increment(error)) {
    std::string name = at->path().lexically_relative(root).string();
    if (is_other(name)) {
      if (at->is_directory(error)) at.disable_recursion_pending();
    } else if (at->is_regular_file(error) && has_rules(at->path())) {
      out.push_back(std::move(name));
    }
    error.clear();
  }
  std::ranges::sort(out);
  return out;
}

// Read once; asked again as long as there are none.
std::shared_ptr<const std::vector<std::string>> known_names() {
  static Mutex mutex;
  static std::shared_ptr<const std::vector<std::string>> names VARVE_GUARDED_BY(mutex);
  const MutexLock lock(mutex);
  if (names == nullptr || names->empty()) names = std::make_shared<const std::vector<std::string>>(read_names());
  return names;
}

// "+01", "-0330", "+05:45", in minutes.
std::optional<std::int64_t> offset_of(std::string_view name) {
  if (name.size() < 3 || (name[0] != '+' && name[0] != '-') || name.back() == ':') return std::nullopt;
  std::string digits;
  for (std::size_t i = 1; i < name.size(); ++i) {
    if (name[i] == ':' && i == 3) continue;
    if (name[i] < '0' || name[i] > '9') return std::nullopt;
    digits += name[i];
  }
  if (digits.size() != 2 && digits.size() != 4) return std::nullopt;
  const std::int64_t hours = std::stoll(digits.substr(0, 2));
  const std::int64_t minutes = digits.size() == 4 ? std::stoll(digits.substr(2)) : 0;
  if (hours > 23 || minutes > 59) return std::nullopt;
  return (name[0] == '-' ? -1 : 1) * (hours * 60 + minutes);
}

std::int64_t floor_seconds(Timestamp t) { return window_start(t, 1000) / 1000; }

}  // namespace

struct TimeZone::Rules {
  cctz::time_zone zone;
};

bool is_utc_name(std::string_view name, UtcNames names) {
  const auto* const end = kUtcNames.begin() + (names == UtcNames::all ? kUtcNames.size() : kCommonUtcNames);
  return std::find(kUtcNames.begin(), end, name) != end;
}

Result<TimeZone> TimeZone::find(std::string_view name) {
  if (is_utc_name(name, UtcNames::all)) return TimeZone();
  const auto offset = offset_of(name);
  if (offset == 0) return TimeZone();
  static Mutex mutex;
  static std::map<std::string, std::unique_ptr<const Rules>, std::less<>> zones VARVE_GUARDED_BY(mutex);
  const MutexLock lock(mutex);
  TimeZone out;
  if (const auto found = zones.find(name); found != zones.end()) {
    out.rules_ = found->second.get();
    return out;
  }
  Rules rules;
  if (offset) {
    rules.zone = cctz::fixed_time_zone(std::chrono::minutes(*offset));
  } else {
    const auto known = known_names();
    if (known->empty()) return fail(Code::unavailable, "there are no time zones but UTC here: tzdata is not installed");
    if (!std::ranges::binary_search(*known, name) || !cctz::load_time_zone(std::string(name), &rules.zone)) {
      return fail(Code::not_found, std::string(name) + " is not a time zone");
    }
  }
  const auto added = zones.emplace(std::string(name), std::make_unique<const Rules>(rules)).first;
  out.rules_ = added->second.get();
  return out;
}

std::vector<std::string> TimeZone::names() {
  const auto known = known_names();
  return known->empty() ? std::vector<std::string>{"UTC"} : *known;
}

std::int64_t TimeZone::offset_ms(Timestamp t) const {
  const auto at = cctz::time_point<cctz::seconds>(cctz::seconds(floor_seconds(t)));
  return std::int64_t{rules_->zone.lookup(at).offset} * 1000;
}

Timestamp TimeZone::unshifted(Timestamp local) const {
  // Far from a change of the clocks all offsets around are one; finding that out takes a fraction of what a date does.
  const std::int64_t offset = offset_ms(local - kDayMs);
  if (offset_ms(local + kDayMs) == offset && offset_ms(local - offset) == offset) return local - offset;
  const std::int64_t seconds = floor_seconds(local);
  const cctz::civil_second civil = cctz::civil_second(1970, 1, 1) + seconds;
  const auto looked_up = rules_->zone.lookup(civil);
  return std::int64_t{looked_up.pre.time_since_epoch().count()} * 1000 + (local - seconds * 1000);
}

Timestamp add_units(Timestamp t, std::int64_t n, TimeUnit unit, TimeZone zone) {
  if (zone.is_utc() || unit < TimeUnit::days || n == 0) return add_units(t, n, unit);
  return zone.to_utc(add_units(zone.to_local(t), n, unit));
}

std::int64_t units_between(Timestamp from, Timestamp to, TimeUnit unit, TimeZone zone) {
  if (zone.is_utc() || unit < TimeUnit::days) return units_between(from, to, unit);
  // Local times go back an hour in autumn, and add_units() leaves what is skipped in spring: one off at most.
  const std::int64_t n = units_between(zone.to_local(from), zone.to_local(to), unit);
  if (add_units(from, n, unit, zone) > to) return n - 1;
  return add_units(from, n + 1, unit, zone) <= to ? n + 1 : n;
}

Timestamp calendar_start(Timestamp t, TimeUnit unit, TimeZone zone) {
  return zone.is_utc() ? calendar_start(t, unit) : zone.to_utc(calendar_start(zone.to_local(t), unit));
}

}  // namespace varve::model
