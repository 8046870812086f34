// SPDX-License-Identifier: Apache-2.0
#include "api/shared/writing.h"

#include <algorithm>

namespace varve::api {

int status_of_refused(const protocol::Outcome& outcome) {
  if (outcome.accepted == 0 && outcome.count(Code::limit) == outcome.rejected) return 429;
  return outcome.count(Code::unavailable) != 0 ? 503 : 400;
}

std::string refused_rows(const protocol::Outcome& outcome, std::string_view row) {
  constexpr std::size_t kNamed = 20;
  std::string text;
  const std::size_t named = std::min(kNamed, outcome.listed.size());
  for (std::size_t i = 0; i < named; ++i) {
    if (i != 0) text += "; ";
    text.append(row).append(" ").append(std::to_string(outcome.listed[i].position));
    text.append(": ").append(outcome.listed[i].reason);
  }
  if (outcome.rejected > named) text += "; and " + std::to_string(outcome.rejected - named) + " more";
  return text;
}

void count_refused(write::Writer& writer, const protocol::Outcome& outcome) {
  for (std::size_t code = 0; code < outcome.by_code.size(); ++code) {
    if (outcome.by_code[code] != 0) writer.count_rejected(static_cast<Code>(code), outcome.by_code[code]);
  }
}

}  // namespace varve::api
