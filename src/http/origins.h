// SPDX-License-Identifier: Apache-2.0
// Which pages of browsers may use this server. A browser sends a page's requests here from wherever the page was loaded
// and says so in `Origin`; whoever opens a page would else let it write, erase and read what is here.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/authority.h"
#include "http/handler.h"

namespace varve::http {

enum class Origin {
  none,     // no browser, or a page's GET that says nothing
  own,      // a page that came from here
  allowed,  // one of the list
  foreign
};

// `http.origins`: "scheme://host[:port]" each, or "*": all. Thread-safe.
class Origins {
 public:
  explicit Origins(std::vector<std::string> origins) : origins_(std::move(origins)) {}

  // `host`: by which host and port the request names this server, if it does.
  [[nodiscard]] Origin of(const Request& request, const std::optional<Authority>& host) const;
  // Answers depend on who asks: caches have to know (Vary).
  [[nodiscard]] bool any() const { return !origins_.empty(); }

 private:
  std::vector<std::string> origins_;
};

// May this GET or HEAD have an effect? Not where a page of another site has made the browser ask, by a link, an image
// or a form: that is told by Sec-Fetch-Site where there is no Origin.
bool may_change(const Request& request, Origin origin);

// What a browser asks before it sends a request that a page could not send by a form: a preflight.
bool is_preflight(const Request& request);

}  // namespace varve::http
