// SPDX-License-Identifier: Apache-2.0
// Ids: dense numbers of one process and its store, assigned in order of first sight. Distinct types, so that they
// cannot be mixed up.
#pragma once

#include <cstdint>
#include <functional>

namespace varve::model {

enum class TenantId : std::uint32_t {};
enum class SeriesId : std::uint32_t {};  // (tenant, metric, tag set)
enum class GroupId : std::uint32_t {};   // line group: series that arrive together

inline constexpr TenantId kNoTenant{0xffffffff};
inline constexpr GroupId kNoGroup{0xffffffff};
inline constexpr SeriesId kNoSeries{0xffffffff};

constexpr std::uint32_t to_int(TenantId id) { return static_cast<std::uint32_t>(id); }
constexpr std::uint32_t to_int(SeriesId id) { return static_cast<std::uint32_t>(id); }
constexpr std::uint32_t to_int(GroupId id) { return static_cast<std::uint32_t>(id); }

}  // namespace varve::model
