// SPDX-License-Identifier: Apache-2.0
#include "logs/chunks.h"

#include <algorithm>
#include <charconv>

namespace varve::logs {
namespace {

constexpr std::size_t kChunkLineMax = 16UL << 10;

}  // namespace

Status Chunks::take(std::string_view bytes, std::string& body) {
  while (!bytes.empty() && state_ != State::end) {
    if (state_ == State::data) {
      const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size()));
      body.append(bytes.substr(0, size));
      bytes.remove_prefix(size);
      left_ -= size;
      if (left_ == 0) state_ = State::behind_data;
      continue;
    }
    const std::size_t end = bytes.find('\n');
    line_.append(bytes.substr(0, end));
    if (line_.size() > kChunkLineMax) return fail(Code::invalid, "a chunk's line is too long");
    if (end == std::string_view::npos) return {};
    bytes.remove_prefix(end + 1);
    if (line_.ends_with('\r')) line_.pop_back();
    VARVE_RETURN_IF_ERROR(take_line());
    line_.clear();
  }
  return {};
}

Status Chunks::take_line() {
  if (state_ == State::behind_data) {
    if (!line_.empty()) return fail(Code::invalid, "a chunk is longer than it says");
    state_ = State::size;
  } else if (state_ == State::trailer) {
    if (line_.empty()) state_ = State::end;
  } else {
    const char* const end = line_.data() + line_.size();
    const auto read = std::from_chars(line_.data(), end, left_, 16);
    if (read.ec != std::errc() || (read.ptr != end && *read.ptr != ';' && *read.ptr != ' ')) {
      return fail(Code::invalid, "a chunk has no size");
    }
    state_ = left_ == 0 ? State::trailer : State::data;
  }
  return {};
}

}  // namespace varve::logs
