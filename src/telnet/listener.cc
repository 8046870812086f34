// SPDX-License-Identifier: Apache-2.0
#include "telnet/listener.h"

#include "net/listener.h"
#include "telnet/connection.h"

namespace varve::telnet {
namespace {

net::ListenerOptions listener_options(const std::shared_ptr<Service>& service) {
  const ListenerOptions& o = service->options;
  net::ListenerOptions options{.listen = o.listen, .threads = o.threads, .connections_max = o.connections_max};
  options.on_refused = [service] { service->refused.add(); };
  return options;
}

}  // namespace

struct Listener::State {
  State(ListenerOptions options, write::Writer& writer, Metrics& metrics)
      : service(std::make_shared<Service>(std::move(options), writer, metrics)),
        listener(listener_options(service), [service = service] { return std::make_shared<Connection>(service); }) {}
  std::shared_ptr<Service> service;
  net::Listener listener;
};

Listener::Listener(ListenerOptions options, write::Writer& writer, Metrics& metrics)
    : state_(std::make_shared<State>(std::move(options), writer, metrics)) {}
Listener::~Listener() { stop(std::chrono::milliseconds(0)); }

Status Listener::start() { return state_->listener.start(); }
std::uint16_t Listener::port() const { return state_->listener.port(); }
void Listener::stop(std::chrono::milliseconds deadline) { state_->listener.stop(deadline); }

}  // namespace varve::telnet
