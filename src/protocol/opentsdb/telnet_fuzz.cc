// SPDX-License-Identifier: Apache-2.0
// Any bytes as a stream, the first byte saying where it is cut: the same samples and answers cut or whole.
#include <cstdlib>

#include "protocol/opentsdb/fake_targets.h"
#include "protocol/opentsdb/telnet.h"

using namespace varve::protocol::opentsdb;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t piece = data[0] == 0 ? size : data[0];
  FakeTargets targets;
  const auto say = [&](std::size_t bytes) {
    targets.drop();
    TelnetOptions options;
    options.line_max = 100;
    TelnetParser parser(targets, options);
    std::string replies;
    for (std::size_t at = 0; at < text.size(); at += bytes) {
      const std::string exact(text.substr(at, bytes));
      parser.feed(exact, replies);
    }
    return targets.samples() + '\n' + replies;
  };
  const auto whole = say(size);
  if (say(piece) != whole || say(size) != whole) std::abort();
  return 0;
}
