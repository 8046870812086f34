// SPDX-License-Identifier: Apache-2.0
// The kinds of message that `Logs` draws from, as data.
#pragma once

#include <span>
#include <string_view>

namespace varve::load {

// Texts are templates. {NAME} is one of a list of words, {n:M} a number below M that is small more often than not,
// {u:M} one that is evenly spread, {x:N} N hexadecimal digits, {id} a UUID, {in} and {out} an address inside and
// outside the site. {vn}, {vm}, {peer}, {svc}, {user} and {thing} are drawn once a message: its objects have the same.
struct LogKind {
  int weight;  // of all weights together
  std::string_view module, type, category, node_type;
  int kind, level;
  std::string_view text;
  std::string_view objects[2];  // "" : none
};

std::span<const LogKind> log_kinds();
// The words of {NAME}; empty: no such list.
std::span<const std::string_view> log_words(std::string_view name);

}  // namespace varve::load
