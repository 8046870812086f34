// SPDX-License-Identifier: Apache-2.0
#include "driver/redis.h"

#include <cstddef>
#include <type_traits>

#include "driver/border.h"

namespace varve::driver {

// Values are read where the driver has written its nodes.
static_assert(std::is_standard_layout_v<Value> && sizeof(Value) == sizeof(drv_node) && sizeof(drv_node_kind) == 4 &&
              offsetof(drv_node, integer) == 8 && offsetof(drv_node, nodes) == 16 && offsetof(drv_node, text) == 24);

void free_redis(drv_redis* redis) { drv_redis_free(redis); }
void free_reply(drv_reply* reply) { drv_reply_free(reply); }
void free_script(drv_script* script) { drv_script_free(script); }

Script::Script(std::string_view lua) : handle_(drv_script_new(slice(lua))) {}

Pipeline& Pipeline::call(const Script& script, std::span<const std::string_view> keys,
                         std::span<const std::string_view> arguments) {
  word(std::to_string(keys.size()));
  for (const auto key : keys) word(key);
  return add(&script, arguments);
}

Pipeline& Pipeline::add(const Script* script, std::span<const std::string_view> words) {
  for (const auto text : words) word(text);
  commands_.push_back({script, ends_.size()});
  return *this;
}

void Pipeline::word(std::string_view text) {
  bytes_ += text;
  ends_.push_back(bytes_.size());
}

void Pipeline::clear() {
  bytes_.clear();
  ends_.clear();
  commands_.clear();
}

const Value& Value::operator[](std::size_t number) const {
  const Value* value = &first();
  for (; number > 0; --number) value = &value->next();
  return *value;
}

Reply::Reply(drv_reply* handle) : handle_(handle) {
  const auto* nodes = drv_reply_nodes(handle);
  const std::size_t count = drv_reply_size(handle);
  for (std::size_t i = 0; i < count; i += nodes[i].nodes) values_.push_back(reinterpret_cast<const Value*>(nodes + i));
}

Status Reply::status() const {
  for (const auto* value : values_) {
    if (value->kind() != Value::Kind::failed) continue;
    const auto text = value->text();
    for (const std::string_view code :
         {"LOADING", "READONLY", "MASTERDOWN", "CLUSTERDOWN", "OOM", "BUSY", "MISCONF", "NOREPLICAS", "TRYAGAIN"})
      if (text.starts_with(code)) return fail(Code::unavailable, "Redis: " + std::string(text));
    return fail(Code::invalid, "Redis: " + std::string(text));
  }
  return {};
}

Request Redis::connect(const Runtime& runtime, const RedisOptions& options, Done<Redis> done) {
  using Connecting = Pending<Redis, drv_redis>;
  if (runtime.stopped()) {
    done(fail(Code::cancelled, "the runtime of the drivers has stopped"));
    return {};
  }
  drv_redis_options converted{};
  converted.url = option(options.url);
  converted.user = option(options.user);
  converted.password = option(options.password);
  converted.tls = tls(options.tls);
  converted.connect_timeout_ms = options.connect_timeout_ms;
  converted.request_timeout_ms = options.request_timeout_ms;
  converted.lazy = options.lazy;
  drv_request* request = nullptr;
  drv_redis_connect(runtime.handle(), &converted, Connecting::call, Connecting::create(std::move(done)), &request);
  return Request(request);
}

Request Redis::run(const Pipeline& pipeline, std::uint32_t timeout_ms, Done<Reply> done) const {
  using Running = Pending<Reply, drv_reply>;
  std::vector<drv_slice> words;
  words.reserve(pipeline.ends_.size());
  std::size_t begin = 0;
  for (const auto end : pipeline.ends_) {
    words.push_back(slice(std::string_view(pipeline.bytes_).substr(begin, end - begin)));
    begin = end;
  }
  std::vector<drv_command> commands;
  commands.reserve(pipeline.commands_.size());
  std::size_t first = 0;
  for (const auto& command : pipeline.commands_) {
    commands.push_back({command.script == nullptr ? nullptr : command.script->handle(), words.data() + first,
                        command.words_end - first});
    first = command.words_end;
  }
  drv_request* request = nullptr;
  drv_redis_pipeline(handle_.get(), commands.data(), commands.size(), timeout_ms, Running::call,
                     Running::create(std::move(done)), &request);
  return Request(request);
}

}  // namespace varve::driver
