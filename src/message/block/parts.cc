// SPDX-License-Identifier: Apache-2.0
#include "message/block/parts.h"

#include <algorithm>
#include <tuple>

#include "base/check.h"
#include "codec/crc32c.h"

namespace varve::message::block {
namespace {

constexpr std::size_t kCheckBytes = 4;
constexpr std::size_t kContentMax = kSectionBytesMax - kCheckBytes;

std::string section_of(std::span<const std::byte> content, std::size_t number) {
  std::string section(kCheckBytes + content.size(), '\0');
  store_le(section.data(), codec::crc32c(content, static_cast<std::uint32_t>(number)));
  std::ranges::copy(text_of(content), section.begin() + kCheckBytes);
  return section;
}

}  // namespace

Bytes& PartWriter::add(PartKind kind, std::size_t number) { return parts_.emplace_back(Part{kind, number, {}}).bytes; }

std::vector<std::string> PartWriter::finish(Bytes& head) {
  std::erase_if(parts_, [](const Part& part) { return part.bytes.empty(); });
  std::ranges::stable_sort(parts_, {}, [](const Part& p) { return std::tuple(p.kind, p.number); });
  std::vector<std::string> sections(1);
  head.varint(parts_.size());
  for (const Part& part : parts_) {
    head.byte(static_cast<unsigned>(part.kind));
    head.varint(part.number);
    auto bytes = part.bytes.view();
    if (bytes.size() <= kInlineBytesMax && head.size() < kHeadBytesTarget) {
      head.varint(0);
      head.varint(bytes.size());
      head.add(bytes);
      continue;
    }
    head.varint((bytes.size() + kContentMax - 1) / kContentMax);
    while (!bytes.empty()) {
      const std::size_t n = std::min(bytes.size(), kContentMax);
      sections.push_back(section_of(bytes.first(n), sections.size()));
      bytes = bytes.subspan(n);
    }
  }
  sections[0] = section_of(head.view(), 0);
  parts_.clear();
  return sections;
}

Status check_section(const std::string& bytes, std::uint32_t section) {
  if (bytes.size() < kCheckBytes ||
      load_le<std::uint32_t>(bytes.data()) != codec::crc32c(bytes_of(bytes).subspan(kCheckBytes), section)) {
    return fail(Code::corrupt, "section " + std::to_string(section) + " of a message block is damaged");
  }
  return {};
}

Result<Sections::Section> Sections::read_checked(std::uint32_t section) const {
  VARVE_ASSIGN_OR_RETURN(auto bytes, read(section));
  check(bytes != nullptr, "a section that was read is there");
  VARVE_RETURN_IF_ERROR(check_section(*bytes, section));
  return bytes;
}

Result<PartBytes> read_section(const Sections& sections, std::uint32_t section, bool is_text) {
  PartBytes read;
  VARVE_ASSIGN_OR_RETURN(read.held,
                         is_text ? sections.Sections::read_checked(section) : sections.read_checked(section));
  check(read.held != nullptr && read.held->size() >= kCheckBytes, "a section that was checked has its checksum");
  read.bytes = bytes_of(*read.held).subspan(kCheckBytes);
  return read;
}

bool Directory::read(Cursor& head) {
  const std::uint64_t parts = head.varint();
  if (parts > head.left()) return false;
  std::uint64_t next = 1;
  for (std::uint64_t i = 0; i < parts; ++i) {
    Entry entry{};
    entry.kind = static_cast<PartKind>(head.byte());
    const std::uint64_t number = head.varint(), sections = head.varint();
    if (static_cast<std::size_t>(entry.kind) >= kPartKinds || number > kRowsMax || sections > kSectionsMax ||
        next > 2 * kRowsMax) {
      return false;
    }
    entry.number = static_cast<std::uint32_t>(number);
    entry.sections = static_cast<std::uint32_t>(sections);
    entry.first = static_cast<std::uint32_t>(next);
    next += sections;
    if (sections == 0) entry.bytes = head.take(static_cast<std::size_t>(head.varint()));
    if (!head.ok()) return false;
    const auto key = [](const Entry& e) { return std::tuple(e.kind, e.number); };
    if (!entries_.empty() && key(entries_.back()) >= key(entry)) return false;
    entries_.push_back(entry);
  }
  return true;
}

const Directory::Entry* Directory::find(PartKind kind, std::size_t number) const {
  const auto key = [](const Entry& e) { return std::tuple(e.kind, std::size_t{e.number}); };
  const auto at = std::ranges::lower_bound(entries_, std::tuple(kind, number), {}, key);
  return at == entries_.end() || key(*at) != std::tuple(kind, number) ? nullptr : &*at;
}

std::size_t Directory::count(PartKind kind) const {
  return static_cast<std::size_t>(std::ranges::count(entries_, kind, &Entry::kind));
}

void Directory::add_sections(PartKind kind, std::size_t number, std::vector<std::uint32_t>& out) const {
  const Entry* const entry = find(kind, number);
  for (std::uint32_t i = 0; entry != nullptr && i < entry->sections; ++i) out.push_back(entry->first + i);
}

Result<PartBytes> Directory::part(const Sections& sections, PartKind kind, std::size_t number) const {
  const Entry* const entry = find(kind, number);
  if (entry == nullptr) {
    return fail(Code::corrupt, "a message block has no part " + std::to_string(static_cast<unsigned>(kind)) + " " +
                                   std::to_string(number));
  }
  if (entry->sections == 0) return PartBytes{nullptr, entry->bytes};
  const bool is_text = kind == PartKind::text_frame;
  if (entry->sections == 1) return read_section(sections, entry->first, is_text);
  auto whole = std::make_shared<std::string>();
  for (std::uint32_t i = 0; i < entry->sections; ++i) {
    VARVE_ASSIGN_OR_RETURN(const PartBytes piece, read_section(sections, entry->first + i, is_text));
    whole->append(text_of(piece.bytes));
  }
  const auto bytes = bytes_of(*whole);
  return PartBytes{std::move(whole), bytes};
}

}  // namespace varve::message::block
