// SPDX-License-Identifier: Apache-2.0
#include "api/esmond/points.h"

#include <charconv>
#include <cmath>
#include <string>

#include "protocol/json/tree.h"

namespace varve::api::esmond {
namespace {

using protocol::json::Kind;
using protocol::json::Node;

template <class Number>
bool read_whole_text(std::string_view text, Number& to) {
  const auto [behind, error] = std::from_chars(text.data(), text.data() + text.size(), to);
  return error == std::errc() && behind == text.data() + text.size();
}

// A finite number, as a number or a text.
const Node* number_in(const Node& point, const char* name, double& number) {
  const Node* const node = point.find(name);
  if (node == nullptr || (node->kind != Kind::number && node->kind != Kind::string)) return nullptr;
  return read_whole_text(node->text, number) && std::isfinite(number) ? node : nullptr;
}

bool read_point(const Node& node, PostedPoint& to) {
  double time = 0, value = 0;
  const Node* const ts = node.kind == Kind::object ? number_in(node, "ts", time) : nullptr;
  const Node* const val = ts != nullptr ? number_in(node, "val", value) : nullptr;
  if (val == nullptr) return false;
  if (!(time >= static_cast<double>(model::kTimestampMin) && time <= static_cast<double>(model::kTimestampMax))) {
    return false;
  }
  if (!read_whole_text(ts->text, to.at)) to.at = static_cast<model::Timestamp>(time);
  std::uint64_t whole = 0;
  to.value = read_whole_text(val->text, whole) ? model::Value{model::ValueType::long_, whole, {}}
                                               : model::Value::of_double(value);
  return true;
}

}  // namespace

Result<std::vector<PostedPoint>> read_points(std::string_view body) {
  protocol::json::Reader reader(body);
  VARVE_ASSIGN_OR_RETURN(const Node root, protocol::json::read_strict(reader));
  if (root.kind != Kind::array) return fail(Code::invalid, "the body is a list of {\"ts\":…,\"val\":…}");
  std::vector<PostedPoint> out(root.children.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (!read_point(root.children[i], out[i])) {
      return fail(Code::invalid, "element " + std::to_string(i) + " has no numbers ts and val; nothing is kept");
    }
  }
  return out;
}

}  // namespace varve::api::esmond
