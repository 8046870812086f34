// SPDX-License-Identifier: Apache-2.0
// The client's side of TLS as a state machine: bytes of the connection go in and out, and somebody else sends and
// receives them. So a write to a connection that is gone is an error, as without TLS, and no signal.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace varve::logs {

class TlsClient {
 public:
  TlsClient();
  ~TlsClient();
  TlsClient(const TlsClient&) = delete;
  TlsClient& operator=(const TlsClient&) = delete;

  // The server's certificate is checked with `ca`, a PEM file, or where that is empty with those of the system, and has
  // to be one of `host`, a name or an address. Error: io (the file).
  Status open(const std::string& host, const std::string& ca);

  // Goes on with the handshake. True: it is done. Error: invalid (the certificate, or what is there speaks no TLS).
  Result<bool> shake();
  // Bytes to be sent now. Empty: none.
  std::string take_outgoing();
  // What came over the connection.
  void put_incoming(std::string_view bytes);

  Status write(std::string_view plain);
  // Appends what has been deciphered. False: the other side has said that it is the end. Error: io.
  Result<bool> read(std::string& plain);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace varve::logs
