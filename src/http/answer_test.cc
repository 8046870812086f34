// SPDX-License-Identifier: Apache-2.0
#include "http/answer.h"

#include <gtest/gtest.h>

namespace varve::http {
namespace {

using codec::Coding;

TEST(Answer, Errors) {
  EXPECT_EQ(error_response(400, "a\"b").body, R"({"error":"a\"b","errors":["a\"b"]})"
                                              "\n");
  EXPECT_TRUE(error_response(400, "m").headers.empty());
  EXPECT_EQ(error_response(Error{Code::unavailable, "m"}).headers.at(0).first, "Retry-After");
  EXPECT_EQ(error_response(Error{Code::limit, "m"}).status, 429);
}

TEST(Answer, AcceptedCodings) {
  EXPECT_EQ(accepted_coding(""), Coding::identity);
  EXPECT_EQ(accepted_coding("gzip"), Coding::gzip);
  EXPECT_EQ(accepted_coding("gzip, deflate, br"), Coding::gzip);
  EXPECT_EQ(accepted_coding("deflate"), Coding::identity);
  EXPECT_EQ(accepted_coding("GZIP;q=0.5 , zstd"), Coding::zstd);
  EXPECT_EQ(accepted_coding("gzip;q=1, zstd;q=0"), Coding::gzip);
  EXPECT_EQ(accepted_coding("gzip; q=0.000"), Coding::identity);
  EXPECT_EQ(accepted_coding("*"), Coding::gzip);
  EXPECT_EQ(accepted_coding("snappy"), Coding::identity);
  EXPECT_EQ(accepted_coding(",,;,"), Coding::identity);
}

std::string head(const Response& response, const Framing& framing) {
  std::string out;
  append_head(out, response, framing);
  const auto date = out.find("Date: ");
  EXPECT_NE(date, std::string::npos);
  return out.erase(date, out.find("\r\n", date) + 2 - date);
}

TEST(Answer, Heads) {
  EXPECT_EQ(head(Response::empty(204), {}), "HTTP/1.1 204 No Content\r\n\r\n");
  EXPECT_EQ(head(Response::text(200, "abc"), {.length = 3}),
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 3\r\n\r\n");
  EXPECT_EQ(head(Response::text(200, ""), {.chunked = true}),
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nTransfer-Encoding: chunked\r\n\r\n");
  EXPECT_EQ(head(Response::empty(204), {.keep_alive = false}), "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(head(Response::empty(200), {.http_1_0 = true}),
            "HTTP/1.0 200 OK\r\nContent-Length: 0\r\nConnection: keep-alive\r\n\r\n");
}

TEST(Answer, AHeaderCannotBreakTheHead) {
  Response response = Response::empty(204);
  response.headers = {{"A", "b\r\nSet-Cookie: c"}, {"D\n", "e"}, {"F", "g"}};
  EXPECT_EQ(head(response, {}), "HTTP/1.1 204 No Content\r\nF: g\r\n\r\n");
}

TEST(Answer, CompressesLargeBodies) {
  const std::string large(5000, 'x');
  for (const std::string accept : {"gzip", "zstd"}) {
    Response response = Response::text(200, large);
    encode(response, accept);
    ASSERT_EQ(response.headers.size(), 2U);
    EXPECT_EQ(response.headers[0].second, accept);
    std::string out;
    ASSERT_TRUE(codec::decompress(codec::coding_of(accept).value(), response.body, 10'000, out));
    EXPECT_EQ(out, large);
  }
  Response small = Response::text(200, "abc");
  encode(small, "gzip");
  EXPECT_EQ(small.body, "abc");
  small.pack_small = true;
  encode(small, "gzip");
  ASSERT_EQ(small.headers.size(), 2U);
  EXPECT_EQ(small.headers[0].second, "gzip");
  Response none = Response::empty(204);
  none.pack_small = true;
  encode(none, "gzip");
  EXPECT_TRUE(none.headers.empty());
  Response plain = Response::text(200, large);
  encode(plain, "br");
  EXPECT_EQ(plain.body, large);
  Response done = Response::text(200, large);
  done.headers.emplace_back("content-encoding", "br");
  encode(done, "gzip");
  EXPECT_EQ(done.body, large);
}

TEST(Answer, CompressesStreamsAsOne) {
  Response response = Response::text(200, "first ");
  response.more = [left = 3](std::string& piece) mutable {
    if (left > 0) piece = "piece " + std::to_string(left--) + " ";
    return Status();
  };
  encode(response, "gzip");
  std::string all = response.body;
  for (std::string piece = "x"; !piece.empty();) {
    ASSERT_TRUE(response.more(piece));
    all += piece;
  }
  std::string out;
  ASSERT_TRUE(codec::decompress(Coding::gzip, all, 1000, out));
  EXPECT_EQ(out, "first piece 3 piece 2 piece 1 ");
}

}  // namespace
}  // namespace varve::http
