# SPDX-License-Identifier: Apache-2.0
"""What clients of a server know: every sample that was acknowledged, and those whose outcome is open because a connection
broke or the server refused. `Ledger.check(server)` compares all of that with what the server answers: every sample, every
window of every granularity, and what is shown of whom."""

import time

from .answers import AGGREGATORS, Answers

FAR = 1 << 53


class Series:
    """The samples of one tenant, metric and host. One thread writes a series; a write of it is over before the next one
    begins, so of one time at most the last write is open."""

    def __init__(self, tenant, metric, host):
        self.tenant, self.metric, self.tags = tenant, metric, {"host": host}
        self.samples = {}  # time → value, or None: acknowledged
        self.open = {}     # time → the values (None: no sample) that it may have
        self.taken_by = {}  # time → protocol, to be told of what is lost

    @property
    def key(self):
        return self.tenant, self.metric, self.tags["host"]

    def may_be(self, t):
        return self.open.get(t) or {self.samples.get(t)}

    def times(self):
        return set(self.samples) | set(self.open)

    def sending(self, samples):
        for t, v in samples:
            self.open[t] = self.may_be(t) | {v}

    def acknowledged(self, samples, protocol=""):
        for t, v in samples:
            self.samples[t] = v
            self.taken_by[t] = protocol
            self.open.pop(t, None)

    def deleting(self, start, end):
        for t in [t for t in self.times() if start <= t <= end]:
            self.open[t] = self.may_be(t) | {None}

    def deleted(self, start, end):
        for t in [t for t in self.times() if start <= t <= end]:
            self.samples.pop(t, None)
            self.open.pop(t, None)

    def surely(self):
        """Is there a sample of it for certain?"""
        return any(None not in self.may_be(t) for t in self.times())

    def faults_of(self, found, kept_from=-FAR):
        """What is wrong with the samples that the server shows. Those before `kept_from` may be gone."""
        lost = [t for t in self.times() if t >= kept_from and t not in found and None not in self.may_be(t)]
        other = [(t, v, self.may_be(t)) for t, v in found.items() if v not in self.may_be(t) or v is None]
        texts = []
        if lost:
            by = sorted({self.taken_by.get(t, "") for t in lost})
            texts.append(f"{len(lost)} of {len(self.samples)} samples lost, at {sorted(lost)[:4]} … {max(lost)}, sent by {by}")
        if other:
            texts.append(f"{len(other)} samples wrong (time, found, right): {sorted(other)[:4]}")
        return texts


def folded(values):
    return {"count": len(values), "sum": sum(values), "min": min(values), "max": max(values)} if values else {}


class Ledger:
    def __init__(self, granularities_s=(5, 10, 60), raw_retention_ms=None):
        self.granularities_s, self.raw_retention_ms = granularities_s, raw_retention_ms
        self.series = {}

    def of(self, tenant, metric, host):
        key = tenant, metric, host
        if key not in self.series:
            self.series[key] = Series(*key)
        return self.series[key]

    def acknowledged(self):
        return sum(len(series.samples) for series in list(self.series.values()))

    def check(self, server):
        """Faults in words; an empty list: all is there, all is exact, and nobody sees what belongs to another."""
        faults = []
        for tenant in sorted({series.tenant for series in self.series.values()}):
            faults += self._check_names(server, tenant)
            for metric in sorted({series.metric for series in self.series.values() if series.tenant == tenant}):
                faults += self._check_metric(server, tenant, metric)
        if server.metric_names(prefix="/t/nobody-at-all"):
            faults.append("a tenant that never wrote has metrics")
        return faults

    def faults_of(self, series, answers, widths_s):
        """Of one series. `answers` came a moment ago: what was younger than raw retention then is so now."""
        kept_from = -FAR if self.raw_retention_ms is None else int(time.time() * 1000) - self.raw_retention_ms
        host = series.tags["host"]
        found = answers.samples(host)
        texts = series.faults_of(found, kept_from)
        for width_s in widths_s:
            texts += self._check_windows(series, found, kept_from, width_s * 1000,
                                         {name: answers.windows(host, width_s, name) for name in AGGREGATORS})
        return [f"{series.tenant} {series.metric} {host}: {text}" for text in texts]

    def _check_names(self, server, tenant):
        own = [series for series in self.series.values() if series.tenant == tenant]
        shown = set(server.metric_names(prefix=f"/t/{tenant}"))
        missing = {series.metric for series in own if series.surely()} - shown
        more = shown - {series.metric for series in own}
        return ([f"{tenant}: metrics without a name: {sorted(missing)}"] if missing else []) + (
            [f"{tenant}: metrics of others: {sorted(more)}"] if more else [])

    def _check_metric(self, server, tenant, metric):
        hosts = {series.tags["host"]: series for series in self.series.values()
                 if (series.tenant, series.metric) == (tenant, metric)}
        times = set().union(*(series.times() for series in hosts.values()))
        if not times:
            return []
        answers = Answers(server, tenant, metric, self.granularities_s, (min(times), max(times)))
        faults = [f"{tenant} {metric}: a host of nobody: {host}" for host in answers.hosts() - set(hosts)]
        for _, series in sorted(hosts.items()):
            faults += self.faults_of(series, answers, self.granularities_s)
        return faults

    def _check_windows(self, series, found, kept_from, width_ms, got):
        """Where the outcome of a sample is open, the window has to agree with whether the sample is shown; where it can no
        longer be shown, nothing is asked of that window."""
        values, skipped = {}, set()
        for t in series.times():
            window = t // width_ms * width_ms
            if t not in series.open:
                value = series.samples[t]
            elif t >= kept_from:
                value = found.get(t)
            else:
                skipped.add(window)
                continue
            if value is not None:
                values.setdefault(window, []).append(value)
        texts = []
        wanted = {window: folded(of_window) for window, of_window in values.items()}
        for name in AGGREGATORS:
            bad = [(window, of_window[name], got[name].get(window)) for window, of_window in wanted.items()
                   if window not in skipped and got[name].get(window) != of_window[name]]
            bad += [(window, None, value) for window, value in got[name].items()
                    if window not in wanted and window not in skipped]
            if bad:
                texts.append(f"{len(bad)} of {len(wanted)} windows of {name} {width_ms // 1000} s wrong "
                             f"(start, right, found): {sorted(bad, key=str)[:3]}")
        return texts
