// SPDX-License-Identifier: Apache-2.0
#include "syslog/listener.h"

#include <algorithm>

#include "net/listener.h"
#include "syslog/connection.h"
#include "syslog/receiver.h"
#include "syslog/service.h"

namespace varve::syslog {
namespace {

net::ListenerOptions listener_options(const std::shared_ptr<Service>& service) {
  const ListenerOptions& o = service->options;
  net::ListenerOptions options{.listen = o.tcp, .threads = 1, .connections_max = o.connections_max};
  options.keep_alive = true;
  options.on_refused = [service] { service->refused.add(); };
  return options;
}

}  // namespace

struct Listener::State {
  State(ListenerOptions options, Sink sink, const Clock& clock, Metrics& metrics)
      : service(std::make_shared<Service>(std::move(options), std::move(sink), clock, metrics)),
        tcp(listener_options(service), [service = service] { return std::make_shared<Connection>(service); }),
        udp(std::make_shared<Receiver>(service)) {}
  std::shared_ptr<Service> service;
  net::Listener tcp;
  std::shared_ptr<Receiver> udp;
};

Listener::Listener(ListenerOptions options, Sink sink, const Clock& clock, Metrics& metrics)
    : state_(std::make_unique<State>(std::move(options), std::move(sink), clock, metrics)) {}
Listener::~Listener() { stop(std::chrono::milliseconds(0)); }

Status Listener::start() {
  const ListenerOptions& o = state_->service->options;
  if (!o.tcp.empty()) VARVE_RETURN_IF_ERROR(state_->tcp.start());
  if (!o.udp.empty()) VARVE_RETURN_IF_ERROR(state_->udp->start());
  return {};
}

std::uint16_t Listener::udp_port() const { return state_->udp->port(); }
std::uint16_t Listener::tcp_port() const { return state_->tcp.port(); }

void Listener::stop(std::chrono::milliseconds deadline) {
  using namespace std::chrono;
  const Clock& clock = state_->service->clock;
  const std::int64_t begun_ns = clock.steady_ns();
  state_->tcp.stop(deadline);
  const auto passed = duration_cast<milliseconds>(nanoseconds(clock.steady_ns() - begun_ns));
  state_->udp->stop(std::max(deadline - passed, milliseconds(0)));
}

}  // namespace varve::syslog
