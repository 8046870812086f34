// SPDX-License-Identifier: Apache-2.0
#include "migrate/contrail_names.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/bytes.h"
#include "message/row.h"
#include "migrate/progress_file.h"
#include "migrate/token_ranges.h"

namespace varve::migrate {
namespace {

constexpr std::size_t kHeadBytes = message::kIdBytes + sizeof(std::uint32_t);
constexpr std::size_t kBufferBytes = std::size_t{64} << 10;
constexpr std::string_view kComplete = "complete";

}  // namespace

Result<NamesOfPiece> NamesOfPiece::parse(std::string_view bytes) {
  NamesOfPiece out;
  out.bytes_.assign(bytes.begin(), bytes.end());
  for (std::string_view rest(out.bytes_.data(), out.bytes_.size()); !rest.empty();) {
    const std::size_t size = rest.size() < kHeadBytes ? 0 : load_be32(rest.data() + message::kIdBytes);
    if (rest.size() < kHeadBytes || rest.size() - kHeadBytes < size) return fail(Code::corrupt, "names end in one");
    out.entries_.push_back({rest.substr(0, message::kIdBytes), rest.substr(kHeadBytes, size)});
    rest.remove_prefix(kHeadBytes + size);
  }
  std::ranges::sort(out.entries_, {}, [](const Entry& entry) { return std::pair(entry.id, entry.name); });
  return out;
}

std::vector<std::string_view> NamesOfPiece::of(std::string_view id_bytes) const {
  std::vector<std::string_view> names;
  for (const auto& entry : std::ranges::equal_range(entries_, id_bytes, {}, &Entry::id)) names.push_back(entry.name);
  return names;
}

std::string ContrailNames::file(std::size_t piece) const { return path_ + "/" + std::to_string(piece); }

Status ContrailNames::begin() {
  std::error_code error;
  std::filesystem::remove_all(path_, error);
  if (!error) std::filesystem::create_directories(path_, error);
  if (error) return fail(Code::io, path_ + ": " + error.message());
  for (auto& piece : pieces_) {
    const MutexLock lock(piece.mutex);
    piece.buffer.clear();
    piece.read.reset();
  }
  return {};
}

Status ContrailNames::add(std::string_view id_bytes, std::string_view type, std::string_view value) {
  const std::size_t number = range_of_uuid(id_bytes) / (kRanges / kPieces);
  Piece& piece = pieces_[number];
  const MutexLock lock(piece.mutex);
  std::string length(sizeof(std::uint32_t), '\0');
  store_be32(length.data(), static_cast<std::uint32_t>(type.size() + 1 + value.size()));
  piece.buffer.append(id_bytes).append(length).append(type).append(1, ':').append(value);
  if (piece.buffer.size() < kBufferBytes) return {};
  const std::string full = std::exchange(piece.buffer, {});
  return append_file(file(number), full, Sync::later);
}

Status ContrailNames::end() {
  for (std::size_t i = 0; i < kPieces; ++i) {
    const MutexLock lock(pieces_[i].mutex);
    VARVE_RETURN_IF_ERROR(append_file(file(i), std::exchange(pieces_[i].buffer, {}), Sync::now));
  }
  return replace_file(path_ + "/" + std::string(kComplete), "");
}

bool ContrailNames::complete() const { return std::filesystem::exists(path_ + "/" + std::string(kComplete)); }

void ContrailNames::remove() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

Result<std::shared_ptr<const NamesOfPiece>> ContrailNames::of_range(std::size_t range) {
  const std::size_t number = range / (kRanges / kPieces);
  Piece& piece = pieces_[number];
  const MutexLock lock(piece.mutex);
  if (auto known = piece.read.lock()) return known;
  VARVE_ASSIGN_OR_RETURN(auto bytes, load_file(file(number)));
  auto parsed = NamesOfPiece::parse(bytes ? *bytes : std::string());
  if (!parsed) return fail(parsed.error().code, file(number) + ": " + parsed.error().message);
  auto names = std::make_shared<const NamesOfPiece>(std::move(*parsed));
  piece.read = names;
  return names;
}

}  // namespace varve::migrate
