# SPDX-License-Identifier: Apache-2.0
"""A store of samples that is nothing but maps, and the answers that a server must give of it."""

import datetime
import math
import zoneinfo

EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
FIXED_MS = {"milliseconds": 1, "seconds": 1000, "minutes": 60_000, "hours": 3_600_000}
OVER = {"count": len, "min": min, "max": max, "sum": math.fsum, "avg": lambda values: math.fsum(values) / len(values)}


class Store:
    """The last write of a timestamp wins."""

    def __init__(self):
        self.series = {}  # (tenant, metric, tags as sorted pairs) → {time: value}

    def put(self, tenant, rows):
        """rows: (metric, tags, time, value)."""
        for metric, tags, t, v in rows:
            self.series.setdefault((tenant, metric, tuple(sorted(tags.items()))), {})[t] = v

    def erase(self, tenant, metric, tags, first, last):
        """Both ends inclusive; of all metrics where it is None."""
        for (owner, name, own), samples in self.series.items():
            if owner == tenant and metric in (None, name) and tags.items() <= dict(own).items():
                for t in [t for t in samples if first <= t <= last]:
                    del samples[t]

    def select(self, tenant, metric, tags=None):
        """[(tags, {time: value})] of series with samples; `tags`: each one's values, any of which will do."""
        return [(dict(own), samples) for (owner, name, own), samples in self.series.items()
                if samples and owner == tenant and name == metric
                and all(dict(own).get(key) in values for key, values in (tags or {}).items())]

    def metrics(self, tenant):
        return {name for (owner, name, _), samples in self.series.items() if samples and owner == tenant}


def is_number(value):
    return isinstance(value, (int, float))


def same(got, wanted):
    """Bit for bit, but for a long that was stored as such."""
    if isinstance(wanted, float) and isinstance(got, float):
        return got == wanted and math.copysign(1, got) == math.copysign(1, wanted)
    return got == wanted and isinstance(got, str) == isinstance(wanted, str)


def close(got, wanted, scale):
    return math.isclose(got, wanted, rel_tol=1e-9, abs_tol=1e-9 * max(1.0, scale))


def midnight_ms(date, zone):
    local = datetime.datetime(date.year, date.month, date.day, tzinfo=zone)
    return (local - EPOCH) // datetime.timedelta(milliseconds=1)


def window_start(t, value, unit, zone=None):
    """Of windows that begin at multiples of their width since 1970; days and months begin at midnight of the zone."""
    if unit in FIXED_MS:
        return t // (FIXED_MS[unit] * value) * FIXED_MS[unit] * value
    assert value == 1, "longer ones are counted from the start of the question"
    zone = zoneinfo.ZoneInfo(zone or "UTC")
    day = (EPOCH + datetime.timedelta(milliseconds=t)).astimezone(zone).date()
    return midnight_ms(day if unit == "days" else day.replace(day=1), zone)


def windows(samples, start, end, value, unit, zone=None):
    """{window start: numbers in it}, of the times from start to end inclusive."""
    found = {}
    for t, v in samples.items():
        if start <= t <= end and is_number(v):
            found.setdefault(window_start(t, value, unit, zone), []).append(v)
    return found
