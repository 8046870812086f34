// SPDX-License-Identifier: Apache-2.0
#include "devices/command.h"

#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "base/guarded.h"
#include "base/printable.h"
#include "config/yaml.h"
#include "devices/change.h"
#include "devices/help.h"
#include "devices/options.h"
#include "devices/print.h"
#include "devices/usage.h"
#include "logs/http_call.h"
#include "logs/starting.h"
#include "protocol/json/tree.h"

namespace varve::devices {
namespace {

using protocol::json::Node;

constexpr int kFailed = 1, kWrong = 2;
constexpr std::size_t kAnswerBytesMax = std::size_t{1} << 30;
constexpr std::chrono::seconds kAnswerPatience{300};

int say(int status, const std::string& why) {
  std::fputs(("varve: " + why + "\n").c_str(), stderr);
  return status;
}

void print(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

// An answer as it came, on lines of its own.
std::string whole_lines(std::string body) {
  if (!body.ends_with('\n')) body += '\n';
  return body;
}

// An answer that is none of an error, as it came and as a tree.
struct Answer {
  std::string body = {};
  protocol::json::Reader reader{std::string_view()};
  Node tree = {};
};

// What varve says in an answer that is an error; "": somebody else says it.
std::string error_in(const std::string& body) {
  protocol::json::Reader reader(body);
  const auto tree = protocol::json::read_strict(reader);
  if (!tree) return {};
  if (const Node* const errors = tree->find("errors"); errors != nullptr && errors->children.size() > 1) {
    std::string all = "the server refuses this:";
    for (const Node& error : errors->children) all += "\n  " + std::string(error.text);
    return all;
  }
  const Node* const error = tree->find("error");
  return error == nullptr ? std::string() : std::string(error->text);
}

class Server {
 public:
  explicit Server(const Options& options) : options_(options) {}

  // Errors: those of the call; invalid (the server refuses).
  Status ask(const std::string& method, const std::string& path, std::string body, Answer& answer) const {
    VARVE_ASSIGN_OR_RETURN(logs::Url url, logs::parse_url(options_.server));
    url.ca = options_.ca;
    logs::Asked asked{.method = method,
                      .path = path,
                      .headers = {{"Content-Type", "application/json"}},
                      .body = std::move(body),
                      .patience = kAnswerPatience,
                      .url_flag = "--server"};
    if (!options_.tenant.empty()) asked.headers.emplace_back("X-Tenant", options_.tenant);
    logs::Answer said;
    logs::Starting starting;
    do {
      VARVE_ASSIGN_OR_RETURN(said, logs::ask_whole(url, asked, kAnswerBytesMax));
    } while (starting.asks_again(said.status, said.body));
    const int status = said.status;
    answer.body = std::move(said.body);
    if (status >= 300) return refused(status, answer.body);
    if (status == 204) return {};
    answer.reader = protocol::json::Reader(answer.body);
    auto tree = protocol::json::read_strict(answer.reader);
    if (!tree)
      return fail(Code::invalid, "the answer is not JSON: is it a varve that " + options_.server + " leads to?");
    answer.tree = std::move(*tree);
    return {};
  }

 private:
  // In varve's words, those that are about requests in the command's.
  [[nodiscard]] Status refused(int status, const std::string& body) const {
    if (status == 409 && options_.verb == Verb::add) {
      return fail(Code::conflict, "there is a device \"" + options_.name + "\" already; `varve device set` changes it");
    }
    if (const std::string said = error_in(body); !said.empty()) return fail(Code::invalid, said);
    return fail(Code::invalid, options_.server + " answers " + std::to_string(status) + ": " +
                                   (body.empty() ? "no more is said" : body.substr(0, 1000)));
  }

  const Options& options_;
};

Result<std::string> read_file(const std::string& name) {
  if (name == "-") return std::string(std::istreambuf_iterator<char>(std::cin), {});
  std::ifstream in(name, std::ios::binary);
  if (!in) return fail(Code::io, name + ": this file cannot be read");
  std::string text(std::istreambuf_iterator<char>(in), {});
  if (in.bad()) return fail(Code::io, name + ": this file cannot be read");
  return text;
}

Status import_file(const Options& options, const Server& server) {
  VARVE_ASSIGN_OR_RETURN(std::string text, read_file(options.name));
  if (!protocol::json::check_strict(text)) {
    VARVE_ASSIGN_OR_RETURN(text, config::yaml_to_json(text, options.name));
  }
  std::string path = "/api/v1/snmp/import";
  if (options.prune) path += "?prune=1";
  if (options.check) path += options.prune ? "&check=1" : "?check=1";
  Answer answer;
  VARVE_RETURN_IF_ERROR(server.ask("POST", path, std::move(text), answer));
  print(counts_text(answer.tree, options.check));
  return {};
}

Status set_device(const Options& options, const Server& server) {
  Answer before, answer;
  VARVE_RETURN_IF_ERROR(server.ask("GET", device_path(options.name), "", before));
  VARVE_RETURN_IF_ERROR(server.ask("PUT", device_path(options.name), device_json(options, &before.tree), answer));
  print(device_text(answer.tree));
  return {};
}

Status poll_device(const Options& options, const Server& server) {
  std::string path = device_path(options.name) + "/poll";
  if (!options.oidset.empty()) path += "?oidset=" + percent_encoded(options.oidset);
  Answer answer;
  VARVE_RETURN_IF_ERROR(server.ask("POST", path, "", answer));
  print(options.json ? whole_lines(answer.body) : polled_text(answer.tree));
  if (has_failed(answer.tree)) return fail(Code::io, "the poll of " + options.name + " failed");
  return {};
}

Status get(const Options& options, const Server& server, const std::string& path, std::string (*text)(const Node&)) {
  Answer answer;
  VARVE_RETURN_IF_ERROR(server.ask("GET", path, "", answer));
  print(options.json || text == nullptr ? whole_lines(answer.body) : text(answer.tree));
  return {};
}

Status show_usage(const Options& options, const Server& server) {
  VARVE_ASSIGN_OR_RETURN(const std::string path, usage_path(options));
  Answer answer;
  VARVE_RETURN_IF_ERROR(server.ask("GET", path, "", answer));
  print(options.json ? whole_lines(answer.body) : options.csv ? usage_csv(answer.tree) : usage_text(answer.tree));
  return {};
}

// Who has named no credential is told which one it is, and whoever it is if it cannot be polled with that.
void tell_credential(const Options& options, const Node& device) {
  const Node* const used = device.find("credential");
  const Node* const error = device.find("last_error");
  if (!options.credential && used != nullptr) {
    say(0, "no --credential is given: it is polled with \"" + printable(used->text) +
               "\" of the server's file snmp.credentials");
  }
  if (error != nullptr && !error->text.empty()) say(0, "it cannot be polled: " + printable(error->text));
}

Status done(const Options& options) {
  const Server server(options);
  Answer answer;
  switch (options.verb) {
    case Verb::add:
      VARVE_RETURN_IF_ERROR(server.ask("POST", "/api/v1/snmp/devices", device_json(options, nullptr), answer));
      print(device_text(answer.tree));
      tell_credential(options, answer.tree);
      return {};
    case Verb::list: return get(options, server, "/api/v1/snmp/devices", list_text);
    case Verb::show: return get(options, server, device_path(options.name), device_text);
    case Verb::set: return set_device(options, server);
    case Verb::remove: return server.ask("DELETE", device_path(options.name), "", answer);
    case Verb::poll: return poll_device(options, server);
    case Verb::usage: return show_usage(options, server);
    case Verb::import_: return import_file(options, server);
    case Verb::export_: return get(options, server, "/api/v1/snmp/export", nullptr);
    case Verb::help: break;
  }
  print(help_text());
  return {};
}

}  // namespace

int run(std::span<const std::string_view> arguments) {
  const ParsedOptions parsed = parse_options(arguments);
  for (const std::string& fault : parsed.faults) say(kWrong, fault);
  if (!parsed.faults.empty()) return kWrong;
  const Status status = guarded([&] { return done(parsed.options); });
  return status ? 0 : say(kFailed, status.error().message);
}

}  // namespace varve::devices
