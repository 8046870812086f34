// SPDX-License-Identifier: Apache-2.0
#include "http/request_parser.h"

#include <gtest/gtest.h>

namespace varve::http {
namespace {

using Outcome = RequestParser::Outcome;

// Feeds `text` in pieces of `step` bytes, as a connection does. "method target; name: value; …" or "status reason".
std::string shown_request(std::string text, std::size_t step, std::size_t head_max = 1000,
                          std::size_t target_max = 100) {
  RequestParser parser(head_max, target_max);
  Request request;
  parser.reset(request);
  std::string pending;
  for (std::size_t at = 0; at < text.size(); at += step) {
    pending += text.substr(at, step);
    const auto result = parser.head(pending);
    if (result.outcome == Outcome::error) return std::to_string(result.status) + " " + std::string(result.reason);
    pending.erase(0, result.used);
    if (result.outcome == Outcome::more) continue;
    const Head& head = parser.info();
    std::string out = std::to_string(static_cast<int>(request.method)) + " " + head.target;
    for (const auto& [name, value] : request.headers) out += "; " + name + ": " + value;
    if (!head.keep_alive) out += "; (close)";
    if (head.chunked) out += "; (chunked)";
    if (head.expect_continue) out += "; (expect)";
    if (head.expect_accepted) out += "; (expect 202)";
    if (head.content_length != 0) out += "; (" + std::to_string(head.content_length) + " bytes)";
    return out;
  }
  return "more";
}

TEST(RequestParser, Heads) {
  const std::pair<std::string, std::string> cases[] = {
      {"GET / HTTP/1.1\r\n\r\n", "0 /"},
      {"HEAD /a?b HTTP/1.1\r\nHost: x\r\n\r\n", "1 /a?b; host: x"},
      {"POST /a HTTP/1.1\r\nContent-Length: 5\r\n\r\n", "2 /a; content-length: 5; (5 bytes)"},
      {"POST /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", "2 /a; transfer-encoding: chunked; (chunked)"},
      {"PUT /a HTTP/1.1\r\nExpect: 100-Continue\r\n\r\n", "3 /a; expect: 100-Continue; (expect)"},
      {"POST /a HTTP/1.1\r\nExpect: 202-accepted\r\n\r\n", "2 /a; expect: 202-accepted; (expect 202)"},
      {"DELETE /a HTTP/1.1\r\nConnection: close\r\n\r\n", "4 /a; connection: close; (close)"},
      {"OPTIONS * HTTP/1.1\r\n\r\n", "5 *"},
      {"PATCH /a HTTP/1.0\r\nX-A:  b \r\n\r\n", "6 /a; x-a: b; (close)"},
      {"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", "0 /; connection: keep-alive"},
      {"GET / HTTP/2.0\r\n\r\n", "505 this server speaks HTTP/1.1"},
      {"GET / HTTP/1.1\r\nExpect: gold\r\n\r\n", "417 unknown expectation"},
      {"POST / HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", "501 the only transfer encoding is chunked"},
      {"POST / HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n", "400 not an HTTP request"},
      {"POST / HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n", "400 not an HTTP request"},
      {"POST / HTTP/1.1\r\nContent-Length: -5\r\n\r\n", "400 not an HTTP request"},
      {"POST / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n", "400 not an HTTP request"},
      {"GET\r\n\r\n", "400 not an HTTP request"},
      {"\x16\x03\x01\x02", "400 not an HTTP request"},
      {"GET / HTTP/1.1\r\nbad header\r\n\r\n", "400 not an HTTP request"},
      {"GET / HTTP/1.1\r\n", "more"},
  };
  for (const auto& [text, want] : cases) {
    for (const std::size_t step : {std::size_t{1}, std::size_t{7}, text.size()}) {
      EXPECT_EQ(shown_request(text, step), want) << text << " step " << step;
    }
  }
}

TEST(RequestParser, Limits) {
  const std::string long_target = "GET /" + std::string(100, 'a') + " HTTP/1.1\r\n\r\n";
  const std::string longer_target = "GET /" + std::string(2000, 'a') + " HTTP/1.1\r\n\r\n";
  const std::string long_header = "GET / HTTP/1.1\r\nX: " + std::string(1000, 'a') + "\r\n\r\n";
  std::string many = "GET / HTTP/1.1\r\n";
  for (int i = 0; i < 101; ++i) many += "a: b\r\n";
  std::string big = "GET / HTTP/1.1\r\n";
  for (int i = 0; i < 50; ++i) big += "aaaaaaaaaa: bbbbbbbbbbbb\r\n";
  for (const std::size_t step : {std::size_t{1}, std::size_t{100}, std::size_t{5000}}) {
    EXPECT_EQ(shown_request(long_target, step), "414 the request target is too long");
    EXPECT_EQ(shown_request(longer_target, step), "414 the request target is too long");
    EXPECT_EQ(shown_request(long_header, step), "431 the headers are too large");
    EXPECT_EQ(shown_request(many + "\r\n", step), "431 too many headers");
    EXPECT_EQ(shown_request(big + "\r\n", step).substr(0, 3), "431");
  }
}

// Feeds a chunked body in pieces of `step`; the body, or "status".
std::string unchunked(std::string body, std::size_t step, std::size_t max = 1000) {
  RequestParser parser(1000, 100);
  Request request;
  parser.reset(request);
  EXPECT_EQ(parser.head("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n").outcome, Outcome::done);
  std::string buffer;  // decoded bytes first, then what was not taken yet
  std::size_t decoded = 0;
  for (std::size_t at = 0; at < body.size(); at += step) {
    buffer += body.substr(at, step);
    std::size_t moved = 0;
    const auto result =
        parser.chunks(std::string_view(buffer).substr(decoded), buffer.data() + decoded, max - decoded, moved);
    if (result.outcome == Outcome::error) return std::to_string(result.status);
    buffer.erase(decoded + moved, result.used - moved);
    decoded += moved;
    if (result.outcome == Outcome::done) return buffer.substr(0, decoded) + "|" + buffer.substr(decoded);
  }
  return "more";
}

TEST(RequestParser, Chunks) {
  for (const std::size_t step : {std::size_t{1}, std::size_t{3}, std::size_t{1000}}) {
    EXPECT_EQ(unchunked("5\r\nhello\r\n0\r\n\r\n", step), "hello|");
    EXPECT_EQ(unchunked("5;a=b\r\nhello\r\n6\r\n world\r\n0\r\n\r\n", step), "hello world|");
    EXPECT_EQ(unchunked("1\r\na\r\n0\r\nTrailer: x\r\n\r\n", step), "a|");
    EXPECT_EQ(unchunked("0\r\n\r\n", step), "|");
    EXPECT_EQ(unchunked("xyz\r\n", step), "400");
    EXPECT_EQ(unchunked("5\r\nhelloXX0\r\n", step), "400");
    EXPECT_EQ(unchunked("ffffffffffffffffff\r\n", step), "400");
    EXPECT_EQ(unchunked("5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n", step, 10), "413");
    EXPECT_EQ(unchunked("5\r\nhel", step), "more");
  }
  EXPECT_EQ(unchunked("5\r\nhello\r\n0\r\n\r\nGET / HT", 1000), "hello|GET / HT");
}

TEST(RequestParser, TrailersAreNoHeaders) {
  for (const std::size_t step : {std::size_t{1}, std::size_t{1000}}) {
    RequestParser parser(1000, 100);
    Request request;
    parser.reset(request);
    ASSERT_EQ(parser.head("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n").outcome, Outcome::done);
    const std::string body = "1\r\na\r\n0\r\nContent-Encoding: gzip\r\nX-Tenant: b\r\nExpect: gold\r\n\r\n";
    std::string pending;
    std::string decoded(10, '\0');
    RequestParser::Step last;
    for (std::size_t at = 0; at < body.size(); at += step) {
      pending += body.substr(at, step);
      std::size_t moved = 0;
      last = parser.chunks(pending, decoded.data(), 10, moved);
      pending.erase(0, last.used);
    }
    EXPECT_EQ(last.outcome, Outcome::done);
    ASSERT_EQ(request.headers.size(), 1U);
    EXPECT_EQ(request.headers[0].first, "transfer-encoding");
  }
  std::string many = "0\r\n";
  for (int i = 0; i < 100; ++i) many += "a: b\r\n";
  EXPECT_EQ(unchunked(many + "\r\n", 10000), "431");
  EXPECT_EQ(unchunked("0\r\na: " + std::string(2000, 'b'), 10), "431") << "no end of it in sight";
  EXPECT_EQ(unchunked("5;" + std::string(2000, 'b'), 10), "431");
}

}  // namespace
}  // namespace varve::http
