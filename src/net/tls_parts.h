// SPDX-License-Identifier: Apache-2.0
// Internal to net/: OpenSSL's objects, freed by themselves.
#pragma once

#include <openssl/bio.h>
#include <openssl/ssl.h>

#include <memory>

#include "net/tls.h"

namespace varve::net {

template <auto kFree>
struct FreedBy {
  template <class T>
  void operator()(T* object) const {
    kFree(object);
  }
};

struct TlsContext::State {
  std::unique_ptr<SSL_CTX, FreedBy<SSL_CTX_free>> context;
};

}  // namespace varve::net
