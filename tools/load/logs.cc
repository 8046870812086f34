// SPDX-License-Identifier: Apache-2.0
#include "tools/load/logs.h"

#include <fmt/format.h>

#include <charconv>
#include <numeric>
#include <stdexcept>
#include <string_view>

#include "tools/load/log_kinds.h"

namespace varve::load {
namespace {

constexpr std::uint64_t kHosts = 40;

// Small numbers come more often: a cube of an even share.
std::uint64_t skewed(Random& random, std::uint64_t bound) {
  const double share = random.uniform();
  return static_cast<std::uint64_t>(share * share * share * static_cast<double>(bound));
}

std::string inner_address(std::uint64_t n) {
  return fmt::format("10.{}.{}.{}", n % 3 + 1, n / 3 % 250, n / 750 % 250 + 1);
}
std::string outer_address(std::uint64_t n) {
  return fmt::format("{}.{}.{}.{}", n % 200 + 11, n / 7 % 251, n / 31 % 253, n % 254);
}

std::string hex(Random& random, std::size_t digits) {
  std::string out;
  while (out.size() < digits) {
    out += fmt::format("{:016x}", random.next());
  }
  out.resize(digits);
  return out;
}

std::string uuid(Random& random) {
  const std::string digits = hex(random, 32);
  const std::string_view text = digits;
  return fmt::format("{}-{}-4{}-a{}-{}", text.substr(0, 8), text.substr(8, 4), text.substr(13, 3), text.substr(17, 3),
                     text.substr(20));
}

// Fills in the templates of one message.
class Filler {
 public:
  explicit Filler(Random& random) : random_(random) {
    const std::uint64_t network = skewed(random, 400);
    vn_ = fmt::format("default-domain:proj-{}:vn-{}", network % 40, network);
    Random machine(skewed(random, 20'000));
    vm_ = uuid(machine);
    peer_ = inner_address(skewed(random, 900));
    svc_ = word("svc");
    user_ = word("user");
    thing_ = word("thing");
  }

  [[nodiscard]] const std::string& service() const { return svc_; }

  std::string fill(std::string_view text) {
    std::string out;
    while (!text.empty()) {
      const auto open = text.find('{');
      out += text.substr(0, open);
      if (open == std::string_view::npos) {
        break;
      }
      const auto close = text.find('}', open);
      // A brace of JSON is no name.
      if (close == std::string_view::npos || text[open + 1] == '"') {
        out += '{';
        text.remove_prefix(open + 1);
        continue;
      }
      out += value(text.substr(open + 1, close - open - 1));
      text.remove_prefix(close + 1);
    }
    return out;
  }

 private:
  std::string word(std::string_view list) {
    const auto words = log_words(list);
    if (words.empty()) {
      throw std::logic_error(fmt::format("a template names {{{}}}", list));
    }
    return std::string(words[skewed(random_, words.size())]);
  }

  std::string value(std::string_view name) {
    const auto colon = name.find(':');
    if (colon != std::string_view::npos) {
      std::uint64_t bound = 0;
      std::from_chars(name.data() + colon + 1, name.data() + name.size(), bound);
      if (name[0] == 'x') {
        return hex(random_, bound);
      }
      return std::to_string(name[0] == 'u' ? random_.below(bound) : skewed(random_, bound));
    }
    if (name == "vn") return vn_;
    if (name == "vm") return vm_;
    if (name == "peer") return peer_;
    if (name == "svc") return svc_;
    if (name == "user") return user_;
    if (name == "thing") return thing_;
    if (name == "id") return uuid(random_);
    if (name == "in") return inner_address(skewed(random_, 900));
    if (name == "out") return outer_address(skewed(random_, 60'000));
    return word(name);
  }

  Random& random_;
  std::string vn_, vm_, peer_, svc_, user_, thing_;
};

const LogKind& draw(Random& random) {
  const auto kinds = log_kinds();
  static const int total =
      std::accumulate(kinds.begin(), kinds.end(), 0, [](int sum, const LogKind& kind) { return sum + kind.weight; });
  int left = static_cast<int>(random.below(static_cast<std::uint64_t>(total)));
  for (const auto& kind : kinds) {
    left -= kind.weight;
    if (left < 0) {
      return kind;
    }
  }
  return kinds.back();
}

std::string_view host_name(std::string_view node_type) {
  return node_type.empty() ? "web" : node_type == "Compute" ? "compute" : "ctrl";
}

}  // namespace

bool Logs::next(LogMessage& message) {
  if (number_ == set_.messages) {
    return false;
  }
  const LogKind& kind = draw(random_);
  Filler filler(random_);
  const std::uint64_t host = skewed(random_, kHosts);
  const std::int64_t step_us = set_.span_us / static_cast<std::int64_t>(set_.messages);
  message.time_us = set_.start_us + static_cast<std::int64_t>(number_) * step_us +
                    static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(step_us) / 2 + 1));
  message.source = fmt::format("{}{:02}", host_name(kind.node_type), host);
  message.module = kind.module.empty() ? filler.service() : std::string(kind.module);
  message.type = kind.type;
  message.category = kind.category;
  message.node_type = kind.node_type;
  message.ip = inner_address(host);
  message.text = filler.fill(kind.text);
  if (number_ % kNeedleEvery == kNeedleEvery / 2) {
    message.text += fmt::format(" needle{:012}", number_);
  }
  message.objects.clear();
  for (const auto object : kind.objects) {
    if (!object.empty()) {
      message.objects.push_back(filler.fill(object));
    }
  }
  message.kind = kind.kind;
  message.level = kind.level;
  message.pid = 300 + (host * 131 + message.module.size() * 977) % 32'000;
  sequences_.resize(kHosts);
  message.sequence = kind.node_type.empty() ? 0 : ++sequences_[host];
  ++number_;
  return true;
}

}  // namespace varve::load
