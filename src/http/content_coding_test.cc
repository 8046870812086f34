// SPDX-License-Identifier: Apache-2.0
#include "http/content_coding.h"

#include <gtest/gtest.h>

#include "http/answer.h"

namespace varve::http {
namespace {

using Headers = std::vector<std::pair<std::string, std::string>>;

std::string shown_codings(Headers headers, bool protobuf_is_snappy = false) {
  Request request;
  request.headers = std::move(headers);
  const auto codings = content_codings(request, protobuf_is_snappy);
  if (!codings) return "refused";
  std::string out;
  for (const codec::Coding coding : *codings) out.append(out.empty() ? "" : " ").append(name_of(coding));
  return out;
}

TEST(ContentCoding, InOrderOverAllLines) {
  const auto one = [](const char* value) { return shown_codings({{"content-encoding", value}}); };
  EXPECT_EQ(shown_codings({}), "");
  EXPECT_EQ(one("gzip"), "gzip");
  EXPECT_EQ(one("GZip"), "gzip");
  EXPECT_EQ(one("identity"), "");
  EXPECT_EQ(one(""), "");
  EXPECT_EQ(one("zstd, gzip"), "zstd gzip");
  EXPECT_EQ(one(" ,zstd\t,,"), "zstd");
  EXPECT_EQ(one("br"), "refused");
  EXPECT_EQ(one("gzip;q=1"), "refused");
  EXPECT_EQ(shown_codings({{"content-encoding", "zstd"}, {"x", "y"}, {"content-encoding", "gzip"}}), "zstd gzip");
}

TEST(ContentCoding, AtMostTwo) {
  const auto one = [](const char* value) { return shown_codings({{"content-encoding", value}}); };
  EXPECT_EQ(one("gzip,gzip,gzip"), "refused");
  EXPECT_EQ(one("identity,gzip,identity"), "refused");
  EXPECT_EQ(one("identity,gzip"), "gzip");
  EXPECT_EQ(shown_codings({{"content-encoding", "gzip,gzip"}, {"content-encoding", "identity"}}), "refused");
}

TEST(ContentCoding, OfKairosDbsClients) {
  EXPECT_EQ(shown_codings({{"content-type", "Application/GZIP; x=y"}}), "gzip");
  EXPECT_EQ(shown_codings({{"content-type", "application/gzip"}, {"content-encoding", "gzip"}}), "gzip");
  EXPECT_EQ(shown_codings({{"content-type", "application/gzip"}, {"content-encoding", "identity"}}), "");
  EXPECT_EQ(shown_codings({{"content-type", "application/json"}}), "");
}

TEST(ContentCoding, OfLokisClients) {
  const Headers protobuf{{"content-type", "application/x-protobuf"}};
  EXPECT_EQ(shown_codings(protobuf, true), "snappy");
  EXPECT_EQ(shown_codings(protobuf), "");
  EXPECT_EQ(shown_codings({{"content-type", "application/json"}}, true), "");
  EXPECT_EQ(shown_codings({protobuf[0], {"content-encoding", "snappy"}}, true), "snappy");
  EXPECT_EQ(shown_codings({protobuf[0], {"content-encoding", "gzip"}}, true), "gzip");
}

}  // namespace
}  // namespace varve::http
