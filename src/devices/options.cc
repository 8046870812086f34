// SPDX-License-Identifier: Apache-2.0
#include "devices/options.h"

#include <algorithm>

#include "logs/http_call.h"

namespace varve::devices {
namespace {

struct VerbForm {
  std::string_view name;
  Verb verb;
  std::size_t words_min, words_max;  // behind it
  std::string_view words;
  std::string_view flags;  // each between blanks, beside those of all
};
constexpr std::string_view kFields = " address credential oidset tag begin end active inactive ";
constexpr VerbForm kVerbs[] = {
    {"add", Verb::add, 1, 1, "NAME", kFields},
    {"list", Verb::list, 0, 0, "", " json "},
    {"show", Verb::show, 1, 1, "NAME", " json "},
    {"set", Verb::set, 1, 1, "NAME", kFields},
    {"remove", Verb::remove, 1, 1, "NAME", ""},
    {"poll", Verb::poll, 1, 2, "NAME [OIDSET]", " json "},
    {"usage", Verb::usage, 0, 0, "", " begin end agg device interface alias tag sort limit sum csv json "},
    {"import", Verb::import_, 1, 1, "FILE", " prune check "},
    {"export", Verb::export_, 0, 0, "", ""},
};
constexpr std::string_view kSwitches = " json prune check active inactive sum csv help ";
constexpr std::string_view kThereAre = "there are add, list, show, set, remove, poll, usage, import and export";

bool has(std::string_view list, std::string_view flag) {
  return list.find(" " + std::string(flag) + " ") != std::string_view::npos;
}

class DeviceOptions {
 public:
  ParsedOptions parse(std::span<const std::string_view> arguments) {
    if (arguments.empty() || arguments[0] == "--help" || arguments[0] == "-h" || arguments[0] == "help") {
      if (arguments.empty()) fault(std::string("a verb is missing; ") + std::string(kThereAre));
      return std::move(out_);
    }
    form_ = std::ranges::find(kVerbs, arguments[0], &VerbForm::name);
    if (form_ == std::end(kVerbs)) {
      fault("\"" + std::string(arguments[0].substr(0, 100)) + "\": no such verb; " + std::string(kThereAre));
      return std::move(out_);
    }
    o_.verb = form_->verb;
    read(arguments.subspan(1));
    if (o_.verb != Verb::help) check();
    return std::move(out_);
  }

 private:
  void fault(std::string what) { out_.faults.push_back(std::move(what)); }

  void read(std::span<const std::string_view> arguments) {
    bool only_words = false;  // behind --
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const std::string_view argument = arguments[i];
      if (argument == "--" && !only_words) {
        only_words = true;
        continue;
      }
      if (only_words || !argument.starts_with('-') || argument == "-") {
        words_.emplace_back(argument);
        continue;
      }
      const std::size_t equals = argument.find('=');
      const std::string_view name =
          argument == "-h" ? "help" : argument.substr(0, equals).substr(argument.starts_with("--") ? 2 : 0);
      if (!has(form_->flags, name) && !has(" server url ca tenant help ", name)) {
        fault("\"" + std::string(argument.substr(0, 100)) + "\": no such flag; varve device --help lists them");
        continue;
      }
      const bool has_value = equals != std::string_view::npos;
      if (has(kSwitches, name)) {
        if (has_value) fault("--" + std::string(name) + ": it takes no value");
        take_switch(name);
      } else if (has_value) {
        take(name, std::string(argument.substr(equals + 1)));
      } else if (i + 1 < arguments.size()) {
        take(name, std::string(arguments[++i]));
      } else {
        fault("--" + std::string(name) + ": a value is missing");
      }
    }
  }

  void take_switch(std::string_view name) {
    if (name == "help") o_.verb = Verb::help;
    if (name == "json") o_.json = true;
    if (name == "prune") o_.prune = true;
    if (name == "check") o_.check = true;
    if (name == "sum") o_.sum = true;
    if (name == "csv") o_.csv = true;
    if (name == "active" || name == "inactive") {
      if (o_.active && *o_.active != (name == "active")) fault("--active: not with --inactive");
      o_.active = name == "active";
    }
  }

  void take(std::string_view name, std::string value) {
    if (name == "server" || name == "url") {
      if (const auto url = logs::parse_url(value); !url) fault("--" + std::string(name) + ": " + url.error().message);
      o_.server = std::move(value);
    } else if (name == "ca") {
      o_.ca = std::move(value);
    } else if (name == "tenant") {
      o_.tenant = std::move(value);
    } else if (name == "oidset") {
      if (!o_.oidsets) o_.oidsets.emplace();
      o_.oidsets->push_back(std::move(value));
    } else if (name == "tag") {
      const std::size_t equals = value.find('=');
      if (equals == std::string::npos || equals == 0) return fault("--tag: \"" + value + "\": write KEY=VALUE");
      o_.tags.emplace_back(value.substr(0, equals), value.substr(equals + 1));
    } else if (name == "device" || name == "interface") {
      (name == "device" ? o_.devices : o_.interfaces).push_back(std::move(value));
    } else if (name == "alias" || name == "agg" || name == "sort" || name == "limit") {
      (name == "alias"  ? o_.alias_part
       : name == "agg"  ? o_.agg
       : name == "sort" ? o_.sort
                        : o_.limit) = std::move(value);
    } else {
      (name == "address"      ? o_.address
       : name == "credential" ? o_.credential
       : name == "begin"      ? o_.begin
                              : o_.end) = std::move(value);
    }
  }

  void check() {
    if (words_.size() < form_->words_min || words_.size() > form_->words_max) {
      const std::string words = form_->words.empty() ? "" : " " + std::string(form_->words);
      fault("expected: varve device " + std::string(form_->name) + words + " [FLAG ...]");
      return;
    }
    if (!words_.empty()) o_.name = words_[0];
    if (words_.size() > 1) o_.oidset = words_[1];
    if (form_->words_min > 0 && o_.name.empty()) fault("the name may not be empty");
    if (o_.csv && o_.json) fault("--csv: not with --json");
    if (o_.verb == Verb::add && !o_.address) fault("--address: it is missing");
    const bool sets_something =
        o_.address || o_.credential || o_.begin || o_.end || o_.oidsets || o_.active || !o_.tags.empty();
    if (o_.verb == Verb::set && !sets_something) fault("nothing is set; varve device --help lists the flags");
  }

  ParsedOptions out_;
  Options& o_ = out_.options;
  const VerbForm* form_ = nullptr;
  std::vector<std::string> words_;
};

}  // namespace

ParsedOptions parse_options(std::span<const std::string_view> arguments) { return DeviceOptions().parse(arguments); }

}  // namespace varve::devices
