// SPDX-License-Identifier: Apache-2.0
#include "syslog/listener.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "net/listener.h"
#include "syslog/connection.h"
#include "syslog/receiver.h"
#include "syslog/service.h"

namespace varve::syslog {
namespace {

net::ListenerOptions listener_options(const std::shared_ptr<Service>& service, const std::string& address) {
  const ListenerOptions& o = service->options;
  net::ListenerOptions options{.listen = address, .threads = 1, .connections_max = o.connections_max};
  options.keep_alive = true;
  options.on_refused = [service] { service->refused.add(); };
  options.handshake_timeout = o.handshake_timeout;
  options.on_tls_failed = [service](net::TlsFailure why) { service->handshake_failed(why); };
  return options;
}

Result<std::shared_ptr<const net::TlsContext>> load_tls(const net::TlsFiles& files) {
  auto context = net::TlsContext::load(files);
  if (!context) return fail(context.error().code, "syslog." + context.error().message);
  return context;
}

}  // namespace

struct Listener::State {
  State(ListenerOptions options, Sink sink, const Clock& clock, Metrics& metrics)
      : service(std::make_shared<Service>(std::move(options), std::move(sink), clock, metrics)),
        tcp(listener_options(service, service->options.tcp), connections()),
        udp(std::make_shared<Receiver>(service)) {}

  [[nodiscard]] net::Listener::Factory connections() const {
    return [service = service] { return std::make_shared<Connection>(service); };
  }
  Status start_tls() {
    net::ListenerOptions with_tls = listener_options(service, service->options.tls);
    VARVE_ASSIGN_OR_RETURN(with_tls.tls, load_tls(service->options.tls_files));
    tls = std::make_unique<net::Listener>(std::move(with_tls), connections());
    return tls->start();
  }

  std::shared_ptr<Service> service;
  net::Listener tcp;
  std::unique_ptr<net::Listener> tls;  // if there is such an address
  std::shared_ptr<Receiver> udp;
};

Listener::Listener(ListenerOptions options, Sink sink, const Clock& clock, Metrics& metrics)
    : state_(std::make_unique<State>(std::move(options), std::move(sink), clock, metrics)) {}
Listener::~Listener() { stop(std::chrono::milliseconds(0)); }

Status Listener::check_tls(const net::TlsFiles& files) {
  const auto context = load_tls(files);
  return context ? Status() : Status(fail(context.error()));
}

Status Listener::start() {
  const ListenerOptions& o = state_->service->options;
  if (!o.tcp.empty()) VARVE_RETURN_IF_ERROR(state_->tcp.start());
  if (!o.tls.empty()) VARVE_RETURN_IF_ERROR(state_->start_tls());
  if (!o.udp.empty()) VARVE_RETURN_IF_ERROR(state_->udp->start());
  return {};
}

std::uint16_t Listener::udp_port() const { return state_->udp->port(); }
std::uint16_t Listener::tcp_port() const { return state_->tcp.port(); }
std::uint16_t Listener::tls_port() const { return state_->tls != nullptr ? state_->tls->port() : 0; }

void Listener::stop(std::chrono::milliseconds deadline) {
  using namespace std::chrono;
  const Clock& clock = state_->service->clock;
  const std::int64_t begun_ns = clock.steady_ns();
  const auto left = [&] {
    const auto passed = duration_cast<milliseconds>(nanoseconds(clock.steady_ns() - begun_ns));
    return std::max(deadline - passed, milliseconds(0));
  };
  state_->tcp.stop(deadline);
  if (state_->tls != nullptr) state_->tls->stop(left());
  state_->udp->stop(left());
}

}  // namespace varve::syslog
