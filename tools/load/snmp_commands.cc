// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <charconv>
#include <map>
#include <span>

#include "tools/load/snmp_agent.h"

namespace varve::load {

const std::string_view kSnmpCommands = R"(SCOPE WORD...   scope: * (every device), 7, 7-20
  restart                   sysUpTime and counters from 0
  discontinuity             counters from 0; ifCounterDiscontinuityTime says so
  counters=N                counters go on from N, and nothing says so (4294967000: 32 bits wrap soon)
  renumber                  each interface moves to the row before
  renumber_every=MS         again and again
  speed=MBITS alias=TEXT    ifHighSpeed; ifAlias (no blanks; # is the interface, @ the device)
  silent=0|1 loss=PERMILLE delay=MS duplicates=N cut=BYTES too_big=VARBINDS
  walk=normal|stuck|loop|endless          oids that do not increase, or do not end
  wrong=none|id|version|community|kind    what an answer says of itself
  answer=normal|missing|empty|error       noSuchObject, no varbinds, genErr
  names=plain|empty|same|bytes|huge       ifName of interface 1
  types=normal|text                       counters as texts
  honest                    none of these lies any more
  hear=N                    keep the next N requests
  heard                     those kept: TIME:g|n|b:NAMES ... (GET, GETNEXT, GETBULK)
  stats                     what was received, answered, and how many objects that were
)";

namespace {

bool number_of(std::string_view text, std::uint64_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size();
}

template <typename T>
bool choose(std::string_view text, T& value, std::initializer_list<std::string_view> names) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names.begin()[i] == text) {
      value = static_cast<T>(i);
      return true;
    }
  }
  return false;
}

bool set_number(Device& device, std::string_view key, std::uint64_t value, std::int64_t now_ms) {
  Lies& lies = device.lies;
  const std::map<std::string_view, std::uint64_t*> places = {
      {"loss", &lies.loss_permille},  {"delay", &lies.delay_ms},  {"duplicates", &lies.duplicates},
      {"cut", &lies.cut_bytes},       {"too_big", &lies.too_big}, {"renumber_every", &lies.renumber_every_ms},
      {"speed", &device.speed_mbits}, {"hear", &device.heard_max}};
  if (const auto found = places.find(key); found != places.end()) {
    *found->second = value;
    return true;
  }
  if (key == "counters") {
    device.set_counters(value, now_ms);
    return true;
  }
  if (key == "silent") {
    lies.silent = value != 0;
    return value <= 1;
  }
  return false;
}

}  // namespace

bool apply_word(Device& device, std::string_view word, std::int64_t now_ms) {
  Lies& lies = device.lies;
  if (word == "restart") return device.restart(now_ms), true;
  if (word == "discontinuity") return device.discontinue(now_ms), true;
  if (word == "renumber") return ++device.shift, true;
  if (word == "honest") return lies = {}, true;
  const auto equals = word.find('=');
  if (equals == std::string_view::npos) return false;
  const auto key = word.substr(0, equals), text = word.substr(equals + 1);
  if (key == "walk") return choose(text, lies.walk, {"normal", "stuck", "loop", "endless"});
  if (key == "wrong") return choose(text, lies.wrong, {"none", "id", "version", "community", "kind"});
  if (key == "answer") return choose(text, lies.answer, {"normal", "missing", "empty", "error"});
  if (key == "names") return choose(text, lies.names, {"plain", "empty", "same", "bytes", "huge"});
  if (key == "types") return choose(text, lies.types, {"normal", "text"});
  if (key == "alias") return device.alias = text, true;
  std::uint64_t value = 0;
  return number_of(text, value) && set_number(device, key, value, now_ms);
}

namespace {

struct Scope {
  std::uint64_t first = 0, last = 0;
};

// False: it is none of these devices.
bool parse_scope(std::string_view text, std::size_t devices, Scope& scope) {
  if (text == "*") {
    scope = {0, devices - 1};
    return true;
  }
  const auto dash = text.find('-');
  if (!number_of(text.substr(0, dash), scope.first)) return false;
  scope.last = scope.first;
  if (dash != std::string_view::npos && !number_of(text.substr(dash + 1), scope.last)) return false;
  return scope.first <= scope.last && scope.last < devices;
}

std::string_view take_word(std::string_view& line) {
  const auto begin = std::min(line.find_first_not_of(' '), line.size());
  const auto end = std::min(line.find(' ', begin), line.size());
  const auto word = line.substr(begin, end - begin);
  line.remove_prefix(end);
  return word;
}

std::string stats_of(std::span<const Device> devices) {
  std::uint64_t received = 0, answered = 0, objects = 0;
  for (const Device& device : devices) {
    received += device.received;
    answered += device.answered;
    objects += device.objects;
  }
  return fmt::format(" {} {} {}", received, answered, objects);
}

std::string take_heard(std::span<Device> devices) {
  std::string text;
  for (Device& device : devices) {
    for (const Heard& one : device.heard) text += fmt::format(" {}:{}:{}", one.time_ms, one.kind, one.names);
    device.heard.clear();
    device.heard_max = 0;
  }
  return text;
}

}  // namespace

std::string SnmpAgent::command(std::string_view line, std::int64_t now_ms) {
  Scope scope;
  const auto who = take_word(line);
  if (!parse_scope(who, devices_.size(), scope)) return fmt::format("error: there is no device {}", who);
  const auto devices = std::span(devices_).subspan(scope.first, scope.last - scope.first + 1);
  std::string answer = fmt::format("ok {}", now_ms);
  while (true) {
    const auto word = take_word(line);
    if (word.empty()) return answer;
    if (word == "stats") {
      answer += stats_of(devices);
    } else if (word == "heard") {
      answer += take_heard(devices);
    } else {
      for (Device& device : devices) {
        if (!apply_word(device, word, now_ms)) return fmt::format("error: {}", word);
      }
    }
  }
}

}  // namespace varve::load
