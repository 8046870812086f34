// SPDX-License-Identifier: Apache-2.0
#include "logs/options.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "language/analytics/tables.h"
#include "logs/conf_file.h"
#include "logs/http_call.h"
#include "logs/times.h"
#include "message/level.h"

namespace varve::logs {
namespace {

using Values = std::vector<std::string>;

class OptionsParser {
 public:
  ParsedOptions parse(std::span<const std::string_view> arguments) {
    read(arguments);
    if (const auto file = given_.find("--conf-file"); file != given_.end()) take_conf_file(file->second.back());
    for (const auto& [name, values] : given_) {
      if (const Status taken = flags().at(name).take(*this, values); !taken) fault(name + ": " + taken.error().message);
    }
    if (out_.faults.empty() && !o_.help) check_together();
    return std::move(out_);
  }

 private:
  enum class Takes : std::uint8_t { none, one, several, any };  // any: several, or none
  struct Flag {
    Takes takes = Takes::one;
    std::function<Status(OptionsParser&, const Values&)> take;
  };
  using Flags = std::map<std::string, Flag, std::less<>>;

  static const Flags& flags();
  static Flag text(std::string Options::* to) {
    return {Takes::one, [to](OptionsParser& p, const Values& v) -> Status { return p.o_.*to = v.back(), Status(); }};
  }
  static Flag list(Values Options::* to) {
    return {Takes::several, [to](OptionsParser& p, const Values& v) -> Status { return p.o_.*to = v, Status(); }};
  }
  static Flag on(bool Options::* to) {
    return {Takes::none, [to](OptionsParser& p, const Values&) -> Status { return p.o_.*to = true, Status(); }};
  }
  static Flag one(Status (OptionsParser::*take)(const std::string&)) {
    return {Takes::one, [take](OptionsParser& p, const Values& v) { return (p.*take)(v.back()); }};
  }
  static Flag as_format(Format format) {
    return {Takes::none,
            [format](OptionsParser& p, const Values&) -> Status { return p.o_.format = format, Status(); }};
  }

  void fault(std::string what) { out_.faults.push_back(std::move(what)); }
  void read(std::span<const std::string_view> arguments);
  void take_conf_file(const std::string& path);
  void check_together();
  void check_formats();
  void check_follow();
  void check_list_of_fields();

  Status take_url(const std::string& v);
  Status take_api_ip(const std::string& v) { return api_ip_ = v, Status(); }
  Status take_api_port(const std::string& v) { return api_port_ = v, Status(); }
  Status take_start(const std::string& v) { return take_time(v, o_.start); }
  Status take_end(const std::string& v) { return take_time(v, o_.end); }
  static Status take_time(const std::string& v, std::string& to);
  Status take_last(const std::string& v);
  Status take_keywords(const Values& values);
  Status take_level(const std::string& v);
  Status take_where(const std::string& v);
  Status take_object_type(const std::string& v);
  Status take_object_log(const std::string& v);
  Status take_limit(const std::string& v);
  Status take_format(const std::string& v);
  Status take_fields(const Values& values);
  Status take_syslog_port(const std::string& v);

  [[nodiscard]] bool has(std::string_view flag) const { return given_.contains(flag); }

  ParsedOptions out_;
  Options& o_ = out_.options;
  std::map<std::string, Values, std::less<>> given_;
  std::string api_ip_, api_port_;
};

const OptionsParser::Flags& OptionsParser::flags() {
  using P = OptionsParser;
  const auto several = [](Status (P::*take)(const Values&)) {
    return Flag{Takes::several, [take](P& p, const Values& v) { return (p.*take)(v); }};
  };
  static const Flags all{
      {"--url", one(&P::take_url)},
      {"--server", one(&P::take_url)},
      {"--ca", text(&Options::ca)},
      {"--tenant", text(&Options::tenant)},
      {"--analytics-api-ip", one(&P::take_api_ip)},
      {"--analytics-api-port", one(&P::take_api_port)},
      {"--admin-user", text(&Options::user)},
      {"--admin-password", text(&Options::password)},
      {"--conf-file", {Takes::one, [](P&, const Values&) { return Status(); }}},
      {"--start-time", one(&P::take_start)},
      {"--end-time", one(&P::take_end)},
      {"--last", one(&P::take_last)},
      {"--source", list(&Options::sources)},
      {"--module", list(&Options::modules)},
      {"--message-type", list(&Options::message_types)},
      {"--keywords", several(&P::take_keywords)},
      {"--node-type", text(&Options::node_type)},
      {"--instance-id", text(&Options::instance)},
      {"--category", text(&Options::category)},
      {"--level", one(&P::take_level)},
      {"--where", one(&P::take_where)},
      {"--trace", text(&Options::trace)},
      {"--object-type", one(&P::take_object_type)},
      {"--object-id", text(&Options::object_id)},
      {"--object-values", on(&Options::object_values)},
      {"--object-select-field", one(&P::take_object_log)},
      {"--message-types", on(&Options::list_types)},
      {"--limit", one(&P::take_limit)},
      {"--reverse", on(&Options::reverse)},
      {"--tail", on(&Options::follow)},
      {"--format", one(&P::take_format)},
      {"--json", as_format(Format::json)},
      {"--raw", as_format(Format::raw)},
      {"--fields", {Takes::any, [](P& p, const Values& v) { return p.take_fields(v); }}},
      {"--output-file", text(&Options::output_file)},
      {"--verbose", on(&Options::verbose)},
      {"--send-syslog", on(&Options::send_syslog)},
      {"--syslog-server", text(&Options::syslog_server)},
      {"--syslog-port", one(&P::take_syslog_port)},
      {"--help", on(&Options::help)},
  };
  return all;
}

void OptionsParser::read(std::span<const std::string_view> arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string_view argument = arguments[i];
    const std::size_t equals = argument.find('=');
    std::string name(argument.substr(0, equals));
    if (name == "-f") name = "--tail";
    if (name == "-h") name = "--help";
    const auto flag = flags().find(name);
    if (flag == flags().end()) {
      fault("\"" + std::string(argument.substr(0, 100)) + "\": no such flag; varve logs --help lists them");
      continue;
    }
    Values& values = given_[name];
    if (equals != std::string_view::npos) {
      if (flag->second.takes == Takes::none) fault(name + ": it takes no value");
      values.emplace_back(argument.substr(equals + 1));
      continue;
    }
    if (flag->second.takes == Takes::none) continue;
    const std::size_t before = values.size();
    const auto is_value = [&] { return i + 1 < arguments.size() && !arguments[i + 1].starts_with("--"); };
    const bool needs_none = flag->second.takes == Takes::any,
               may_be_more = needs_none || flag->second.takes == Takes::several;
    // A list ends at `-f`; a single value may be -10m.
    while (is_value() && ((values.size() == before && !needs_none) ||
                          ((values.size() == before || may_be_more) && !arguments[i + 1].starts_with('-')))) {
      values.emplace_back(arguments[++i]);
    }
    if (values.size() == before && !needs_none) {
      fault(name + ": a value is missing");
      given_.erase(name);
    }
  }
}

// What is on the command line comes before what is in the file.
void OptionsParser::take_conf_file(const std::string& path) {
  const auto lines = read_conf_file(path);
  if (!lines) return fault("--conf-file: " + lines.error().message);
  for (const auto& [key, value] : *lines) {
    const std::string name = "--" + key;
    if (!flags().contains(name)) {
      fault(std::string("--conf-file ").append(path).append(": ").append(key).append(": no such flag"));
    } else if (flags().find(name)->second.takes != Takes::none || value != "false") {
      given_.try_emplace(name, Values{value});
    }
  }
}

Status OptionsParser::take_url(const std::string& v) {
  const auto url = parse_url(v);
  if (!url) return fail(url.error());
  o_.url = v;
  return {};
}

Status OptionsParser::take_time(const std::string& v, std::string& to) {
  VARVE_ASSIGN_OR_RETURN(to, query_time(v));
  return {};
}

Status OptionsParser::take_last(const std::string& v) {
  VARVE_ASSIGN_OR_RETURN(o_.start, time_before_now(v));
  return {};
}

// Several flags, several values, or commas between them: all of these words.
Status OptionsParser::take_keywords(const Values& values) {
  for (const std::string& value : values) {
    for (std::size_t at = 0; at <= value.size();) {
      const std::size_t end = std::min(value.find(',', at), value.size());
      if (end > at) o_.keywords.push_back(value.substr(at, end - at));
      at = end + 1;
    }
  }
  return o_.keywords.empty() ? Status(fail(Code::invalid, "a word is missing")) : Status();
}

// Also as Contrail has them: SYS_ERR.
Status OptionsParser::take_level(const std::string& v) {
  std::int32_t number = 0;
  const char* const end = v.data() + v.size();
  if (const auto read = std::from_chars(v.data(), end, number); read.ec == std::errc() && read.ptr == end) {
    o_.level = number;
    if (number >= 0 && number <= message::kDebug) return {};
    return fail(Code::invalid,
                "\"" + v + "\" is not a level; write 0 to 7, or emerg alert crit err warning notice info debug");
  }
  const std::string_view name = v;
  o_.level = message::level_of(name.starts_with("SYS_") ? name.substr(4) : name);
  if (o_.level) return {};
  return fail(Code::invalid,
              "\"" + v + "\" is not a level; write emerg alert crit err warning notice info debug, or 0 to 7");
}

Status OptionsParser::take_where(const std::string& v) {
  VARVE_ASSIGN_OR_RETURN(o_.where, parse_where(v));
  return {};
}

Status OptionsParser::take_object_type(const std::string& v) {
  const std::string_view known = language::analytics::table_of_short_name(v);
  o_.object_table = known.empty() ? v : std::string(known);
  if (!v.empty()) return {};
  return fail(Code::invalid, "write a table such as ObjectVNTable, or its short name: virtual-network");
}

Status OptionsParser::take_object_log(const std::string& v) {
  if (v != "ObjectLog" && v != "SystemLog") return fail(Code::invalid, "allowed is ObjectLog or SystemLog");
  o_.object_log = v;
  return {};
}

Status OptionsParser::take_limit(const std::string& v) {
  std::uint64_t number = 0;
  const char* const end = v.data() + v.size();
  const auto read = std::from_chars(v.data(), end, number);
  if (read.ec != std::errc() || read.ptr != end || number == 0) {
    return fail(Code::invalid, "\"" + v + "\" is not a whole number from 1");
  }
  o_.limit = number;
  return {};
}

Status OptionsParser::take_format(const std::string& v) {
  constexpr std::pair<std::string_view, Format> kFormats[] = {{"text", Format::text},
                                                              {"contrail", Format::contrail},
                                                              {"raw", Format::raw},
                                                              {"json", Format::json},
                                                              {"logfmt", Format::logfmt}};
  for (const auto& [name, format] : kFormats) {
    if (v != name) continue;
    o_.format = format;
    return {};
  }
  return fail(Code::invalid, "allowed is text, contrail, raw, json or logfmt");
}

Status OptionsParser::take_fields(const Values& values) {
  for (const std::string& value : values) {
    for (std::size_t at = 0; at <= value.size();) {
      const std::size_t end = std::min(value.find(',', at), value.size());
      if (end > at) o_.fields.push_back(value.substr(at, end - at));
      at = end + 1;
    }
  }
  o_.list_fields = o_.fields.empty();
  return {};
}

Status OptionsParser::take_syslog_port(const std::string& v) {
  const char* const end = v.data() + v.size();
  const auto read = std::from_chars(v.data(), end, o_.syslog_port);
  if (read.ec == std::errc() && read.ptr == end && o_.syslog_port != 0) return {};
  return fail(Code::invalid, "\"" + v + "\" is not a port");
}

void OptionsParser::check_together() {
  check_formats();
  if (has("--url") && has("--server")) fault("--url: it says what --server says, too");
  if ((has("--url") || has("--server")) && (!api_ip_.empty() || !api_port_.empty())) {
    fault(std::string(has("--url") ? "--url" : "--server") +
          ": it says what --analytics-api-ip and --analytics-api-port say, too");
  } else if (!api_ip_.empty() || !api_port_.empty()) {
    const std::string host =
        api_ip_.find(':') == std::string::npos || api_ip_.starts_with('[') ? api_ip_ : "[" + api_ip_ + "]";
    o_.url = "http://" + (host.empty() ? "127.0.0.1" : host) + ":" + (api_port_.empty() ? "8080" : api_port_);
    if (const Status good = take_url(o_.url); !good) fault("--analytics-api-ip: " + good.error().message);
  }
  if (has("--last") && (has("--start-time") || has("--end-time"))) fault("--last: not with --start-time or --end-time");
  if (has("--end-time") && !has("--start-time")) fault("--end-time: --start-time is missing");
  for (const char* const flag : {"--object-id", "--object-values", "--object-select-field"}) {
    if (has(flag) && o_.object_table.empty()) fault(std::string(flag) + ": --object-type is missing");
  }
  if (!o_.trace.empty() && (o_.sources.empty() || o_.modules.empty())) fault("--trace: it needs --source and --module");
  if (!o_.trace.empty() && !o_.object_table.empty()) fault("--trace: not with --object-type");
  if (o_.list_types && !o_.object_table.empty()) fault("--message-types: not with --object-type");
  if (o_.list_fields) check_list_of_fields();
  if (o_.follow) check_follow();
}

// Whatever comes last: each of them says another one.
void OptionsParser::check_formats() {
  if (has("--json") && has("--raw")) fault("--json: not with --raw");
  for (const std::string name : {"json", "raw"}) {
    if (has("--" + name) && has("--format") && given_.at("--format").back() != name) {
      fault("--" + name + ": --format says another one");
    }
  }
}

void OptionsParser::check_list_of_fields() {
  for (const char* const flag : {"--tail", "--send-syslog", "--object-values", "--message-types", "--reverse"}) {
    if (has(flag)) fault(std::string(flag) + ": not with --fields alone, which lists the names of fields");
  }
}

void OptionsParser::check_follow() {
  for (const char* const flag :
       {"--start-time", "--end-time", "--last", "--reverse", "--send-syslog", "--object-values", "--message-types"}) {
    if (has(flag)) fault(std::string(flag) + ": not with -f, which begins 10 seconds back and goes on");
  }
  o_.start = "now-10s";
}

}  // namespace

ParsedOptions parse_options(std::span<const std::string_view> arguments) { return OptionsParser().parse(arguments); }

}  // namespace varve::logs
