// SPDX-License-Identifier: Apache-2.0
#include "protocol/syslog/zone_name.h"

#include <algorithm>
#include <array>
#include <utility>

#include "protocol/syslog/mnemonic.h"

namespace varve::protocol::syslog {
namespace {

constexpr std::size_t kLettersMax = 7;  // what IOS takes
constexpr std::size_t kUpperMax = 5;
constexpr int kHour = 3600;
// Names that mean one zone wherever they are used. CST, IST and BST do not.
constexpr std::array<std::pair<std::string_view, int>, 13> kZones{{{"UTC", 0},
                                                                   {"GMT", 0},
                                                                   {"EST", -5 * kHour},
                                                                   {"EDT", -4 * kHour},
                                                                   {"MST", -7 * kHour},
                                                                   {"MDT", -6 * kHour},
                                                                   {"PST", -8 * kHour},
                                                                   {"PDT", -7 * kHour},
                                                                   {"CET", kHour},
                                                                   {"CEST", 2 * kHour},
                                                                   {"EET", 2 * kHour},
                                                                   {"EEST", 3 * kHour},
                                                                   {"JST", 9 * kHour}}};

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_letter(char c) { return is_upper(c) || (c >= 'a' && c <= 'z'); }

std::optional<int> ahead_of(std::string_view name) {
  for (const auto& [known, ahead_s] : kZones) {
    if (known == name) return ahead_s;
  }
  return std::nullopt;
}

bool begins_as_year(std::string_view text) {
  return text.size() > 5 && text[0] == ' ' && (text[1] == '1' || text[1] == '2') && text[5] == ' ' &&
         std::ranges::all_of(text.substr(1, 4), [](char c) { return c >= '0' && c <= '9'; });
}

// A blank, and a mnemonic, perhaps behind a program with a number. Firewalls write no zone, but their own name there.
bool is_of_device(std::string_view text) {
  if (!text.starts_with(' ')) return false;
  text.remove_prefix(1);
  if (!text.starts_with('%')) {
    const std::size_t word = text.find(' ');
    if (word == std::string_view::npos || !text.substr(0, word).ends_with("]:")) return false;
    text.remove_prefix(word + 1);
  }
  const auto found = begins_as_mnemonic(text);
  return found && !is_of_firewall(*found);
}

}  // namespace

ZoneName zone_name_at(std::string_view text, std::size_t at) {
  if (at >= text.size() || text[at] != ' ') return {};
  std::size_t end = at + 1;
  while (end < text.size() && end - at <= kLettersMax + 1 && is_letter(text[end])) ++end;
  const std::string_view name = text.substr(at + 1, end - at - 1);
  if (name.size() < 2 || name.size() > kLettersMax) return {};
  const std::string_view behind = text.substr(end);
  if (!behind.empty() && behind[0] != ' ' && behind[0] != ':') return {};
  if (const auto ahead = ahead_of(name)) return {ahead, end};
  const bool dated = name.size() <= kUpperMax && std::ranges::all_of(name, is_upper) && begins_as_year(behind);
  if (dated || (behind.starts_with(':') && is_of_device(behind.substr(1)))) return {std::nullopt, end};
  return {};
}

}  // namespace varve::protocol::syslog
