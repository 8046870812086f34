// SPDX-License-Identifier: Apache-2.0
#include "protocol/influx/naming.h"

#include "protocol/influx/split.h"

namespace varve::protocol::influx {
namespace {

// Position of the first `c` from `from` on that no backslash precedes, or the end.
std::size_t find_plain(std::string_view raw, char c, std::size_t from) {
  for (std::size_t i = from; i < raw.size(); ++i) {
    if (raw[i] == c && (i == from || raw[i - 1] != '\\')) return i;
  }
  return raw.size();
}

}  // namespace

Status Naming::read_name(std::string_view name) {
  std::size_t at = find_plain(name, ',', 0);
  append_name(bytes_, name.substr(0, at));
  measurement_ = keep(0);
  tags_.clear();
  while (at < name.size()) {
    const std::size_t begin = at + 1;
    at = find_plain(name, ',', begin);
    const std::string_view tag = name.substr(begin, at - begin);
    const std::size_t equals = find_plain(tag, '=', 0);
    if (equals == tag.size()) return fail(Code::invalid, "tag '" + std::string(tag) + "' has no '='");
    const std::size_t key = bytes_.size();
    append_name(bytes_, tag.substr(0, equals));
    const std::size_t value = bytes_.size();
    append_name(bytes_, tag.substr(equals + 1));
    tags_.push_back({keep(key).substr(0, value - key), keep(value)});
  }
  return model::normalize(tags_);
}

Status Naming::read(std::string_view name, std::span<const std::string_view> fields) {
  std::size_t bytes = name.size();
  for (const std::string_view field : fields) bytes += name.size() + 1 + field.size();
  bytes_.clear();
  bytes_.reserve(bytes);
  VARVE_RETURN_IF_ERROR(read_name(name));
  metrics_.clear();
  for (const std::string_view field : fields) {
    const std::size_t from = bytes_.size();
    bytes_ += measurement_;
    if (field != "value") {
      bytes_ += '_';
      append_name(bytes_, field);
    }
    metrics_.push_back(keep(from));
  }
  return {};
}

}  // namespace varve::protocol::influx
