// SPDX-License-Identifier: Apache-2.0
// TLS of a listener: its certificate and key, and who may connect. OpenSSL does not appear in the interface.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace varve::net {

// Paths of PEM files.
struct TlsFiles {
  std::string certificate;  // with the chain behind it
  std::string key;
  std::string client_ca;  // empty: clients need no certificate
};

// Why a handshake came to nothing.
enum class TlsFailure {
  timeout,      // it took too long
  not_tls,      // plain text, or another protocol
  certificate,  // the client has none, or one that is expired, not yet valid or of another authority
  alert,        // the client gave up, mostly since it does not trust our certificate
  closed,       // the connection ended
  other,        // no version or cipher in common, or bytes that make no sense
};
inline constexpr std::string_view kTlsFailureNames[] = {"timeout", "not_tls", "certificate",
                                                        "alert",   "closed",  "other"};

// What all connections of a listener share. Immutable; any thread.
class TlsContext {
 public:
  // TLS 1.2 and 1.3. Errors (invalid, io) begin with what is wrong: `certificate=FILE: …`, `key=…`, `client_ca=…`.
  // A certificate that has expired is only logged.
  static Result<std::shared_ptr<const TlsContext>> load(const TlsFiles& files);

  struct State;
  explicit TlsContext(std::unique_ptr<State> state);
  ~TlsContext();
  TlsContext(const TlsContext&) = delete;
  TlsContext& operator=(const TlsContext&) = delete;
  [[nodiscard]] const State& state() const { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

}  // namespace varve::net
