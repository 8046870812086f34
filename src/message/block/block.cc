// SPDX-License-Identifier: Apache-2.0
#include "message/block/block.h"

#include <algorithm>
#include <ranges>

#include "message/block/block_state.h"

namespace varve::message::block {

Result<Block> Block::open(std::shared_ptr<const Sections> sections) {
  VARVE_ASSIGN_OR_RETURN(auto head, head_of(*sections));
  return Block(std::make_unique<State>(std::move(sections), std::move(head)));
}

Block::Block(std::unique_ptr<State> state) : state_(std::move(state)) {}
Block::Block(Block&&) noexcept = default;
Block& Block::operator=(Block&&) noexcept = default;
Block::~Block() = default;

std::size_t Block::messages() const { return state_->columns.rows(); }
std::int64_t Block::first_us() const { return state_->columns.head().first_us; }
std::int64_t Block::last_us() const { return state_->columns.head().last_us; }
Result<std::vector<std::uint32_t>> Block::text_lengths(const Bitmap& among) { return state_->texts.lengths(among); }

bool Block::has_ids() const {
  return std::ranges::any_of(state_->columns.head().bundles, [](const BundleHead& bundle) {
    return std::ranges::find(bundle.facets, kFacetId) != bundle.facets.end();
  });
}

Result<std::span<const std::int64_t>> Block::times() {
  VARVE_ASSIGN_OR_RETURN(const auto* const times, state_->columns.times());
  return std::span(*times);
}

Result<std::span<const std::int64_t>> Block::arrivals() {
  VARVE_ASSIGN_OR_RETURN(const auto* const arrivals, state_->columns.arrivals());
  return std::span(*arrivals);
}

Status Block::keep_between(std::int64_t first_ns, std::int64_t end_ns, Bitmap& among) {
  __extension__ typedef __int128 Wide;
  constexpr std::int64_t kNsPerUs = 1000;
  const auto ns = [](std::int64_t us) { return Wide{us} * kNsPerUs; };
  if (ns(first_us()) >= first_ns && ns(last_us()) + kNsPerUs <= end_ns) return {};
  VARVE_ASSIGN_OR_RETURN(const auto* const times, state_->columns.times());
  VARVE_ASSIGN_OR_RETURN(const auto* const nanos, state_->columns.nanos());
  const auto at = [&](std::size_t row) { return ns((*times)[row]) + (nanos->empty() ? 0 : (*nanos)[row]); };
  const auto number = std::views::iota(std::size_t{0}, messages());
  const auto first = std::ranges::partition_point(number, [&](std::size_t row) { return at(row) < first_ns; });
  const auto end = std::ranges::partition_point(number, [&](std::size_t row) { return at(row) < end_ns; });
  for (auto row = number.begin(); row != first; ++row) among.reset(*row);
  for (auto row = end; row != number.end(); ++row) among.reset(*row);
  return {};
}

Result<std::vector<std::string>> Block::field_names() {
  std::vector<std::string> names;
  if (state_->columns.head().names == 0) return names;
  VARVE_ASSIGN_OR_RETURN(const Terms* const terms, state_->fields.names());
  for (std::size_t i = 0; i < terms->size(); ++i) names.emplace_back((*terms)[i]);
  return names;
}

Result<std::vector<std::string>> Block::text_field_names() {
  std::vector<std::string> names;
  if (state_->columns.head().names == 0) return names;
  VARVE_ASSIGN_OR_RETURN(const Terms* const terms, state_->fields.names());
  std::vector<bool> is_text(terms->size());
  for (std::size_t s = 0; s < state_->fields.shapes(); ++s) {
    VARVE_ASSIGN_OR_RETURN(const auto cells, state_->fields.shape(s));
    for (const ShapeCell& cell : cells) is_text[cell.name] = is_text[cell.name] || cell.form == FieldForm::text;
  }
  for (std::size_t i = 0; i < terms->size(); ++i) {
    if (is_text[i]) names.emplace_back((*terms)[i]);
  }
  return names;
}

}  // namespace varve::message::block
