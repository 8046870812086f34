// SPDX-License-Identifier: Apache-2.0
// Answers that go on whenever there is something.
#include <deque>

#include "base/mutex.h"
#include "http/server_fixture.h"

namespace varve::http {
namespace {

// Has what the test gives it.
class GivenFeed final : public Feed {
 public:
  explicit GivenFeed(std::promise<void>& gone) : gone_(gone) {}
  ~GivenFeed() override { gone_.set_value(); }
  bool wait(std::function<void()> ready) override {
    const MutexLock lock(mutex_);
    if (!pieces_.empty() || ended_) return false;
    ready_ = std::move(ready);
    return true;
  }
  bool take(std::string& piece) override {
    const MutexLock lock(mutex_);
    if (!pieces_.empty()) {
      piece += pieces_.front();
      pieces_.pop_front();
    }
    return !pieces_.empty() || !ended_;
  }
  void give(std::string piece, bool ends = false) {
    std::function<void()> ready;
    {
      const MutexLock lock(mutex_);
      if (!piece.empty()) pieces_.push_back(std::move(piece));
      ended_ |= ends;
      ready.swap(ready_);
    }
    if (ready) ready();
  }

 private:
  std::promise<void>& gone_;
  Mutex mutex_;
  std::deque<std::string> pieces_ VARVE_GUARDED_BY(mutex_);
  bool ended_ VARVE_GUARDED_BY(mutex_) = false;
  std::function<void()> ready_ VARVE_GUARDED_BY(mutex_);
};

class ServerFeedTest : public ServerTest {
 protected:
  ServerFeedTest() {
    router.add({Method::get, "/feed", [this](const Request& request, const Responder& answer) {
                  Response response = Response::text(200, "");
                  if (request.param("more")) {
                    response.more = [left = 2](std::string& piece) mutable {
                      piece = left-- > 0 ? "past " : "";
                      return Status();
                    };
                  }
                  response.feed = std::move(made_);
                  answer(std::move(response));
                }});
  }
  std::promise<void> gone_;
  std::shared_ptr<GivenFeed> made_ = std::make_shared<GivenFeed>(gone_);
  std::weak_ptr<GivenFeed> feed_ = made_;
};

std::string next_chunk(Client& client) {
  const std::string line = client.read_to("\r\n");
  std::size_t size = 0;
  std::from_chars(line.data(), line.data() + line.size(), size, 16);
  std::string out = client.read(size);
  client.read(2);
  return out;
}

TEST_F(ServerFeedTest, GoesOnAndEndsInOrder) {
  start();
  Client client(port());
  client.send("GET /feed?more=1 HTTP/1.1\r\nAccept-Encoding: gzip\r\n\r\n");
  client.read_to("\r\n\r\n");
  EXPECT_EQ(next_chunk(client), "past ");
  EXPECT_EQ(next_chunk(client), "past ");
  const auto feed = feed_.lock();
  feed->give("one");
  EXPECT_EQ(next_chunk(client), "one");
  feed->give(std::string(1 << 20, 'x'));
  feed->give("two");
  EXPECT_EQ(next_chunk(client).size(), 1U << 20);
  EXPECT_EQ(next_chunk(client), "two");
  feed->give("last", true);
  EXPECT_EQ(next_chunk(client), "last");
  EXPECT_EQ(next_chunk(client), "");
  EXPECT_EQ(client.get("/who").status, 200);
}

TEST_F(ServerFeedTest, MayEndWithoutAWord) {
  start();
  Client client(port());
  client.send("GET /feed HTTP/1.1\r\n\r\n");
  client.read_to("\r\n\r\n");
  feed_.lock()->give("", true);
  EXPECT_EQ(next_chunk(client), "");
  EXPECT_EQ(client.get("/who").status, 200);
}

TEST_F(ServerFeedTest, IsGoneWithItsClient) {
  start();
  {
    Client client(port());
    client.send("GET /feed HTTP/1.1\r\n\r\n");
    client.read_to("\r\n\r\n");
  }
  gone_.get_future().wait();
  EXPECT_TRUE(feed_.expired());
}

TEST_F(ServerFeedTest, DoesNotKeepTheServerFromStopping) {
  start();
  Client client(port());
  client.send("GET /feed HTTP/1.1\r\n\r\n");
  client.read_to("\r\n\r\n");
  feed_.lock()->give("one");
  EXPECT_EQ(next_chunk(client), "one");
  const auto begun = std::chrono::steady_clock::now();
  server->stop(std::chrono::seconds(30));
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(20));
  EXPECT_EQ(next_chunk(client), "");
  EXPECT_TRUE(client.at_end());
}

}  // namespace
}  // namespace varve::http
