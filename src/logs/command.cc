// SPDX-License-Identifier: Apache-2.0
#include "logs/command.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <string>

#include "base/guarded.h"
#include "logs/help.h"
#include "logs/http_call.h"
#include "logs/line.h"
#include "logs/options.h"
#include "logs/question.h"
#include "logs/row_splitter.h"
#include "logs/syslog_sender.h"
#include "protocol/json/reader.h"

namespace varve::logs {
namespace {

constexpr int kFailed = 1, kWrong = 2;
constexpr std::size_t kErrorBodyMax = 64UL << 10;
constexpr std::chrono::seconds kAnswerPatience{300};

int say(int status, const std::string& why) {
  std::fputs(("varve: " + why + "\n").c_str(), stderr);
  return status;
}

// Prints rows, or sends them, as long as more are wanted.
class Output {
 public:
  explicit Output(const Options& options) : options_(options) {}

  Status open() {
    if (options_.send_syslog) VARVE_RETURN_IF_ERROR(sender_.open(options_.syslog_server, options_.syslog_port));
    if (options_.output_file.empty()) return {};
    own_.reset(std::fopen(options_.output_file.c_str(), "we"));
    if (own_ == nullptr) return fail(Code::io, "--output-file: " + options_.output_file + ": " + std::strerror(errno));
    file_ = own_.get();
    return {};
  }

  [[nodiscard]] bool wants_more() const { return !options_.limit || rows_ < *options_.limit; }
  [[nodiscard]] std::uint64_t rows() const { return rows_; }

  Status add(std::string_view json) {
    protocol::json::Reader reader(json);
    const auto row = protocol::json::read_tree(reader);
    if (!row) return fail(Code::invalid, "a row of the answer is no JSON: " + row.error().message);
    // What goes wrong once rows are on their way is the last of them.
    if (row->children.size() == 1 && row->names[0] == "error") return fail(Code::io, std::string(cell(*row, "error")));
    ++rows_;
    if (options_.send_syslog) return sender_.send(*row);
    line_.clear();
    if (options_.format == Format::json) {
      line_ += rows_ == 1 ? "[" : ",\n";
      line_ += json;
    } else {
      append_line(line_, *row, options_);
    }
    return write(line_);
  }

  Status flush() { return std::fflush(file_) == 0 ? Status() : broken(); }

  Status finish() {
    if (!options_.send_syslog && options_.format == Format::json) {
      VARVE_RETURN_IF_ERROR(write(rows_ == 0 ? "[]\n" : "]\n"));
    }
    return flush();
  }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  Status write(std::string_view text) {
    return std::fwrite(text.data(), 1, text.size(), file_) == text.size() ? Status() : broken();
  }
  static Status broken() { return fail(Code::io, std::string("cannot write: ") + std::strerror(errno)); }

  const Options& options_;
  SyslogSender sender_;
  std::unique_ptr<std::FILE, Close> own_;
  std::FILE* file_ = stdout;
  std::uint64_t rows_ = 0;
  std::string line_;
};

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
  if (!options.user.empty()) url.credentials = options.user + ":" + options.password;
  return url;
}

Status answer(const Options& options) {
  VARVE_ASSIGN_OR_RETURN(const Url url, url_of(options));
  Asked asked{.method = "POST",
              .path = "/analytics/query",
              .headers = {{"Content-Type", "application/json"}, {"Accept", "application/x-ndjson"}},
              .body = question_of(options),
              .patience = options.follow ? std::chrono::seconds(0) : kAnswerPatience,
              .url_flag = "--url"};
  if (!options.tenant.empty()) asked.headers.emplace_back("X-Tenant", options.tenant);
  if (options.verbose) std::fputs((options.url + asked.path + " " + asked.body + "\n").c_str(), stderr);
  Output output(options);
  VARVE_RETURN_IF_ERROR(output.open());
  HttpCall call;
  VARVE_RETURN_IF_ERROR(call.ask(url, asked));
  if (call.status() != 200) {
    return fail(Code::invalid, options.url + " answers " + std::to_string(call.status()) + ": " + error_text(call));
  }
  VARVE_ASSIGN_OR_RETURN(const auto form, form_of(call, options));
  RowSplitter rows(form);
  const Status printed = print_rows(call, rows, output, options.follow || ::isatty(STDOUT_FILENO) != 0);
  VARVE_RETURN_IF_ERROR(output.finish());
  VARVE_RETURN_IF_ERROR(printed);
  if (options.send_syslog) std::fprintf(stderr, "%llu messages sent\n", static_cast<unsigned long long>(output.rows()));
  if (options.follow && output.wants_more()) return fail(Code::io, "the server ended the connection");
  return {};
}

}  // namespace

int run(std::span<const std::string_view> arguments) {
  const ParsedOptions parsed = parse_options(arguments);
  for (const std::string& fault : parsed.faults) say(kWrong, fault);
  if (!parsed.faults.empty()) return kWrong;
  if (parsed.options.help) {
    std::fputs(help_text().c_str(), stdout);
    return 0;
  }
  const Status done = guarded([&] { return answer(parsed.options); });
  return done ? 0 : say(kFailed, done.error().message);
}

}  // namespace varve::logs
