// SPDX-License-Identifier: Apache-2.0
// Redis through the whole border: a redis-server of the test's own, on a free port of loopback.
#include "driver/redis.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <thread>

#include "driver/testing/redis_server.h"
#include "driver/wait.h"

namespace varve::driver {
namespace {

using namespace std::chrono_literals;
using testing::at;
using testing::connect;
using testing::connect_to;
using testing::free_port;
using Server = testing::RedisServer;
using Kind = Value::Kind;

Result<Reply> run(const Redis& redis, const Pipeline& pipeline, std::uint32_t timeout_ms = 0) {
  return wait<Reply>([&](Done<Reply> done) { redis.run(pipeline, timeout_ms, std::move(done)); });
}

class RedisTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto runtime = Runtime::start(2);
    ASSERT_TRUE(runtime);
    runtime_ = std::make_unique<Runtime>(std::move(*runtime));
    auto redis = connect_to(*runtime_, server_, server_.options());
    ASSERT_TRUE(redis) << redis.error().message;
    redis_ = std::make_unique<Redis>(std::move(*redis));
  }

  Result<Reply> run(const Pipeline& pipeline, std::uint32_t timeout_ms = 0) {
    return driver::run(*redis_, pipeline, timeout_ms);
  }

  Server server_;
  std::unique_ptr<Runtime> runtime_;
  std::unique_ptr<Redis> redis_;
};

TEST_F(RedisTest, CommandsAndAnswersOfEveryKind) {
  const std::string binary("\0\r\n\xff", 4);
  Pipeline pipeline;
  pipeline.command({"SET", "k", binary}).command({"GET", "k"}).command({"GET", "nobody"}).command({"SET", "e", ""});
  pipeline.command({"GET", "e"}).command({"INCRBY", "n", "-7"}).command({"RPUSH", "l", "a", "b"});
  pipeline.command({"EVAL", "return {1, {'x', {}}, false, 'y'}", "0"}).command({"LRANGE", "l", "0", "-1"});
  auto reply = run(pipeline);
  ASSERT_TRUE(reply) << reply.error().message;
  ASSERT_EQ(reply->size(), pipeline.size());
  EXPECT_EQ((*reply)[0].text(), "OK");
  EXPECT_EQ((*reply)[1].text(), binary);
  EXPECT_TRUE((*reply)[2].nil());
  EXPECT_EQ((*reply)[4].kind(), Kind::text);
  EXPECT_EQ((*reply)[4].text(), "");
  EXPECT_EQ((*reply)[5].integer(), -7);
  EXPECT_EQ((*reply)[6].integer(), 2);
  const auto& tree = (*reply)[7];
  ASSERT_EQ(tree.size(), 4U);
  EXPECT_EQ(tree[0].integer(), 1);
  ASSERT_EQ(tree[1].size(), 2U);
  EXPECT_EQ(tree[1][0].text(), "x");
  EXPECT_EQ(tree[1][1].kind(), Kind::array);
  EXPECT_EQ(tree[1][1].size(), 0U);
  EXPECT_TRUE(tree[2].nil());
  EXPECT_EQ(tree[3].text(), "y");
  EXPECT_EQ((*reply)[8][1].text(), "b");
  EXPECT_TRUE(reply->status());
}

TEST_F(RedisTest, AThousandCommandsAtOnce) {
  Pipeline pipeline;
  for (int i = 1; i <= 1000; ++i) pipeline.command({"INCRBY", "n", std::to_string(i)});
  auto reply = run(pipeline);
  ASSERT_TRUE(reply) << reply.error().message;
  for (int i = 1; i <= 1000; ++i) ASSERT_EQ((*reply)[static_cast<std::size_t>(i) - 1].integer(), i * (i + 1) / 2);
}

TEST_F(RedisTest, NothingToDo) {
  auto reply = run({});
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(reply->size(), 0U);
}

TEST_F(RedisTest, ACommandThatFailsIsAnAnswer) {
  Pipeline pipeline;
  pipeline.command({"SET", "s", "x"}).command({"INCR", "s"}).command({"HGET", "s", "f"}).command({"GET", "s"});
  auto reply = run(pipeline);
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ((*reply)[1].kind(), Kind::failed);
  EXPECT_EQ((*reply)[1].text(), "ERR value is not an integer or out of range");
  EXPECT_TRUE((*reply)[2].text().starts_with("WRONGTYPE ")) << (*reply)[2].text();
  EXPECT_EQ((*reply)[3].text(), "x");
  const auto status = reply->status();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, Code::invalid);
}

TEST_F(RedisTest, AServerThatCannotWriteIsUnavailable) {
  Pipeline pipeline;
  pipeline.command({"CONFIG", "SET", "maxmemory", "1"}).command({"SET", "s", "x"});
  auto reply = run(pipeline);
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(reply->status().error().code, Code::unavailable);
}

// The address may lead to another server by then, as after a failover.
TEST_F(RedisTest, AServerThatIsAReplicaNowIsLeft) {
  const auto connection = [&] { return (*run(Pipeline().command({"CLIENT", "ID"})))[0].integer(); };
  const auto before = connection();
  EXPECT_EQ(connection(), before);
  ASSERT_TRUE(run(Pipeline().command({"REPLICAOF", "127.0.0.1", std::to_string(free_port())})));
  auto refused = run(Pipeline().command({"SET", "s", "x"}));
  ASSERT_TRUE(refused) << refused.error().message;
  EXPECT_EQ(refused->status().error().code, Code::unavailable);
  EXPECT_NE(connection(), before);
}

TEST_F(RedisTest, ScriptsAreLoadedWhereTheyAreNotKnown) {
  const Script add("return redis.call('INCRBY', KEYS[1], ARGV[1])");
  const Script join("return KEYS[1] .. KEYS[2] .. #ARGV");
  for (int round = 1; round <= 3; ++round) {
    Pipeline pipeline;
    pipeline.command({"SET", "plain", "1"}).call(add, {"n"}, {"5"}).call(join, {"a", "b"}, {}).call(add, {"n"}, {"5"});
    auto reply = run(pipeline);
    ASSERT_TRUE(reply) << reply.error().message;
    EXPECT_EQ((*reply)[0].text(), "OK");
    EXPECT_EQ((*reply)[1].integer(), round * 10 - 5);
    EXPECT_EQ((*reply)[2].text(), "ab0");
    EXPECT_EQ((*reply)[3].integer(), round * 10);
    if (round == 2) {
      ASSERT_TRUE(run(Pipeline().command({"SCRIPT", "FLUSH"})));
    }
  }
}

TEST_F(RedisTest, AScriptThatDoesNotCompile) {
  const Script script("return (");
  auto reply = run(Pipeline().call(script, {}, {}));
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, Code::invalid);
  EXPECT_NE(reply.error().message.find("Error compiling script"), std::string::npos) << reply.error().message;
}

TEST_F(RedisTest, AnAnswerThatDoesNotComeInTime) {
  auto reply = run(Pipeline().command({"BLPOP", "nothing", "0"}), 50);
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, Code::timeout);
}

TEST_F(RedisTest, Cancelled) {
  auto reply = wait<Reply>([&](Done<Reply> done) {
    redis_->run(Pipeline().command({"BLPOP", "nothing", "0"}), 0, std::move(done)).cancel();
  });
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, Code::cancelled);
}

TEST_F(RedisTest, StopCallsBackOnceForEverything) {
  std::atomic<int> calls = 0, cancelled = 0;
  server_.signal(SIGSTOP);  // so that nothing is answered before
  for (int i = 0; i < 500; ++i) {
    redis_->run(Pipeline().command({"INCR", "n"}), 0, [&](const Result<Reply>& reply) {
      ++calls;
      if (!reply && reply.error().code == Code::cancelled) ++cancelled;
    });
  }
  runtime_->stop();
  EXPECT_EQ(calls, 500);
  EXPECT_EQ(cancelled, 500);
  redis_->run(Pipeline().command({"INCR", "n"}), 0, [&](const Result<Reply>& reply) {
    ++calls;
    EXPECT_EQ(reply.error().code, Code::cancelled);
  });
  EXPECT_EQ(calls, 501);
}

TEST_F(RedisTest, AHandleMayGoBeforeItsRequests) {
  auto reply = wait<Reply>([&](Done<Reply> done) {
    redis_->run(Pipeline().command({"EVAL", "return 'late'", "0"}), 0, std::move(done));
    redis_.reset();
  });
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ((*reply)[0].text(), "late");
}

TEST_F(RedisTest, AServerThatComesBackIsFoundAgain) {
  ASSERT_TRUE(run(Pipeline().command({"SET", "k", "v"})));
  server_.kill();
  auto lost = run(Pipeline().command({"GET", "k"}), 2'000);
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().code, Code::io) << lost.error().message;
  server_.start();
  Result<Reply> reply = fail(Code::io, "");
  for (int attempt = 0; !reply && attempt < 200; ++attempt) {
    reply = run(Pipeline().command({"GET", "k"}));
    if (!reply) std::this_thread::sleep_for(20ms);
  }
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_TRUE((*reply)[0].nil());  // it came back empty
}

TEST(Redis, NobodyListens) {
  auto runtime = Runtime::start(1);
  auto options = at("redis://127.0.0.1:1");
  auto redis = connect(*runtime, options);
  ASSERT_FALSE(redis);
  EXPECT_EQ(redis.error().code, Code::io) << redis.error().message;
  options.lazy = true;
  redis = connect(*runtime, options);
  ASSERT_TRUE(redis) << redis.error().message;
  auto reply = run(*redis, Pipeline().command({"PING"}));
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, Code::io) << reply.error().message;
}

TEST(Redis, NoUrl) {
  auto runtime = Runtime::start(1);
  for (const char* url : {"", "127.0.0.1:1", "http://127.0.0.1:1", "redis://127.0.0.1:99999"}) {
    auto redis = connect(*runtime, at(url));
    ASSERT_FALSE(redis) << url;
    EXPECT_EQ(redis.error().code, Code::invalid) << url << ": " << redis.error().message;
  }
}

TEST(Redis, Password) {
  Server server({"--requirepass", "secret"});
  auto runtime = Runtime::start(1);
  auto options = server.options();
  options.password = "secret";
  auto redis = connect_to(*runtime, server, options);
  ASSERT_TRUE(redis) << redis.error().message;
  auto reply = run(*redis, Pipeline().command({"PING"}));
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ((*reply)[0].text(), "PONG");
  options.password = "wrong";
  redis = connect(*runtime, options);
  ASSERT_FALSE(redis);
  EXPECT_EQ(redis.error().code, Code::invalid) << redis.error().message;
}

TEST(Redis, Tls) {
  const std::string folder = ::testing::TempDir() + "varve-redis-tls." + std::to_string(::getpid());
  std::filesystem::create_directories(folder);
  const std::string certificate = folder + "/cert.pem", key = folder + "/key.pem";
  const std::string make =
      "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=varve -addext subjectAltName=IP:127.0.0.1"
      " -out " +
      certificate + " -keyout " + key + " 2>/dev/null";
  ASSERT_EQ(std::system(make.c_str()), 0);  // NOLINT(concurrency-mt-unsafe)
  const int port = free_port();
  Server server({"--tls-port", std::to_string(port), "--tls-cert-file", certificate, "--tls-key-file", key,
                 "--tls-ca-cert-file", certificate, "--tls-auth-clients", "no"});
  auto runtime = Runtime::start(1);
  ASSERT_TRUE(connect_to(*runtime, server, server.options()));  // it is up
  auto options = at("rediss://127.0.0.1:" + std::to_string(port));
  options.tls.ca_file = certificate;
  auto redis = connect(*runtime, options);
  ASSERT_TRUE(redis) << redis.error().message;
  auto reply = run(*redis, Pipeline().command({"PING"}));
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ((*reply)[0].text(), "PONG");
  options.tls.ca_file.clear();  // the system's authorities do not know it
  EXPECT_FALSE(connect(*runtime, options));
  options.tls.ca_file = folder + "/not-there.pem";
  redis = connect(*runtime, options);
  ASSERT_FALSE(redis);
  EXPECT_EQ(redis.error().code, Code::invalid) << redis.error().message;
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace varve::driver
