// SPDX-License-Identifier: Apache-2.0
#include "http/server.h"

#include <algorithm>
#include <thread>

#include "http/connection.h"
#include "http/service.h"
#include "net/listener.h"

namespace varve::http {
namespace {

net::ListenerOptions listener_options(const std::shared_ptr<Service>& service) {
  const ServerOptions& o = service->options;
  net::ListenerOptions options{.listen = o.listen, .threads = o.threads, .connections_max = o.connections_max};
  options.bulk_threads = o.threads != 0 ? o.threads : std::max(1U, std::thread::hardware_concurrency());
  // A deadline is looked at a few times before it is due.
  const auto shortest = std::min({o.head_timeout, o.body_timeout, o.write_timeout, o.idle_timeout});
  options.tick = std::clamp(shortest / 8, std::chrono::milliseconds(5), std::chrono::milliseconds(250));
  options.on_refused = [service] { service->refused.add(); };
  return options;
}

}  // namespace

struct Server::State {
  State(ServerOptions options, Router always, Gate& gate, Metrics& metrics)
      : pool(options.threads, options.connections_max),
        service(std::make_shared<Service>(std::move(options), std::move(always), gate, metrics, pool)),
        listener(listener_options(service), [service = service] { return std::make_shared<Connection>(service); }) {}
  TaskPool pool;  // joins last: what is under way finishes, and its connection goes with it
  std::shared_ptr<Service> service;
  net::Listener listener;
};

Server::Server(ServerOptions options, Router always, Gate& gate, Metrics& metrics)
    : state_(std::make_shared<State>(std::move(options), std::move(always), gate, metrics)) {}
Server::~Server() { stop(std::chrono::milliseconds(0)); }

Status Server::start() { return state_->listener.start(); }
std::uint16_t Server::port() const { return state_->listener.port(); }
void Server::open(Router router) { state_->service->open(std::move(router)); }

void Server::stop(std::chrono::milliseconds deadline) {
  state_->service->shut();
  state_->listener.stop(deadline);
}

}  // namespace varve::http
