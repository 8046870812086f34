// SPDX-License-Identifier: Apache-2.0
// Any bytes as a stream: the frames are the same however it is cut, within the limit, and lie in the stream in order.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "protocol/syslog/frames.h"

namespace {

using namespace varve::protocol::syslog;

constexpr std::size_t kMax = 48;

using Outcome = std::pair<std::vector<std::string>, Refusals>;

Outcome split(std::string_view stream, std::size_t first, std::size_t step) {
  Outcome out;
  Frames frames(kMax, out.second);
  const auto take = [&] {
    while (const auto frame = frames.next()) {
      if (frame->size() > kMax) std::abort();
      out.first.emplace_back(*frame);
    }
  };
  for (std::size_t at = 0, bytes = first; at < stream.size(); at += bytes, bytes = step) {
    frames.add(stream.substr(at, bytes));
    take();
    if (step % 2 == 1) frames.shrink();
    if (frames.held() > 2 * kMax) std::abort();  // whatever may still become a frame
  }
  frames.end();
  take();
  if (frames.held() != 0) std::abort();
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2 || size > 4096) return 0;
  const std::string_view stream(reinterpret_cast<const char*>(data) + 2, size - 2);
  const Outcome whole = split(stream, stream.size() + 1, 1);
  if (split(stream, 1U + data[0], 1U + data[1]) != whole) std::abort();
  if (split(stream, 1, 1) != whole) std::abort();
  std::size_t at = 0;
  for (const std::string& frame : whole.first) {
    const std::size_t found = stream.find(frame, at);
    if (found == std::string_view::npos) std::abort();
    at = found + frame.size();
  }
  return 0;
}
