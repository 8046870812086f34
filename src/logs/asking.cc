// SPDX-License-Identifier: Apache-2.0
#include "logs/asking.h"

#include <unistd.h>

#include <cstdio>
#include <optional>
#include <string>

#include "base/printable.h"
#include "logs/http_call.h"
#include "logs/question.h"
#include "logs/row_splitter.h"
#include "logs/starting.h"
#include "protocol/json/reader.h"

namespace varve::logs {
namespace {

constexpr std::size_t kErrorBodyMax = 64UL << 10;
constexpr std::chrono::seconds kAnswerPatience{300};

// What a server says in an answer that is an error, on a line.
std::string error_text(HttpCall& call) {
  std::string body;
  for (bool more = true; more && body.size() < kErrorBodyMax;) {
    const auto read = call.read(body);
    more = read && *read;
  }
  protocol::json::Reader reader(body);
  if (const auto tree = protocol::json::read_strict(reader)) {
    for (const char* const name : {"error", "message"}) {
      if (const auto text = cell(*tree, name); !text.empty()) return std::string(text);
    }
    if (const Row* const errors = tree->find("errors"); errors != nullptr && !errors->children.empty()) {
      return std::string(errors->children[0].text);
    }
  }
  while (body.ends_with('\n') || body.ends_with('\r')) body.pop_back();
  return body.empty() ? "no more is said" : body;
}

Result<RowSplitter::Form> form_of(const HttpCall& call, const Options& options) {
  if (call.content_type() == "application/x-ndjson") return RowSplitter::Form::lines;
  if (options.follow) return fail(Code::unsupported, "this server cannot follow messages (-f)");
  if (call.content_type() == "application/json") return RowSplitter::Form::list;
  return fail(Code::invalid,
              "the answer is \"" + call.content_type() + "\": is it a varve that " + options.url + " leads to?");
}

Status print_rows(HttpCall& call, RowSplitter& rows, Output& output, bool at_once) {
  std::string piece;
  while (output.wants_more()) {
    piece.clear();
    VARVE_ASSIGN_OR_RETURN(const bool more, call.read(piece));
    if (!more) return rows.finish();
    rows.add(piece);
    while (output.wants_more()) {
      const auto row = rows.next();
      if (!row) break;
      VARVE_RETURN_IF_ERROR(output.add(*row));
    }
    if (rows.failed()) return rows.finish();
    if (at_once) VARVE_RETURN_IF_ERROR(output.flush());
  }
  return {};
}

Result<Url> url_of(const Options& options) {
  VARVE_ASSIGN_OR_RETURN(Url url, parse_url(options.url));
  url.ca = options.ca;
  if (!options.user.empty()) url.credentials = options.user + ":" + options.password;
  return url;
}

// The server has no such field yet, of the condition of --where.
constexpr std::string_view kNoField = " is neither a column of ";

// Asks, and reads the head of the answer. An answer that is an error is `invalid`, or `unavailable` if another time it
// may be none.
Status ask(const Options& options, std::optional<HttpCall>& call) {
  VARVE_ASSIGN_OR_RETURN(const Url url, url_of(options));
  Asked asked{.method = "POST",
              .path = "/analytics/query",
              .headers = {{"Content-Type", "application/json"}, {"Accept", "application/x-ndjson"}},
              .body = question_of(options),
              .patience = options.follow ? std::chrono::seconds(0) : kAnswerPatience,
              .url_flag = "--server"};
  if (!options.tenant.empty()) asked.headers.emplace_back("X-Tenant", options.tenant);
  if (options.verbose) std::fputs((options.url + asked.path + " " + asked.body + "\n").c_str(), stderr);
  std::string said;
  for (Starting starting;;) {
    call.emplace();
    VARVE_RETURN_IF_ERROR(call->ask(url, asked));
    if (call->status() == 200) return {};
    said = error_text(*call);
    if (!starting.asks_again(call->status(), said)) break;
  }
  if (call->status() == 404 && said.starts_with("where[") && said.find(kNoField) != std::string::npos) {
    return fail(Code::not_found, said);
  }
  const bool passes = call->status() == 429 || call->status() >= 500;
  return fail(passes ? Code::unavailable : Code::invalid,
              options.url + " answers " + std::to_string(call->status()) + ": " + said);
}

// 'NAME' of "where[0][0]: 'NAME' is neither …".
std::string field_in(const std::string& said) {
  const std::size_t begin = said.find('\'');
  const std::size_t end = said.find(kNoField);
  return begin < end ? said.substr(begin, end - begin) : std::string("of that name");
}

}  // namespace

Status print_answer(const Options& options, Output& output, bool& started) {
  std::optional<HttpCall> call;
  if (const Status asked = ask(options, call); !asked) {
    if (asked.error().code != Code::not_found) return asked;
    started = true;
    const std::string hint = "no message has a field " + printable(field_in(asked.error().message)) + " yet";
    if (options.follow) return fail(Code::unavailable, hint);  // one may come
    std::fputs(("varve: --where: " + hint + "; --fields alone lists those that there are\n").c_str(), stderr);
    return {};
  }
  VARVE_ASSIGN_OR_RETURN(const auto form, form_of(*call, options));
  started = true;
  RowSplitter rows(form);
  return print_rows(*call, rows, output, options.follow || ::isatty(STDOUT_FILENO) != 0);
}

}  // namespace varve::logs
