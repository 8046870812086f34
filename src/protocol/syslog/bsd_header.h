// SPDX-License-Identifier: Apache-2.0
// What RFC 3164 has between date and text: a host, and a tag, `program[pid]:`. Either may be missing, and nothing tells
// for sure: so these take what looks like one, and leave the rest to the text.
#pragma once

#include <string_view>

namespace varve::protocol::syslog {

// Is the word made of what occurs in names of hosts and in addresses?
bool is_host(std::string_view word);

// A word of a host's characters, with a blank behind, and not a tag; or what an access point calls itself (see
// take_station). "": none.
std::string_view take_host(std::string_view& text);

// `U7PG2,0418d6,v4.0` or `0418d6a1b2c3,UAP-6.0.18` with a tag behind, perhaps in brackets and quotes, perhaps with a
// colon: words with commas by which UniFi's devices name themselves. "": none.
std::string_view take_station(std::string_view& text);

struct Tag {
  std::string_view program;  // "": none
  std::string_view pid;      // as it is written
};
// A word with a colon behind, or with a number in brackets, and a blank behind that. It has a letter: numbers count
// messages, and say the time.
Tag take_tag(std::string_view& text);

}  // namespace varve::protocol::syslog
