// SPDX-License-Identifier: Apache-2.0
// What RFC 3164 has between date and text: a host, and a tag, `program[pid]:`. Either may be missing, and nothing tells
// for sure: so these take what looks like one, and leave the rest to the text.
#pragma once

#include <string_view>

namespace varve::protocol::syslog {

// A word of a host's characters, with a blank behind, and not a tag. "": none.
std::string_view take_host(std::string_view& text);

struct Tag {
  std::string_view program;  // "": none
  std::string_view pid;      // as it is written
};
// A word with a colon behind, or with a number in brackets, and a blank behind that.
Tag take_tag(std::string_view& text);

}  // namespace varve::protocol::syslog
