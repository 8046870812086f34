// SPDX-License-Identifier: Apache-2.0
// Frames are the same however their bytes are cut; what is answered to any of them is within bounds.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "http/websocket.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace varve::http;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto read = [](auto& reader, std::string_view some, std::string& seen) {
    return reader.read(some, [&](FrameKind kind, std::string_view payload) {
      if (payload.size() > FrameReader::kPayloadMax) std::abort();
      append_frame(seen, kind, payload);
    });
  };
  std::string whole_seen, cut_seen;
  FrameReader whole, cut;
  const auto wrong = read(whole, bytes, whole_seen);
  std::optional<CloseCode> cut_wrong;
  for (std::size_t i = 0; i < size && !cut_wrong; ++i) cut_wrong = read(cut, bytes.substr(i, 1), cut_seen);
  if (wrong != cut_wrong || whole_seen != cut_seen) std::abort();
  return 0;
}
