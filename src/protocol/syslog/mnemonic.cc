// SPDX-License-Identifier: Apache-2.0
#include "protocol/syslog/mnemonic.h"

#include <algorithm>

#include "base/ascii.h"

namespace varve::protocol::syslog {
namespace {

constexpr CharSet kWordChars("_-", true);

}  // namespace

std::optional<Mnemonic> begins_as_mnemonic(std::string_view text) {
  if (!text.starts_with('%')) return std::nullopt;
  const auto stop = std::ranges::find_if(text.substr(1), [](char c) { return !kWordChars.contains(c); });
  const auto end = static_cast<std::size_t>(stop - text.begin());
  const std::string_view word = text.substr(1, end - 1);
  const std::string_view behind = text.substr(end);
  const std::size_t colon = behind.starts_with(" :") ? 2 : behind.starts_with(':') ? 1 : 0;
  if (colon == 0) return std::nullopt;
  // A facility may have dashes, a severity is one digit between two of them.
  for (std::size_t at = word.find('-'); at != std::string_view::npos; at = word.find('-', at + 1)) {
    if (at + 3 >= word.size() || at == 0) return std::nullopt;
    if (word[at + 1] < '0' || word[at + 1] > '7' || word[at + 2] != '-') continue;
    return Mnemonic{word.substr(0, at), word.substr(at + 3),
                    end + colon + (behind.substr(colon).starts_with(' ') ? 1 : 0)};
  }
  return std::nullopt;
}

}  // namespace varve::protocol::syslog
