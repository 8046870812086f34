// SPDX-License-Identifier: Apache-2.0
#include "protocol/syslog/bsd_header.h"

#include <algorithm>

#include "base/ascii.h"

namespace varve::protocol::syslog {
namespace {

constexpr std::size_t kAbsent = std::string_view::npos;
// rsyslog cuts tags to this when it forwards them.
constexpr std::size_t kTagCut = 32;
constexpr std::size_t kAddressDigits = 12;

// Names, addresses, and the chains of them that syslog-ng makes of relays.
constexpr CharSet kHostChars = [] {
  CharSet set("._-:/@%+", true);
  set.add_from(0x80);
  return set;
}();

// What occurs in names of programs, and not in JSON or key=value, with which a text without tag may begin.
constexpr CharSet kProgramChars = [] {
  CharSet set("._-:/@%+#~()*!$&|?^", true);
  set.add_from(0x80);
  return set;
}();

bool all_of(std::string_view text, const CharSet& set) {
  return !text.empty() && std::ranges::all_of(text, [&](char c) { return set.contains(c); });
}

bool all_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

bool has_letter(std::string_view text) {
  return std::ranges::any_of(text, [](char c) {
    const char small = lower(c);
    return (small >= 'a' && small <= 'z') || static_cast<unsigned char>(c) >= 0x80;
  });
}

bool is_hex(std::string_view text) {
  return text.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

// Three parts, of which the last is a version; or an address of six bytes, and a model.
bool is_station(std::string_view word) {
  std::size_t parts = 0;
  const std::size_t first = word.find(',');
  for (std::string_view left = word; parts == 0 || !left.empty(); ++parts) {
    const std::size_t end = std::min(left.find(','), left.size());
    if (!all_of(left.substr(0, end), kHostChars) || end + 1 == left.size()) return false;
    left.remove_prefix(std::min(end + 1, left.size()));
  }
  return parts >= 3 || (parts == 2 && first == kAddressDigits && is_hex(word.substr(0, first)));
}

void take_blank(std::string_view& text) {
  if (text.starts_with(' ')) text.remove_prefix(1);
}

// `program[pid]` without the colon; `any`: the pid need not be a number.
Tag tag_of(std::string_view word, bool any) {
  const std::size_t open = word.find('[');
  const std::string_view program = word.substr(0, open);
  if (!all_of(program, kProgramChars) || !has_letter(program)) return {};
  if (open == kAbsent) return {program, {}};
  if (!word.ends_with(']')) return {};
  const std::string_view pid = word.substr(open + 1, word.size() - open - 2);
  return any || all_digits(pid) ? Tag{program, pid} : Tag{};
}

}  // namespace

bool is_host(std::string_view word) { return all_of(word, kHostChars); }

std::string_view take_station(std::string_view& text) {
  const std::size_t end = text.find(' ');
  if (end == kAbsent) return {};
  std::string_view word = text.substr(0, end);
  if (word.find(',') == kAbsent) return {};
  if (word.ends_with(':')) word.remove_suffix(1);
  if (word.starts_with("(\"") && word.ends_with("\")")) word = word.substr(2, word.size() - 4);
  std::string_view left = text.substr(end + 1);
  const std::string_view behind = left;
  if (!is_station(word) || take_tag(left).program.empty()) return {};
  text = behind;
  return word;
}

std::string_view take_host(std::string_view& text) {
  const std::size_t end = text.find(' ');
  if (end == kAbsent || end == 0) return {};
  const std::string_view word = text.substr(0, end);
  std::string_view host = word;
  if (word.starts_with('[') && word.ends_with(']')) host = word.substr(1, end - 2);  // an IPv6 address
  if (!is_host(host) || word.ends_with(':')) return take_station(text);
  if (host.size() != word.size() && host.find(':') == kAbsent) return {};
  text.remove_prefix(end + 1);
  return host;
}

Tag take_tag(std::string_view& text) {
  const std::size_t blank = text.find(' ');
  const std::string_view word = text.substr(0, blank);
  Tag tag;
  std::size_t end = word.size();
  if (const std::size_t close = word.find("]:"); close != kAbsent && word.find('[') < close) {
    tag = tag_of(word.substr(0, close + 1), true);
    end = close + 2;
  } else if (word.ends_with(':')) {
    const std::string_view name = word.substr(0, word.size() - 1);
    if (name.find('[') == kAbsent) tag = tag_of(name, true);
  } else if (word.ends_with(']')) {
    tag = tag_of(word, false);
    if (tag.pid.empty()) tag = {};
  } else if (const std::size_t open = word.find('['); word.size() == kTagCut && blank != kAbsent && open != kAbsent) {
    // The number is not whole, so it is none.
    if (open + 1 == word.size() || all_digits(word.substr(open + 1))) tag = tag_of(word.substr(0, open), true);
  }
  if (tag.program.empty()) return {};
  text.remove_prefix(end);
  take_blank(text);
  return tag;
}

}  // namespace varve::protocol::syslog
