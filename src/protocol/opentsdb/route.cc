// SPDX-License-Identifier: Apache-2.0
#include "protocol/opentsdb/route.h"

#include <algorithm>

#include "model/too_old.h"
#include "protocol/json/text.h"

namespace varve::protocol::opentsdb {

Status Route::enter(Current which, std::string_view tenant) {
  if (current_ == which && (which == Current::own || tenant == tenant_)) return {};
  restart();
  VARVE_ASSIGN_OR_RETURN(target_, targets_.of(tenant));
  current_ = which;
  tenant_ = tenant;
  return {};
}

Result<model::LineGroup*> Route::resolve(std::string_view key, std::string_view metric, model::Timestamp time,
                                         model::TagViews& tags, std::uint32_t ttl_s) {
  VARVE_RETURN_IF_ERROR(model::normalize(tags));
  const auto tag = std::find_if(tags.begin(), tags.end(), [](const auto& t) { return t.key == "tenant"; });
  const bool tagged = tag != tags.end();
  const std::string_view tenant = tagged ? tag->value : std::string_view{};
  const bool moves = tagged && tag_ == TenantTag::names;
  if (tagged && tag_ != TenantTag::plain) tags.erase(tag);
  if (moves) {
    VARVE_RETURN_IF_ERROR(enter(Current::tagged, tenant));
  } else {
    VARVE_RETURN_IF_ERROR(enter(Current::own, {}));
  }
  const auto check_age = [&](model::Timestamp kept_from) -> Status {
    if (time >= kept_from) return {};
    return fail(model::too_old(metric, time, kept_from, "seconds or milliseconds (by their size)"));
  };
  VARVE_RETURN_IF_ERROR(check_age(target_.batch->kept_from()));
  // The tag names no tenant here: these bytes may mean another one in another request, or after a restart with another
  // configuration, so the key must differ.
  std::string other;
  if (tagged && !moves) key = other.assign(1, tag_ == TenantTag::plain ? '\3' : '\2').append(key);
  if (auto* known = find(key); known != nullptr) {
    VARVE_RETURN_IF_ERROR(check_age(target_.batch->kept_from(*known)));
    return known;
  }
  bool utf8 = json::is_utf8(metric);
  for (const auto& t : tags) utf8 = utf8 && json::is_utf8(t.key) && json::is_utf8(t.value);
  if (!utf8) return fail(Code::invalid, "the metric and tags must be valid UTF-8");
  VARVE_RETURN_IF_ERROR(check_age(target_.batch->kept_from(target_.groups->kept(tags, {&metric, 1}))));
  return target_.groups->define(key, {}, tags, {&metric, 1}, ttl_s);
}

}  // namespace varve::protocol::opentsdb
