// SPDX-License-Identifier: Apache-2.0
// One request's head, and the framing of a chunked body, from bytes that come in pieces. The grammar is Beast's
// basic_parser; here are the limits and what a head means for the connection.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "http/handler.h"

namespace varve::http {

// What the head says about the rest of the request and about the connection.
struct Head {
  bool keep_alive = true;
  bool http_1_0 = false;
  bool chunked = false;
  bool expect_continue = false;
  bool expect_accepted = false;  // "202-accepted": the answer may come later, from elsewhere
  std::uint64_t content_length = 0;
  std::string target;
};

class RequestParser {
 public:
  RequestParser(std::size_t head_max, std::size_t target_max);
  ~RequestParser();
  RequestParser(const RequestParser&) = delete;
  RequestParser& operator=(const RequestParser&) = delete;

  enum class Outcome { more, done, error };
  struct Step {
    Outcome outcome = Outcome::more;
    std::size_t used = 0;  // bytes taken; the rest must come again, with more behind it
    int status = 0;        // of the answer, when outcome is error
    std::string_view reason;
  };

  // Starts a request: method and headers will be put into `request`, whose strings are used again.
  void reset(Request& request);
  Step head(std::string_view bytes);
  [[nodiscard]] const Head& info() const;

  // After a head that says chunked: takes framing away in place. Body bytes of `bytes` are moved to `to`, which may
  // overlap `bytes` from below; `moved` says how many. `max`: what the body may still grow by.
  Step chunks(std::string_view bytes, char* to, std::size_t max, std::size_t& moved);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace varve::http
