// SPDX-License-Identifier: Apache-2.0
#include "query/under_way.h"

#include <algorithm>

namespace varve::query {

UnderWay::UnderWay(const Engine& engine, const Request& request, std::atomic<bool>* cancelled)
    : running_(engine.shared_running()),
      budget_(engine.limits().memory_bytes, engine.memory()),
      ticket_(*running_, request, budget_, engine.clock(), cancelled),
      deadline_(engine.clock(), engine.limits(), ticket_.cancelled(), request.timeout) {}

Result<std::shared_ptr<UnderWay>> UnderWay::begin(const Engine& engine, const Request& request,
                                                  std::atomic<bool>* cancelled) {
  auto out = std::make_shared<UnderWay>(engine, request, cancelled);
  if (engine.memory() == nullptr) return out;
  // So that nothing new begins where no memory is left, not even what needs next to none.
  const std::size_t bytes = std::min(kBytesAtLeast, engine.limits().memory_bytes);
  VARVE_RETURN_IF_ERROR(out->budget_.charge(bytes));
  out->budget_.release(bytes);
  return out;
}

Status UnderWay::answered(std::size_t bytes) {
  ticket_.answered();
  if (ticket_.killed()) return ticket_.explain(Status(fail(Code::cancelled, "")));
  return budget_.become_answer(bytes);
}

void UnderWay::sent(std::size_t bytes) {
  budget_.release(std::min(bytes, budget_.used()));
  budget_.trim();
}

}  // namespace varve::query
