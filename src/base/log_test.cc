// SPDX-License-Identifier: Apache-2.0
#include "base/log.h"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <thread>
#include <vector>

#include <unistd.h>

namespace varve::log {
namespace {

// What `work` writes to stderr, which must fit into a pipe.
std::string captured(const std::function<void()>& work) {
  std::array<int, 2> ends{};
  EXPECT_EQ(::pipe(ends.data()), 0);
  const int saved = ::dup(STDERR_FILENO);
  ::dup2(ends[1], STDERR_FILENO);
  ::close(ends[1]);
  work();
  ::dup2(saved, STDERR_FILENO);
  ::close(saved);
  std::string text;
  std::array<char, 4096> part;
  for (ssize_t n = 0; (n = ::read(ends[0], part.data(), part.size())) > 0;) {
    text.append(part.data(), static_cast<std::size_t>(n));
  }
  ::close(ends[0]);
  return text;
}

// Without the time, whose shape is checked.
std::string line_of(const std::function<void()>& work) {
  const std::string line = captured(work);
  EXPECT_EQ(line.substr(0, 3), "ts=");
  const std::string time = line.substr(3, 24);
  std::string shape = time;
  for (char& c : shape) c = c >= '0' && c <= '9' ? '9' : c;
  EXPECT_EQ(shape, "9999-99-99T99:99:99.999Z");
  return line.substr(3 + 24);
}

TEST(Log, WritesOneLineOfFields) {
  EXPECT_EQ(line_of([] { info("ready", {{"port", 8080}, {"path", "/data"}}); }),
            " level=info msg=ready port=8080 path=/data\n");
  EXPECT_EQ(line_of([] { warn("slow"); }), " level=warn msg=slow\n");
  EXPECT_EQ(line_of([] { error("bad"); }), " level=error msg=bad\n");
}

TEST(Log, QuotesWhatNeedsIt) {
  const struct {
    std::string value;
    std::string printed;
  } cases[] = {
      {"plain-1.5", "plain-1.5"},
      {"", "\"\""},
      {"two words", "\"two words\""},
      {"a=b", "\"a=b\""},
      {"say \"hi\"", "\"say \\\"hi\\\"\""},
      {"back\\slash", "\"back\\\\slash\""},
      {"line\nfeed\r\t", "\"line\\nfeed\\r\\t\""},
      {std::string("nul\0and space", 13), "\"nul?and space\""},
  };
  for (const auto& [value, printed] : cases) {
    EXPECT_EQ(line_of([&] { info("x", {{"v", value}}); }), " level=info msg=x v=" + printed + "\n");
  }
}

TEST(Log, KeepsQuietBelowItsLevel) {
  EXPECT_EQ(captured([] { debug("hidden"); }), "");
  set_level(Level::error);
  EXPECT_EQ(captured([] { warn("hidden"); }), "");
  set_level(Level::debug);
  EXPECT_EQ(line_of([] { debug("seen"); }), " level=debug msg=seen\n");
  set_level(Level::info);
}

TEST(Log, LinesOfThreadsDoNotMix) {
  const std::string text = captured([] {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([] {
        for (int i = 0; i < 50; ++i) info("from a thread", {{"value", "some text that is long enough to mix"}});
      });
    }
  });
  std::size_t lines = 0;
  for (std::size_t at = 0; at < text.size(); ++lines) {
    const std::size_t end = text.find('\n', at);
    ASSERT_NE(end, std::string::npos);
    ASSERT_EQ(text.substr(at + 27, end - at - 27),
              " level=info msg=\"from a thread\" value=\"some text that is long enough to mix\"");
    at = end + 1;
  }
  EXPECT_EQ(lines, 200U);
}

}  // namespace
}  // namespace varve::log
