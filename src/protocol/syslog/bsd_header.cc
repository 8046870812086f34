// SPDX-License-Identifier: Apache-2.0
#include "protocol/syslog/bsd_header.h"

#include <algorithm>

#include "base/ascii.h"

namespace varve::protocol::syslog {
namespace {

constexpr std::size_t kAbsent = std::string_view::npos;
// rsyslog cuts tags to this when it forwards them.
constexpr std::size_t kTagCut = 32;

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

void take_blank(std::string_view& text) {
  if (text.starts_with(' ')) text.remove_prefix(1);
}

// `program[pid]` without the colon; `any`: the pid need not be a number.
Tag tag_of(std::string_view word, bool any) {
  const std::size_t open = word.find('[');
  const std::string_view program = word.substr(0, open);
  if (!all_of(program, kProgramChars)) return {};
  if (open == kAbsent) return {program, {}};
  if (!word.ends_with(']')) return {};
  const std::string_view pid = word.substr(open + 1, word.size() - open - 2);
  return any || all_digits(pid) ? Tag{program, pid} : Tag{};
}

}  // namespace

std::string_view take_host(std::string_view& text) {
  const std::size_t end = text.find(' ');
  if (end == kAbsent || end == 0 || text[end - 1] == ':') return {};
  const std::string_view word = text.substr(0, end);
  std::string_view host = word;
  if (word.starts_with('[') && word.ends_with(']')) host = word.substr(1, end - 2);  // an IPv6 address
  if (!all_of(host, kHostChars) || (host.size() != word.size() && host.find(':') == kAbsent)) return {};
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
