// SPDX-License-Identifier: Apache-2.0
#include "http/websocket.h"

#include <gtest/gtest.h>

#include "http/server_fixture.h"
#include "http/websocket_feed.h"

namespace varve::http {
namespace {

Request handshake() {
  Request request;
  request.method = Method::get;
  request.headers = {{"upgrade", "websocket"},
                     {"connection", "keep-alive, Upgrade"},
                     {"sec-websocket-version", "13"},
                     {"sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="}};
  return request;
}

std::string masked(FrameKind kind, std::string_view payload, bool final_frame = true) {
  std::string out;
  append_frame(out, kind, payload);
  if (!final_frame) out[0] = static_cast<char>(out[0] & 0x7f);
  out[1] = static_cast<char>(out[1] | static_cast<char>(0x80));
  out.insert(out.size() - payload.size(), "abcd");
  for (std::size_t i = 0; i < payload.size(); ++i) {
    char& c = out[out.size() - payload.size() + i];
    c = static_cast<char>(c ^ "abcd"[i % 4]);
  }
  return out;
}

using Frames = std::vector<std::pair<FrameKind, std::string>>;

std::optional<CloseCode> read_all(std::string_view bytes, Frames& out) {
  FrameReader reader;
  return reader.read(bytes, [&](FrameKind kind, std::string_view payload) { out.emplace_back(kind, payload); });
}

TEST(WebSocket, TheHandshakeOfTheStandard) {
  const auto response = accept_websocket(handshake());
  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 101);
  EXPECT_EQ(response->headers.back().second, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
}

TEST(WebSocket, OtherRequestsAreNoHandshake) {
  for (std::size_t i = 0; i < 4; ++i) {
    Request request = handshake();
    request.headers[i].second = "other";
    EXPECT_FALSE(accept_websocket(request)) << i;
    request.headers.erase(request.headers.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_FALSE(accept_websocket(request)) << i;
  }
  Request request = handshake();
  request.method = Method::post;
  EXPECT_FALSE(accept_websocket(request));
}

TEST(WebSocket, FramesAreReadAsTheyWereSent) {
  const std::string large(FrameReader::kPayloadMax, 'x');
  const std::string bytes = masked(FrameKind::text, "hello", false) + masked(FrameKind::ping, "") +
                            masked(FrameKind::continued, large) + masked(FrameKind::close, "\x03\xe8");
  const Frames wanted{
      {FrameKind::text, "hello"}, {FrameKind::ping, ""}, {FrameKind::continued, large}, {FrameKind::close, "\x03\xe8"}};
  Frames all;
  EXPECT_EQ(read_all(bytes, all), std::nullopt);
  EXPECT_EQ(all, wanted);
  FrameReader reader;
  Frames one_by_one;
  for (const char c : bytes) {
    EXPECT_EQ(reader.read({&c, 1}, [&](auto kind, auto payload) { one_by_one.emplace_back(kind, payload); }),
              std::nullopt);
  }
  EXPECT_EQ(one_by_one, wanted);
}

TEST(WebSocket, BadFrames) {
  Frames none;
  std::string plain;
  append_frame(plain, FrameKind::text, "not masked");
  EXPECT_EQ(read_all(plain, none), CloseCode::protocol_error);
  EXPECT_EQ(read_all("\xc1\x80", none), CloseCode::protocol_error);  // a reserved bit
  EXPECT_EQ(read_all("\x83\x80", none), CloseCode::protocol_error);  // a kind that is not known
  EXPECT_EQ(read_all("\x09\x80", none), CloseCode::protocol_error);  // a ping in pieces
  EXPECT_EQ(read_all("\x89\xfe", none), CloseCode::protocol_error);  // one that is too long
  EXPECT_EQ(read_all(masked(FrameKind::text, std::string(FrameReader::kPayloadMax + 1, 'x')), none),
            CloseCode::too_large);
  EXPECT_EQ(read_all("\x81\xff\xff\xff\xff\xff\xff\xff\xff\xff"
                     "abcd",
                     none),
            CloseCode::too_large);
  EXPECT_TRUE(none.empty());
}

class WebSocketFeedTest : public ::testing::Test {
 protected:
  std::string taken() {
    std::string out;
    open_ = feed_.take(out);
    return out;
  }
  WebSocketFeed feed_;
  bool open_ = true;
};

TEST_F(WebSocketFeedTest, AnswersPingsAndCloses) {
  feed_.received(masked(FrameKind::ping, "hi"));
  EXPECT_EQ(taken(), "\x8a\x02hi");
  feed_.received(masked(FrameKind::close, "\x03\xe8"));
  EXPECT_EQ(taken(), "\x88\x02\x03\xe8");
  EXPECT_FALSE(open_);
}

TEST_F(WebSocketFeedTest, EndsWhoDoesNotAnswer) {
  int calls = 0;
  EXPECT_TRUE(feed_.wait([&] { ++calls; }));
  feed_.idle();
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(taken(), std::string("\x89\x00", 2));
  feed_.received(masked(FrameKind::pong, ""));
  feed_.idle();
  EXPECT_EQ(taken(), std::string("\x89\x00", 2));
  EXPECT_TRUE(open_);
  feed_.idle();
  EXPECT_EQ(taken(), "");
  EXPECT_FALSE(open_);
}

TEST_F(WebSocketFeedTest, WaitsForSlowReadersUpToABound) {
  const auto half = std::make_shared<const std::string>(WebSocketFeed::kWaitingBytesMax / 2, 'x');
  EXPECT_TRUE(feed_.send(half));
  EXPECT_TRUE(feed_.send(half));
  EXPECT_FALSE(feed_.send(half));
  feed_.end(CloseCode::policy, "slow", "last");
  EXPECT_TRUE(feed_.send(half)) << "it is over";
  std::string all;
  while (open_) all += taken();
  EXPECT_EQ(all.size(), 2 * (10 + half->size()) + 2 + 4 + 2 + 2 + 4);
  EXPECT_TRUE(all.ends_with("\x81\x04last\x88\x06\x03\xf0slow"));
}

// A feed that says what it hears.
class Echo final : public WebSocketFeed {
 public:
  void received(std::string_view bytes) override {
    WebSocketFeed::received(bytes);
    reader_.read(bytes, [this](FrameKind kind, std::string_view payload) {
      if (kind == FrameKind::text) send(std::make_shared<const std::string>(payload));
    });
  }

 private:
  FrameReader reader_;
};

class WebSocketServerTest : public ServerTest {
 protected:
  WebSocketServerTest() {
    router.add({Method::get, "/echo", [](const Request& request, const Responder& answer) {
                  auto response = accept_websocket(request);
                  if (!response) return answer(error_response(response.error()));
                  response->feed = std::make_shared<Echo>();
                  answer(std::move(*response));
                }});
  }
  static constexpr const char* kHandshake =
      "GET /echo HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
};

TEST_F(WebSocketServerTest, BothSidesSpeak) {
  start();
  Client client(port());
  client.send(kHandshake + std::string("\r\n") + masked(FrameKind::text, "right behind"));
  const std::string head = client.read_to("\r\n\r\n");
  EXPECT_TRUE(head.starts_with("HTTP/1.1 101 Switching Protocols\r\n")) << head;
  EXPECT_FALSE(head.contains("Content-Length") || head.contains("chunked") || head.contains("close")) << head;
  EXPECT_EQ(client.read(14), "\x81\x0cright behind");
  client.send(masked(FrameKind::text, "later"));
  EXPECT_EQ(client.read(7), "\x81\x05later");
  client.send(masked(FrameKind::close, ""));
  EXPECT_EQ(client.read(4), "\x88\x02\x03\xe8");
  EXPECT_EQ(client.read_to_end(), "");
}

TEST_F(WebSocketServerTest, NotForPagesOfOthers) {
  start();
  Client client(port());
  client.send(kHandshake + std::string("Origin: http://elsewhere.example\r\n\r\n"));
  EXPECT_TRUE(client.read_to("\r\n\r\n").starts_with("HTTP/1.1 403 "));
}

}  // namespace
}  // namespace varve::http
