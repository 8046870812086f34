// SPDX-License-Identifier: Apache-2.0
#include "cli/server_call.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "logs/http_call.h"

namespace varve::cli {
namespace {

constexpr std::chrono::seconds kAnswerPatience{120};  // counting all of a metric takes as long as a question may
constexpr std::chrono::seconds kSmallPatience{10};    // what is only looked up: is it a varve at all?
constexpr std::size_t kAnswerBytesMax = std::size_t{64} << 20;

}  // namespace

Result<migrate::ServerCall> server_call(const std::string& address, const std::string& ca, const std::string& tenant) {
  VARVE_ASSIGN_OR_RETURN(logs::Url url, logs::parse_url(address));
  url.ca = ca;
  return [url, tenant](std::string_view method, std::string_view path,
                       const std::string& body) -> Result<migrate::ServerAnswer> {
    const logs::Asked asked{.method = std::string(method),
                            .path = std::string(path),
                            .headers = {{"Content-Type", "application/json"}, {"X-Tenant", tenant}},
                            .body = body,
                            .patience = method == "GET" ? kSmallPatience : kAnswerPatience,
                            .url_flag = "--to"};
    VARVE_ASSIGN_OR_RETURN(logs::Answer answer, logs::ask_whole(url, asked, kAnswerBytesMax));
    return migrate::ServerAnswer{.status = answer.status, .body = std::move(answer.body)};
  };
}

std::string shown_address(const std::string& address) {
  const std::size_t scheme = address.find("://");
  const std::size_t begin = scheme == std::string::npos ? 0 : scheme + 3;
  const std::size_t end = std::min(address.find('/', begin), address.size());
  const std::size_t at = address.rfind('@', end);
  if (at == std::string::npos || at < begin) return address;
  return address.substr(0, begin) + address.substr(at + 1);
}

}  // namespace varve::cli
