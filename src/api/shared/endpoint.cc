// SPDX-License-Identifier: Apache-2.0
#include "api/shared/endpoint.h"

#include <memory>
#include <utility>

#include "base/check.h"
#include "base/guarded.h"
#include "base/parse_memory.h"

namespace varve::api {
namespace {

// What `work` says, and what it throws, as an error that tells a client no more than it may know.
template <class Work>
auto caught(const Work& work) -> decltype(work()) {
  decltype(work()) out = fail(Code::io, "internal error");
  const Status done = guarded([&] { out = work(); });
  log_failure("a handler failed", done);
  if (!done && done.error().code == Code::unavailable) out = std::unexpected(done.error());
  return out;
}

// Some of a message that repeats much of what was asked; no character is cut.
std::string_view told_of(std::string_view message) {
  constexpr std::size_t kToldMost = 2000;
  if (message.size() <= kToldMost) return message;
  std::size_t end = kToldMost;
  while (end > 0 && (static_cast<unsigned char>(message[end]) & 0xc0) == 0x80) --end;
  return message.substr(0, end);
}

}  // namespace

Response Endpoint::error(const Error& error, const Request& request) const {
  return request.error(status_of_(error.code), told_of(error.message));
}

template <class Answer>
Response Endpoint::finish(const Request& request, std::int64_t start_ns, const Answer& answer) const {
  const ParseMemory parsing(request.memory);
  auto response = caught(answer);
  if (counted_) counted_->answered(start_ns);
  if (!response) return error(response.error(), request);
  if (response->more) response->pool = &pool_;
  return std::move(*response);
}

// The responder keeps the request.
template <class Task>
void Endpoint::post(const Request& request, const Responder& respond, Share share, Task task) const {
  // What is of no tenant waits for none, whatever the request says.
  const std::string_view tenant = share == Share::of_tenant ? std::string_view(request.tenant) : std::string_view();
  if (pool_.post(std::move(task), tenant)) return;
  respond(error({Code::unavailable, "too many requests are waiting"}, request));
}

Handler Endpoint::on_pool(Work work, Share share) const {
  check(work != nullptr, "an endpoint has something to do");
  const auto shared = std::make_shared<const std::pair<Endpoint, Work>>(*this, std::move(work));
  return [shared, share](const Request& request, const Responder& respond) {
    shared->first.post(request, respond, share, [shared, &request, respond] {
      const Endpoint& endpoint = shared->first;
      const std::int64_t start_ns = endpoint.counted_ ? endpoint.counted_->asked() : 0;
      respond(endpoint.finish(request, start_ns, [&] { return shared->second(request); }));
    });
  };
}

Handler Endpoint::here_or_on_pool(Plan plan, Share share) const {
  check(plan != nullptr, "an endpoint has something to do");
  const auto shared = std::make_shared<const std::pair<Endpoint, Plan>>(*this, std::move(plan));
  return [shared, share](const Request& request, const Responder& respond) {
    const Endpoint& self = shared->first;
    const std::int64_t start_ns = self.counted_ ? self.counted_->asked() : 0;
    auto planned = caught([&] { return shared->second(request); });
    if (!planned) {
      return respond(
          self.finish(request, start_ns, [&]() -> Result<Response> { return std::unexpected(planned.error()); }));
    }
    if (planned->is_small) return respond(self.finish(request, start_ns, planned->answer));
    self.post(request, respond, share, [shared, start_ns, answer = std::move(planned->answer), &request, respond] {
      respond(shared->first.finish(request, start_ns, answer));
    });
  };
}

}  // namespace varve::api
