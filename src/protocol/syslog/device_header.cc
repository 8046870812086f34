// SPDX-License-Identifier: Apache-2.0
#include "protocol/syslog/device_header.h"

#include <algorithm>
#include <charconv>

#include "base/ascii.h"
#include "protocol/syslog/bsd_header.h"
#include "protocol/syslog/mnemonic.h"

namespace varve::protocol::syslog {
namespace {

constexpr std::size_t kDigitsMax = 18;
constexpr std::size_t kUptimeMax = 16;
constexpr CharSet kNodeChars("/", true);

bool is_numeral(char c) { return c >= '0' && c <= '9'; }

void skip_blank(std::string_view& text) {
  if (text.starts_with(' ')) text.remove_prefix(1);
}

// A word with a colon and a blank behind: without the colon. "": there is none.
std::string_view closed_word(std::string_view text) {
  const std::size_t end = text.find(' ');
  if (end == std::string_view::npos || end < 2 || text[end - 1] != ':') return {};
  return text.substr(0, end - 1);
}

bool take_count(std::string_view& text, DeviceHeader& out) {
  const std::string_view word = closed_word(text);
  if (word.empty() || word.size() > kDigitsMax || !std::ranges::all_of(word, is_numeral)) return false;
  std::int64_t number = 0;
  std::from_chars(word.data(), word.data() + word.size(), number);
  if (!out.sequence) out.sequence = number;
  text.remove_prefix(word.size() + 2);
  return true;
}

// `3w4d: ` or `00:01:05: `, with a mnemonic behind.
bool is_uptime(std::string_view text) {
  const std::string_view word = closed_word(text);
  return !word.empty() && word.size() <= kUptimeMax && is_numeral(word[0]) &&
         word.find_first_not_of("0123456789:ywdhms.") == std::string_view::npos &&
         begins_as_mnemonic(text.substr(word.size() + 2));
}

bool take_uptime(std::string_view& text, DeviceHeader& out) {
  if (!is_uptime(text)) return false;
  out.uptime = closed_word(text);
  text.remove_prefix(out.uptime.size() + 2);
  return true;
}

bool take_origin(std::string_view& text, DeviceHeader& out) {
  const std::string_view word = closed_word(text);
  if (word.empty() || word.starts_with(':') || !is_host(word)) return false;
  if (is_uptime(text) || begins_as_mnemonic(text)) return false;
  out.host = word;
  text.remove_prefix(word.size() + 2);
  return true;
}

// A colon alone, as NX-OS writes it; without a blank, as the EMBLEM format does.
bool take_colon(std::string_view& text) {
  if (!text.starts_with(':')) return false;
  text.remove_prefix(1);
  skip_blank(text);
  return true;
}

// `xr1 RP/0/RSP0/CPU0:` with the date at once behind it; the name may be missing.
bool take_node(std::string_view& text, DeviceHeader& out) {
  const auto node_of = [](std::string_view at) {
    const std::size_t end = at.find(':');
    const std::string_view word = at.substr(0, end);
    const bool good = end != std::string_view::npos && word.find('/') != std::string_view::npos &&
                      std::ranges::all_of(word, [](char c) { return kNodeChars.contains(c); }) &&
                      !at.substr(end + 1).starts_with(' ');
    return good ? word : std::string_view();
  };
  std::string_view left = text;
  out.node = node_of(left);
  if (const std::size_t blank = left.find(' '); out.node.empty() && blank != std::string_view::npos) {
    const std::string_view host = left.substr(0, blank);
    left.remove_prefix(blank + 1);
    out.node = node_of(left);
    if (out.node.empty() || !is_host(host)) return out.node = {}, false;
    out.host = host;
  }
  if (out.node.empty()) return false;
  text = left.substr(out.node.size() + 1);
  return true;
}

// Is a mnemonic here, or behind a program's tag?
bool says_mnemonic(std::string_view text) {
  skip_blank(text);
  if (begins_as_mnemonic(text) || text.starts_with(kVdcOpens)) return true;
  return !take_tag(text).program.empty() && begins_as_mnemonic(text);
}

}  // namespace

bool take_device_header(std::string_view& text, const Context& context, DeviceHeader& out) {
  DeviceHeader found;
  std::string_view left = text;
  while (take_count(left, found) || take_colon(left)) {
  }
  const bool counted = left.size() != text.size();
  if (take_origin(left, found)) {
    while (take_count(left, found) || take_colon(left)) {
    }
  }
  take_node(left, found);
  const bool in_front = left.size() != text.size() || left.starts_with('*') || left.starts_with('.');
  Date date;
  if (in_front && take_date(left, context, date)) {
    found.time = date.time;
    skip_blank(left);
  } else if (!take_uptime(left, found) && !in_front) {
    return false;
  }
  const bool only_named = !counted && !found.host.empty() && found.node.empty();
  if ((only_named || !found.time) && !says_mnemonic(left)) return false;
  text = left;
  out = found;
  return true;
}

}  // namespace varve::protocol::syslog
