// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/texts/texts.h"

#include <algorithm>
#include <utility>

namespace varve::engine::cassandra {

using storage::TextName;

namespace {

constexpr std::size_t kBytesAtOnce = std::size_t{4} << 20;
constexpr std::size_t kRowsAtOnce = 1000;

}  // namespace

Status Texts::put_text(const TextName& name, std::string_view text) { return put(name, text, 0); }

Status Texts::put_passing_text(const TextName& name, std::string_view text, std::chrono::seconds life) {
  return put(name, text, static_cast<std::uint32_t>(life.count()));
}

Status Texts::put(const TextName& name, std::string_view text, std::uint32_t ttl_s) {
  VARVE_RETURN_IF_ERROR(storage::check_text_name(name));
  VARVE_RETURN_IF_ERROR(storage::check_text(text));
  return rows_.write_now({{&table_,
                           {name.tenant, name.service},
                           {storage::text_place(name.service_key, name.key)},
                           {std::string(text)},
                           stamps_.draw(clock_.now_ms() * 1000),
                           ttl_s}});
}

Status Texts::erase_text(const TextName& name) {
  VARVE_RETURN_IF_ERROR(storage::check_text_name(name));
  return rows_.erase_now({{&table_,
                           {name.tenant, name.service},
                           {storage::text_place(name.service_key, name.key)},
                           stamps_.draw(clock_.now_ms() * 1000)}});
}

// What is written is there before anything is erased: of a change of a name nobody sees neither.
Status Texts::change_texts(std::span<const storage::TextChange> changes) {
  for (const storage::TextChange& change : changes) VARVE_RETURN_IF_ERROR(storage::check_text_change(change));
  std::vector<RowDelete> erased;
  for (std::size_t i = 0; i < changes.size();) {
    std::vector<RowWrite> writes;
    for (std::size_t bytes = 0; i < changes.size() && bytes < kBytesAtOnce && writes.size() < kRowsAtOnce; ++i) {
      const TextName& name = changes[i].name;
      std::vector<std::string> partition = {name.tenant, name.service};
      std::vector<std::string> row = {storage::text_place(name.service_key, name.key)};
      const std::int64_t stamp = stamps_.draw(clock_.now_ms() * 1000);
      if (!changes[i].text) {
        erased.push_back({&table_, std::move(partition), std::move(row), stamp});
        continue;
      }
      bytes += changes[i].text->size();
      writes.push_back({&table_, std::move(partition), std::move(row), {*changes[i].text}, stamp, 0});
    }
    if (!writes.empty()) VARVE_RETURN_IF_ERROR(rows_.write_now(std::move(writes)));
  }
  for (std::size_t i = 0; i < erased.size(); i += kRowsAtOnce) {
    const auto first = erased.begin() + static_cast<std::ptrdiff_t>(i);
    const auto count = static_cast<std::ptrdiff_t>(std::min(kRowsAtOnce, erased.size() - i));
    VARVE_RETURN_IF_ERROR(rows_.erase_now({first, first + count}));
  }
  return {};
}

Result<std::optional<std::string>> Texts::text(const TextName& name) const {
  const std::string place = storage::text_place(name.service_key, name.key);
  std::optional<std::string> found;
  VARVE_RETURN_IF_ERROR(
      read({&table_, {name.tenant, name.service}, place, place + '\0', {"value"}}, [&](const RowView& row) -> Status {
        found = row.cells[1];
        return {};
      }));
  return found;
}

Result<std::vector<TextName>> Texts::text_names(std::string_view tenant, std::string_view service) const {
  std::vector<TextName> out;
  VARVE_RETURN_IF_ERROR(
      read({&table_, {std::string(tenant), std::string(service)}, {}, {}, {}}, [&](const RowView& row) -> Status {
        const std::string_view place = row.cells[0];
        const std::size_t end = place.find('\0');
        if (end == std::string_view::npos) return fail(Code::corrupt, "a text has a malformed name");
        out.push_back({std::string(tenant), std::string(service), std::string(place.substr(0, end)),
                       std::string(place.substr(end + 1))});
        return {};
      }));
  return out;
}

Result<std::vector<std::string>> Texts::text_keys(std::string_view tenant, std::string_view service,
                                                  std::string_view service_key, std::string_view prefix) const {
  const std::size_t before = service_key.size() + 1;
  // Up to the end of the service key: what is behind the prefix might end in the middle of a character, and be no text.
  std::vector<std::string> out;
  VARVE_RETURN_IF_ERROR(read({&table_,
                              {std::string(tenant), std::string(service)},
                              storage::text_place(service_key, prefix),
                              std::string(service_key) + '\1',
                              {}},
                             [&](const RowView& row) -> Status {
                               const std::string_view key = row.cells[0].substr(before);
                               if (key.starts_with(prefix)) out.emplace_back(key);
                               return {};
                             }));
  return out;
}

Status Texts::read(const RowRead& what, const std::function<Status(const RowView&)>& each) const {
  return rows_.read({&what, 1}, {}, [&](std::size_t, const RowView& row) { return each(row); });
}

}  // namespace varve::engine::cassandra
