// SPDX-License-Identifier: Apache-2.0
// The examples of docs/protocols/messages.md are accepted, whole.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "protocol/messages/messages_text.h"

namespace varve::protocol::messages {
namespace {

TEST(MessagesDocument, ExamplesAreAccepted) {
  std::ifstream file(VARVE_SOURCE_DIR "/../../docs/protocols/messages.md");
  const std::string document((std::istreambuf_iterator<char>(file)), {});
  constexpr std::string_view kBegin = "\n```ndjson\n";
  Options options;
  options.names_in_xml = true;
  std::string all;
  int examples = 0;
  for (auto at = document.find(kBegin); at != std::string::npos; at = document.find(kBegin, at + 1), ++examples) {
    const auto from = at + kBegin.size();
    const std::string body = document.substr(from, document.find("```", from) - from);
    const std::string got = parsed(body, options, Way::fast, ' ');
    EXPECT_EQ(got.find('!'), std::string::npos) << got;
    all += got + "\n";
  }
  EXPECT_EQ(examples, 3);
  EXPECT_NE(all.find("1795526367123456.789 source='web01'"), std::string::npos) << all;
  EXPECT_NE(all.find("user.id=#7"), std::string::npos) << all;
  EXPECT_NE(all.find("objects='ObjectVNTable:a:b' objects='ObjectVMTable:1' objects='ObjectVMTable:2'"),
            std::string::npos)
      << all;
}

}  // namespace
}  // namespace varve::protocol::messages
