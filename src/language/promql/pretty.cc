// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>
#include <variant>

#include "language/promql/print.h"
#include "language/promql/print_parts.h"

namespace varve::language::promql {
namespace {

class PrettyPrinter {
 public:
  // With the indentation in front of the first line.
  void tree(const Expression& one, std::size_t level) {
    const std::string line = one_line(one);
    const bool split =
        line.size() > kLineBytesMax && std::visit([&](const auto& node) { return this->add(node, level); }, one.node);
    if (!split) out_ += indent(level) + line;
  }
  std::string take() { return std::move(out_); }

 private:
  static std::string indent(std::size_t level) { return std::string(2 * level, ' '); }

  // False: it is never split.
  template <class Node>
  bool add(const Node&, std::size_t) {
    return false;
  }
  bool add(const Subquery& one, std::size_t level) {
    tree(*one.inner, level);
    out_ += tail_text(one);
    return true;
  }
  bool add(const Unary& one, std::size_t level) {
    const std::size_t from = out_.size();
    tree(*one.inner, level);
    out_.insert(from + indent(level).size(), one.negate ? "-" : "+");
    return true;
  }
  bool add(const Binary& one, std::size_t level) {
    tree(*one.left, level + 1);
    out_ += "\n" + indent(level) + operator_text(one) + "\n";
    tree(*one.right, level + 1);
    return true;
  }
  bool add(const Aggregation& one, std::size_t level) {
    out_ += indent(level) + head_text(one) + "(\n";
    if (one.parameter) {
      tree(*one.parameter, level + 1);
      out_ += ",\n";
    }
    tree(*one.inner, level + 1);
    out_ += "\n" + indent(level) + ")";
    return true;
  }
  bool add(const Call& one, std::size_t level) {
    out_ += indent(level) + head_text(one) + "(\n";
    for (const auto& argument : one.arguments) {
      tree(*argument, level + 1);
      out_ += &argument == &one.arguments.back() ? "\n" : ",\n";
    }
    out_ += indent(level) + ")" + tail_text(one);
    return true;
  }
  bool add(const Parentheses& one, std::size_t level) {
    out_ += indent(level) + "(\n";
    tree(*one.inner, level + 1);
    out_ += "\n" + indent(level) + ")";
    return true;
  }

  std::string out_;
};

}  // namespace

std::string pretty(const Expression& root) {
  PrettyPrinter printer;
  printer.tree(root, 0);
  return printer.take();
}

}  // namespace varve::language::promql
