// SPDX-License-Identifier: Apache-2.0
#include "http/request_parser.h"

#include <algorithm>
#include <boost/beast/http/basic_parser.hpp>
#include <cstring>
#include <optional>

#include "base/ascii.h"

namespace varve::http {
namespace {

namespace beast = boost::beast::http;
using boost::beast::error_code;
using View = boost::beast::string_view;

constexpr std::size_t kHeadersMax = 100;
// "0\r\n\r\n": no chunked body ends in less, and Beast asserts on a last chunk that comes in smaller pieces.
constexpr std::size_t kLastChunkBytes = 5;

bool equals_lower(View text, std::string_view lower) {
  return text.size() == lower.size() &&
         std::equal(text.begin(), text.end(), lower.begin(), [](char a, char b) { return varve::lower(a) == b; });
}

Method method_of(beast::verb verb) {
  switch (verb) {
    case beast::verb::get: return Method::get;
    case beast::verb::head: return Method::head;
    case beast::verb::post: return Method::post;
    case beast::verb::put: return Method::put;
    case beast::verb::delete_: return Method::delete_;
    case beast::verb::options: return Method::options;
    default: return Method::other;
  }
}

// Receives Beast's callbacks. A fault found here (not by the grammar) is kept in `status` and `reason`.
class Parser final : public beast::basic_parser<true> {
 public:
  Parser(Request& request, Head& head, std::vector<std::pair<std::string, std::string>>& spare, std::size_t target_max)
      : request_(request), head_(head), spare_(spare), target_max_(target_max) {}

  int status = 0;
  std::string_view reason;
  bool in_trailer = false;  // the head is whole: fields are those behind the last chunk
  char* to = nullptr;       // of the body bytes of chunks
  std::size_t max = 0;

 private:
  void fault(int code, std::string_view why, error_code& error) {
    status = code;
    reason = why;
    error = beast::error::bad_field;
  }

  void on_request_impl(beast::verb method, View, View target, int version, error_code& error) override {
    if (target.size() > target_max_) return fault(414, "the request target is too long", error);
    request_.method = method_of(method);
    head_.target.assign(target.data(), target.size());
    head_.http_1_0 = version == 10;
  }

  void on_field_impl(beast::field field, View name, View value, error_code& error) override {
    if (++fields_ > kHeadersMax) return fault(431, "too many headers", error);
    // Whoever stood in front of us and looked at the headers has not seen these: they mean nothing.
    if (in_trailer) return;
    if (field == beast::field::expect) {
      const bool goes_on = equals_lower(value, "100-continue");
      const bool later = equals_lower(value, "202-accepted");
      if (!goes_on && !later) return fault(417, "unknown expectation", error);
      (goes_on ? head_.expect_continue : head_.expect_accepted) = true;
    }
    if (field == beast::field::transfer_encoding && !equals_lower(value, "chunked")) {
      return fault(501, "the only transfer encoding is chunked", error);
    }
    if (spare_.empty()) {
      request_.headers.emplace_back();
    } else {
      request_.headers.push_back(std::move(spare_.back()));
      spare_.pop_back();
    }
    auto& [key, text] = request_.headers.back();
    key.resize(name.size());
    std::transform(name.begin(), name.end(), key.begin(), [](char c) { return lower(c); });
    text.assign(value.data(), value.size());
  }

  void on_header_impl(error_code&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
  std::size_t on_body_impl(View body, error_code&) override { return body.size(); }
  void on_chunk_header_impl(std::uint64_t, View, error_code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, View body, error_code& error) override {
    if (body.size() > max) {
      fault(413, "the body is too large", error);
      return 0;
    }
    std::memmove(to, body.data(), body.size());
    to += body.size();
    max -= body.size();
    return body.size();
  }
  void on_finish_impl(error_code&) override {}
  void on_response_impl(int, View, int, error_code&) override {}

  Request& request_;
  Head& head_;
  std::vector<std::pair<std::string, std::string>>& spare_;
  std::size_t target_max_;
  std::size_t fields_ = 0;
};

RequestParser::Step failed(const Parser& parser, const error_code& error, std::size_t used) {
  using Step = RequestParser::Step;
  constexpr auto kError = RequestParser::Outcome::error;
  if (parser.status != 0) return Step{kError, used, parser.status, parser.reason};
  if (error == beast::error::header_limit) return Step{kError, used, 431, "the headers are too large"};
  if (error == beast::error::bad_version) return Step{kError, used, 505, "this server speaks HTTP/1.1"};
  if (error == beast::error::bad_chunk || error == beast::error::bad_chunk_extension) {
    return Step{kError, used, 400, "broken chunk in the body"};
  }
  return Step{kError, used, 400, "not an HTTP request"};
}

}  // namespace

struct RequestParser::State {
  std::size_t head_max;
  std::size_t target_max;
  Head head;
  std::size_t head_used = 0;
  std::optional<Parser> parser;
  std::vector<std::pair<std::string, std::string>> spare;  // headers of requests before, for their memory
};

RequestParser::RequestParser(std::size_t head_max, std::size_t target_max)
    : state_(std::make_unique<State>(State{head_max, target_max, {}, 0, {}, {}})) {}
RequestParser::~RequestParser() = default;

const Head& RequestParser::info() const { return state_->head; }

void RequestParser::reset(Request& request) {
  State& s = *state_;
  for (auto& header : request.headers) s.spare.push_back(std::move(header));
  request.headers.clear();
  request.method = Method::get;
  std::string target = std::move(s.head.target);
  target.clear();
  s.head = Head{};
  s.head.target = std::move(target);
  s.head_used = 0;
  s.parser.emplace(request, s.head, s.spare, s.target_max);
  s.parser->header_limit(static_cast<std::uint32_t>(s.head_max));
  s.parser->body_limit(boost::none);
}

RequestParser::Step RequestParser::head(std::string_view bytes) {
  State& s = *state_;
  error_code error;
  // put() stops behind the head, and behind each piece of it that is whole.
  const std::size_t used = s.parser->put(boost::asio::const_buffer(bytes.data(), bytes.size()), error);
  s.head_used += used;
  if (error && error != beast::error::need_more) {
    // Beast sees a request line over its limit as a header over its limit.
    if (error == beast::error::header_limit && s.head.target.empty() &&
        bytes.substr(0, s.head_max).find('\n') == std::string_view::npos) {
      return {Outcome::error, used, 414, "the request target is too long"};
    }
    return failed(*s.parser, error, used);
  }
  if (!s.parser->is_header_done()) {
    if (s.head_used + bytes.size() - used > s.head_max) {
      return {Outcome::error, used, 431, "the headers are too large"};
    }
    return {Outcome::more, used, 0, {}};
  }
  s.parser->in_trailer = true;
  s.head.keep_alive = s.parser->keep_alive();
  s.head.chunked = s.parser->chunked();
  s.head.content_length = s.parser->content_length().value_or(0);
  return {Outcome::done, used, 0, {}};
}

RequestParser::Step RequestParser::chunks(std::string_view bytes, char* to, std::size_t max, std::size_t& moved) {
  State& s = *state_;
  s.parser->eager(true);
  s.parser->to = to;
  s.parser->max = max;
  error_code error;
  std::size_t used = 0;
  // Asked again as long as it gets on: it may stop behind any element.
  while (bytes.size() - used >= kLastChunkBytes && !s.parser->is_done()) {
    const std::size_t n = s.parser->put(boost::asio::const_buffer(bytes.data() + used, bytes.size() - used), error);
    used += n;
    if (error || n == 0) break;
  }
  moved = static_cast<std::size_t>(s.parser->to - to);
  if (error && error != beast::error::need_more) return failed(*s.parser, error, used);
  // What is left is the line of a chunk's size or the trailer, which Beast takes when they are whole.
  if (bytes.size() - used > s.head_max && !s.parser->is_done()) {
    return {Outcome::error, used, 431, "the trailer is too large"};
  }
  return {s.parser->is_done() ? Outcome::done : Outcome::more, used, 0, {}};
}

}  // namespace varve::http
