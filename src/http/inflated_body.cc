// SPDX-License-Identifier: Apache-2.0
#include "http/inflated_body.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "http/handler.h"

namespace varve::http {
namespace {

constexpr std::size_t kMuchLarger = 32;  // few bodies unpack to more than so many times their size
constexpr std::size_t kSpareMax = 16UL << 20;
constexpr std::size_t kSmallSpareMax = 512UL << 10;

// Decompressed bodies use strings of each thread again and again: idle connections hold none. Small ones have one of
// their own, as they are charged for the memory that they hold.
thread_local std::string spare_body;
thread_local std::string small_spare;

}  // namespace

Result<std::string_view> InflatedBody::unpack_small(std::span<const codec::Coding> codings, std::string_view raw,
                                                    std::size_t max) {
  VARVE_RETURN_IF_ERROR(inflate(codings, raw, max, small_spare));
  return charged();
}

Result<std::string_view> InflatedBody::unpack(std::span<const codec::Coding> codings, std::string_view raw,
                                              std::size_t max) {
  for (std::size_t room = std::min(kMuchLarger * raw.size(), max);; room = max) {
    if (!memory_.resize(room + kBodyPadding)) return fail(Code::unavailable, "no memory is left for the body");
    const Status whole = inflate(codings, raw, room, spare_body);
    if (whole) return charged();
    if (whole.error().code != Code::too_large || room == max) return fail(whole.error());
  }
}

Status InflatedBody::inflate(std::span<const codec::Coding> codings, std::string_view raw, std::size_t max,
                             std::string& spare) {
  check(!codings.empty(), "there is something to undo");
  if (text_.capacity() < spare.capacity() && spare.capacity() <= 2 * max) text_.swap(spare);
  for (std::size_t i = codings.size(); i-- > 0;) {
    std::string out = std::move(text_);
    const bool again = i + 1 != codings.size();  // a body coded twice needs both
    const std::string once = again ? std::exchange(out, {}) : std::string();
    const Status status = codec::decompress(codings[i], again ? std::string_view(once) : raw, max, out);
    text_ = std::move(out);
    VARVE_RETURN_IF_ERROR(status);
  }
  text_.reserve(text_.size() + kBodyPadding);
  return {};
}

Result<std::string_view> InflatedBody::charged() {
  if (!memory_.resize(text_.capacity())) return fail(Code::unavailable, "no memory is left for the body");
  return std::string_view(text_);
}

void InflatedBody::clear() {
  std::string& kept = text_.capacity() <= kSmallSpareMax ? small_spare : spare_body;
  if (text_.capacity() > kept.capacity() && text_.capacity() <= kSpareMax) text_.swap(kept);
  std::string().swap(text_);
  memory_.clear();
}

}  // namespace varve::http
