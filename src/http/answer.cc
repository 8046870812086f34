// SPDX-License-Identifier: Apache-2.0
#include "http/answer.h"

#include <algorithm>
#include <charconv>
#include <ctime>
#include <memory>

#include "base/ascii.h"
#include "base/check.h"
#include "protocol/json/text.h"

namespace varve::http {
namespace {

constexpr std::size_t kCompressMin = 1024;

void append_number(std::string& out, std::size_t value) {
  char text[24];
  out.append(text, std::to_chars(text, text + sizeof text, value).ptr);
}

// "Date: …\r\n", made once a second in each thread.
std::string_view date_line() {
  static thread_local std::time_t second = 0;
  static thread_local char line[64];
  static thread_local std::size_t size = 0;
  const std::time_t now = std::time(nullptr);
  if (now != second) {
    second = now;
    std::tm utc{};
    ::gmtime_r(&now, &utc);
    size = std::strftime(line, sizeof line, "Date: %a, %d %b %Y %H:%M:%S GMT\r\n", &utc);
  }
  return {line, size};
}

bool is_clean(std::string_view text) { return text.find_first_of(std::string_view("\r\n\0", 3)) == std::string::npos; }

bool is_zero(std::string_view quality) {
  return quality.starts_with("q=0") && quality.find_first_not_of("0.", 3) == std::string_view::npos;
}

}  // namespace

std::string_view reason_of(int status) {
  switch (status) {
    case 101: return "Switching Protocols";
    case 200: return "OK";
    case 202: return "Accepted";
    case 204: return "No Content";
    case 304: return "Not Modified";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 408: return "Request Timeout";
    case 409: return "Conflict";
    case 413: return "Content Too Large";
    case 414: return "URI Too Long";
    case 415: return "Unsupported Media Type";
    case 417: return "Expectation Failed";
    case 421: return "Misdirected Request";
    case 422: return "Unprocessable Content";
    case 429: return "Too Many Requests";
    case 431: return "Request Header Fields Too Large";
    case 500: return "Internal Server Error";
    case 501: return "Not Implemented";
    case 503: return "Service Unavailable";
    case 504: return "Gateway Timeout";
    case 505: return "HTTP Version Not Supported";
    default: return "Status";
  }
}

int status_of(Code code) {
  switch (code) {
    case Code::invalid:
    case Code::too_old:
    case Code::unsupported: return 400;
    case Code::not_found: return 404;
    case Code::conflict: return 403;  // the server's own tenant: nobody else may write there, however often he asks
    case Code::too_large: return 413;
    case Code::limit: return 429;
    case Code::unavailable:
    case Code::cancelled:
    case Code::timeout: return 503;
    case Code::corrupt:
    case Code::io: break;
  }
  return 500;
}

Response with_retry(Response response) {
  if (response.status == 429) response.headers.emplace_back("Retry-After", "10");
  if (response.status == 503) response.headers.emplace_back("Retry-After", "1");
  return response;
}

Response error_response(int status, std::string_view message) {
  std::string quoted;
  protocol::json::append_string(quoted, message);
  return with_retry(Response::own_json(status, "{\"error\":" + quoted + ",\"errors\":[" + quoted + "]}"));
}

Response plain_error(int status, std::string_view message, const Request&) { return error_response(status, message); }

void append_head(std::string& out, const Response& response, const Framing& framing) {
  check((response.status >= 200 || response.status == 101) && response.status <= 599, "a response has a final status");
  out += framing.http_1_0 ? "HTTP/1.0 " : "HTTP/1.1 ";
  append_number(out, static_cast<std::size_t>(response.status));
  out += ' ';
  out += reason_of(response.status);
  out += "\r\n";
  out += date_line();
  for (const auto& [name, value] : response.headers) {
    if (!is_clean(name) || !is_clean(value)) continue;
    out += name;
    out += ": ";
    out += value;
    out += "\r\n";
  }
  if (!response.content_type.empty() && is_clean(response.content_type)) {
    out += "Content-Type: ";
    out += response.content_type;
    out += "\r\n";
  }
  if (response.status != 204 && response.status != 304) {
    if (framing.chunked) {
      out += "Transfer-Encoding: chunked\r\n";
    } else if (!framing.until_close) {
      out += "Content-Length: ";
      append_number(out, framing.length);
      out += "\r\n";
    }
  }
  if (!framing.keep_alive) {
    out += "Connection: close\r\n";
  } else if (framing.http_1_0) {
    out += "Connection: keep-alive\r\n";
  }
  out += "\r\n";
}

std::string_view name_of(codec::Coding coding) {
  switch (coding) {
    case codec::Coding::gzip: return "gzip";
    case codec::Coding::deflate: return "deflate";
    case codec::Coding::zstd: return "zstd";
    case codec::Coding::snappy: return "snappy";
    case codec::Coding::identity: break;
  }
  return "identity";
}

codec::Coding accepted_coding(std::string_view accept) {
  bool gzip = false;
  bool zstd = false;
  const std::string all = lower(accept);
  for (std::string_view rest = all; !rest.empty();) {
    const std::string_view item = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), item.size() + 1));
    const auto semicolon = item.find(';');
    const std::string_view name = trimmed(item.substr(0, semicolon));
    if (semicolon != std::string_view::npos && is_zero(trimmed(item.substr(semicolon + 1)))) continue;
    if (name == "gzip" || name == "x-gzip" || name == "*") gzip = true;
    if (name == "zstd") zstd = true;
  }
  if (zstd) return codec::Coding::zstd;
  return gzip ? codec::Coding::gzip : codec::Coding::identity;
}

void encode(Response& response, std::string_view accept) {
  if (accept.empty() || response.feed != nullptr) return;
  const bool worth_it = response.body.size() >= kCompressMin || response.more;
  if (!worth_it && (!response.pack_small || response.body.empty())) return;
  const codec::Coding coding = accepted_coding(accept);
  if (coding == codec::Coding::identity) return;
  const auto coded = [](const auto& header) { return lower(header.first) == "content-encoding"; };
  if (std::any_of(response.headers.begin(), response.headers.end(), coded)) return;  // the handler did it

  if (!response.more) {
    std::string packed;
    if (!codec::compress(coding, response.body, packed)) return;
    if (packed.size() >= response.body.size() && !response.pack_small) return;
    response.body = std::move(packed);
  } else {
    auto compressor = std::make_shared<codec::Compressor>(coding);
    std::string first;
    if (!response.body.empty() && !compressor->add(response.body, false, first)) return;
    response.body = std::move(first);
    response.more = [compressor, source = std::move(response.more), raw = std::string(),
                     ended = false](std::string& piece) mutable -> Status {
      piece.clear();
      if (ended) return {};
      raw.clear();
      VARVE_RETURN_IF_ERROR(source(raw));
      ended = raw.empty();
      return compressor->add(raw, ended, piece);
    };
  }
  response.headers.emplace_back("Content-Encoding", name_of(coding));
  response.headers.emplace_back("Vary", "Accept-Encoding");
}

}  // namespace varve::http
