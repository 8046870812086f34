# SPDX-License-Identifier: Apache-2.0
"""Questions of samples by each API, compared with those of a plain store. Each returns what is wrong, or nothing."""

import datetime
import json
import urllib.parse

from . import plain

FAR_MS = 1 << 53
TAG_KEYS = ["dc", "host"]


def kairosdb_samples(server, store, tenant, metric, tags=None, start=-FAR_MS, end=FAR_MS):
    """All samples, series by series."""
    asked = {"name": metric, "tags": tags or {}, "group_by": [{"name": "tag", "tags": TAG_KEYS}]}
    got = {}
    for result in server.query([asked], start, end, prefix=f"/t/{tenant}")[0]["results"]:
        key = next((tuple(sorted(pair for pair in group["group"].items() if pair[1]))
                    for group in result.get("group_by", []) if group["name"] == "tag"), None)
        for t, v in result["values"]:
            if t in got.setdefault(key, {}):
                return f"{tenant} {metric} {key}: two values at {t}"
            got[key][t] = v
    wanted = {}
    for own, samples in store.select(tenant, metric, tags):
        some = {t: v for t, v in samples.items() if start <= t <= end}
        if some:
            wanted[tuple(sorted(own.items()))] = some
    return difference(got, wanted, f"{tenant} {metric} {tags} {start}..{end}")


def kairosdb_windows(server, store, tenant, metric, tags, start, end, name, width, by, zone=None):
    """One aggregator; `width`: (value, unit); `by`: tags that it is grouped by."""
    value, unit = width
    aggregator = {"name": name, "sampling": {"value": value, "unit": unit}, "align_sampling": True, "align_start_time": True}
    metric_of = {"name": metric, "tags": tags, "aggregators": [aggregator]}
    if by:
        metric_of["group_by"] = [{"name": "tag", "tags": by}]
    # Windows are counted from the start: asked from a multiple of the width they are what the plain store has.
    start = plain.window_start(start, value, unit, zone)
    if unit in plain.FIXED_MS:
        day_start = plain.window_start(start, 1, "days")
        start = start if (start - day_start) % (plain.FIXED_MS[unit] * value) == 0 else day_start
    body = {"start_absolute": start, "end_absolute": end, "metrics": [metric_of]}
    if zone:
        body["time_zone"] = zone
    answer = server.post(f"/t/{tenant}/api/v1/datapoints/query", body)
    if answer.status != 200:
        return f"{json.dumps(body)}: {answer}"
    got = {}
    for result in answer.json()["queries"][0]["results"]:
        group = next((g["group"] for g in result.get("group_by", []) if g["name"] == "tag"), {})
        if any(g["name"] == "type" and g["type"] == "text" for g in result.get("group_by", [])):
            continue
        if result["values"]:
            got[tuple(group.get(key, "") for key in by)] = dict(result["values"])
    wanted, scale = {}, 1.0
    for own, samples in store.select(tenant, metric, tags):
        of_group = wanted.setdefault(tuple(own.get(key, "") for key in by), {})
        for window, numbers in plain.windows(samples, start, end, value, unit, zone).items():
            of_group.setdefault(window, []).extend(numbers)
            scale = max(scale, *map(abs, numbers))
    wanted = {group: {w: plain.OVER[name](numbers) for w, numbers in of.items()} for group, of in wanted.items() if of}
    return difference(got, wanted, f"{tenant} {json.dumps(body)} read {answer.header('Varve-Read')}", scale)


def opentsdb_windows(server, store, tenant, metric, start, end, name, width_s):
    """Of each series by itself."""
    query = urllib.parse.urlencode({"start": start, "end": end, "m": f"none:{width_s}s-{name}:{metric}", "ms": "true",
                                    "arrays": "true"})
    answer = server.get(f"/t/{tenant}/api/query?{query}")
    if answer.status != 200:
        return f"{query}: {answer}"
    got = {tuple(sorted(one["tags"].items())): {t: v for t, v in one["dps"]} for one in answer.json() if one["dps"]}
    wanted, scale = {}, 1.0
    for own, samples in store.select(tenant, metric):
        found = plain.windows(samples, start, end, width_s, "seconds")
        if found:
            wanted[tuple(sorted(own.items()))] = {w: plain.OVER[name](numbers) for w, numbers in found.items()}
            scale = max(scale, *(abs(v) for numbers in found.values() for v in numbers))
    return difference(got, wanted, f"{tenant} opentsdb {query} read {answer.header('Varve-Read')}", scale)


def opentsdb_last(server, store, tenant, metric):
    answer = server.get(f"/t/{tenant}/api/query/last?timeseries={metric}&resolve=true")
    if answer.status != 200:
        return f"last of {metric}: {answer}"
    got = {tuple(sorted(one["tags"].items())): {one["timestamp"]: float(one["value"])} for one in answer.json()}
    wanted = {}
    for own, samples in store.select(tenant, metric):
        t = max(samples)
        wanted[tuple(sorted(own.items()))] = {t: float(samples[t])}
    return difference(got, wanted, f"{tenant} last of {metric}")


def iso(ms):
    return (plain.EPOCH + datetime.timedelta(milliseconds=ms)).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def ceres_windows(server, store, tenant, metric, start, end, name, width_s):
    """Ceres' end is exclusive, and a window belongs to an answer by its start."""
    query = urllib.parse.urlencode({"metricName": metric, "start": iso(start), "end": iso(end), "aggregator": name,
                                    "granularity": f"PT{width_s}S"})
    answer = server.get(f"/t/{tenant}/api/query?{query}")
    if answer.status != 200:
        return f"ceres {query}: {answer}"
    got = {}
    for one in answer.json():
        got[tuple(sorted(one["data"]["tags"].items()))] = {
            (datetime.datetime.fromisoformat(t.replace("Z", "+00:00")) - plain.EPOCH) // datetime.timedelta(milliseconds=1): v
            for t, v in one["data"]["values"].items()}
    wanted, scale = {}, 1.0
    for own, samples in store.select(tenant, metric):
        found = {w: numbers for w, numbers in plain.windows(samples, -FAR_MS, FAR_MS, width_s, "seconds").items() if start <= w < end}
        if found:
            wanted[tuple(sorted(own.items()))] = {w: plain.OVER[name](numbers) for w, numbers in found.items()}
            scale = max(scale, *(abs(v) for numbers in found.values() for v in numbers))
    return difference({k: v for k, v in got.items() if v}, wanted, f"{tenant} ceres {query} read {answer.header('Varve-Read')}", scale)


def catalog_windows(server, store, tenant, metric, hours):
    query = urllib.parse.urlencode({"metric": metric, "width": f"{hours}h", "limit": 100_000})
    answer = server.get(f"/t/{tenant}/api/v1/catalog/windows?{query}")
    if answer.status != 200:
        return f"windows {query}: {answer}"
    got = {w["start"]: (w["series"], w["points"], w["first_seen"]) for w in answer.json()["windows"]}
    found = {}
    for _, samples in store.select(tenant, metric):
        mine = {}
        for t in samples:
            mine.setdefault(plain.window_start(t, hours, "hours"), []).append(t)
        for window, times in mine.items():
            series, points, first = found.get(window, (0, 0, FAR_MS))
            found[window] = (series + 1, points + len(times), min(first, *times))
    if got == found:
        return None
    window = next(w for w in sorted(set(got) | set(found)) if got.get(w) != found.get(w))
    return f"{tenant} windows of {metric} at {window}: {got.get(window)}, right is {found.get(window)} (series, points, first seen)"


def metric_names(server, store, tenant):
    got = {name for name in server.metric_names(prefix=f"/t/{tenant}")}
    wanted = store.metrics(tenant)
    return None if got == wanted else f"{tenant} names: too many {sorted(got - wanted)}, missing {sorted(wanted - got)}"


def difference(got, wanted, question, scale=None):
    """Maps of maps; with a scale values may differ in their last digits, without one in nothing."""
    for key in sorted(set(got) | set(wanted), key=repr):
        have, right = got.get(key, {}), wanted.get(key, {})
        for t in sorted(set(have) | set(right)):
            if t not in have or t not in right:
                fine = False
            elif scale is None:
                fine = plain.same(have[t], right[t])
            else:
                fine = plain.close(have[t], right[t], scale)
            if not fine:
                return (f"{question}: {key} at {t}: {have.get(t, 'nothing')!r}, right is {right.get(t, 'nothing')!r} "
                        f"({len(have)} and {len(right)} points)")
    return None
