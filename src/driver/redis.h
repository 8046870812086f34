// SPDX-License-Identifier: Apache-2.0
// Redis: one shared connection that reconnects by itself, pipelines of commands and scripts, replies as trees.
// Callbacks follow request.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "driver/request.h"

struct drv_redis;
struct drv_reply;
struct drv_script;

namespace varve::driver {

void free_redis(drv_redis* redis);
void free_reply(drv_reply* reply);
void free_script(drv_script* script);

struct RedisOptions {
  std::string url;             // redis://host:port/db, rediss:// for TLS
  std::string user, password;  // instead of those in the URL
  Tls tls;                     // files for rediss://
  std::uint32_t connect_timeout_ms = 2'000;
  std::uint32_t request_timeout_ms = 5'000;
  bool lazy = false;  // succeed without a server: the first commands connect, or fail
};

// A Lua script, called by its hash and loaded if the server does not know it. Constant.
class Script {
 public:
  explicit Script(std::string_view lua);
  [[nodiscard]] const drv_script* handle() const { return handle_.get(); }

 private:
  Handle<drv_script, free_script> handle_;
};

// Commands that are sent together. Copies its arguments; keeps pointers to scripts.
class Pipeline {
 public:
  Pipeline& command(std::span<const std::string_view> words) { return add(nullptr, words); }
  Pipeline& command(std::initializer_list<std::string_view> words) {
    return add(nullptr, {words.begin(), words.size()});
  }
  // EVALSHA: KEYS and ARGV of the script.
  Pipeline& call(const Script& script, std::span<const std::string_view> keys,
                 std::span<const std::string_view> arguments);
  Pipeline& call(const Script& script, std::initializer_list<std::string_view> keys,
                 std::initializer_list<std::string_view> arguments) {
    return call(script, std::span(keys.begin(), keys.size()), std::span(arguments.begin(), arguments.size()));
  }
  [[nodiscard]] std::size_t size() const { return commands_.size(); }
  void clear();

 private:
  friend class Redis;
  struct Command {
    const Script* script;
    std::size_t words_end;  // in ends_
  };
  Pipeline& add(const Script* script, std::span<const std::string_view> words);
  void word(std::string_view text);

  std::string bytes_;
  std::vector<std::size_t> ends_;  // of each word, in bytes_
  std::vector<Command> commands_;
};

// One node of a reply and what is below it. Points into its Reply.
class Value {
 public:
  enum class Kind : std::uint32_t { nil = 0, integer = 1, text = 2, array = 3, failed = 4 };

  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] bool nil() const { return kind_ == Kind::nil; }
  [[nodiscard]] std::int64_t integer() const { return kind_ == Kind::integer ? integer_ : 0; }
  // Strings and statuses; the server's message if the command failed.
  [[nodiscard]] std::string_view text() const { return {data_, size_}; }
  // Size of an array; else 0.
  [[nodiscard]] std::size_t size() const { return kind_ == Kind::array ? static_cast<std::size_t>(integer_) : 0; }
  // The first element of an array that is not empty; elements follow one another by next().
  [[nodiscard]] const Value& first() const { return this[1]; }
  [[nodiscard]] const Value& next() const { return this[nodes_]; }
  // number < size(); takes linear time.
  [[nodiscard]] const Value& operator[](std::size_t number) const;

  Value(const Value&) = delete;
  Value& operator=(const Value&) = delete;

 private:
  Kind kind_;
  std::int64_t integer_;
  std::size_t nodes_;
  const char* data_;
  std::size_t size_;
};

// The replies to a pipeline, one value per command. A command that failed has kind failed.
class Reply {
 public:
  explicit Reply(drv_reply* handle);
  [[nodiscard]] std::size_t size() const { return values_.size(); }
  [[nodiscard]] const Value& operator[](std::size_t number) const { return *values_[number]; }
  // The first failed command as an error: unavailable for a server that cannot at the moment (loading, read-only, out
  // of memory), else invalid. Looks into no array.
  [[nodiscard]] Status status() const;

 private:
  Handle<drv_reply, free_reply> handle_;
  std::vector<const Value*> values_;
};

// Thread-safe. Requests in flight outlive it.
class Redis {
 public:
  explicit Redis(drv_redis* handle) : handle_(handle) {}
  static Request connect(const Runtime& runtime, const RedisOptions& options, Done<Redis> done);

  // Nothing is retried: after an error every command may have been executed, or not. Scripts that had to be loaded run
  // after the other commands. timeout_ms 0: the connection's. Blocking commands delay all others.
  Request run(const Pipeline& pipeline, std::uint32_t timeout_ms, Done<Reply> done) const;

 private:
  Handle<drv_redis, free_redis> handle_;
};

}  // namespace varve::driver
