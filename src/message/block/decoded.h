// SPDX-License-Identifier: Apache-2.0
// What was decoded of a block, from one question to the next: a store may keep it (Sections::decoded).
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "base/result.h"
#include "message/block/parts.h"

namespace varve::message::block {

// What is kept; each is of one type. The number of a facet or bundle comes with it.
enum class DecodedKind : std::uint8_t {
  head,
  table,
  entries,
  terms,
  all_terms,
  numbers,
  templates,
  template_words,
  order,
  postings,
  frame,
};

inline std::uint32_t decoded_name(DecodedKind kind, std::size_t number) {
  return static_cast<std::uint32_t>(kind) << 16 | static_cast<std::uint32_t>(number);
}

// What the store kept; or what `make()` gives, which is a Result<std::shared_ptr<T>>. `bytes_of(T)`: about how many it
// has. It must hold all that it points to.
template <class T, class Make, class BytesOf>
Result<std::shared_ptr<const T>> decoded(const Sections& sections, DecodedKind kind, std::size_t number,
                                         const Make& make, const BytesOf& bytes_of) {
  const std::uint32_t what = decoded_name(kind, number);
  if (auto kept = sections.decoded(what)) return std::static_pointer_cast<const T>(std::move(kept));
  VARVE_ASSIGN_OR_RETURN(std::shared_ptr<const T> made, make());
  if (sections.keeps_decoded()) sections.keep_decoded(what, made, sizeof(T) + bytes_of(*made));
  return made;
}

}  // namespace varve::message::block
