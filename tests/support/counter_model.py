# SPDX-License-Identifier: Apache-2.0
"""What the samples of a counter say of its rate, plainly and in rational numbers: the rules of src/counter/, written a second time
to compare with. Times are whole milliseconds; of equal times the sample that comes last in the list counts."""

import math
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Rules:
    gap_ms: int                # a longer interval does not count; one of exactly this length does
    bits: int = 64             # 32: a fall is a wrap
    reset: str = "gap"         # or "zero": after a fall it began at 0
    max_rate: object = None    # per second; what is faster does not count
    breaks: tuple = ()         # times of the first samples after a restart or a discontinuity


def in_order(samples):
    """As a store keeps them: by time, the last write of a time winning; NaN and infinities are no values of a counter."""
    return sorted((t, v) for t, v in dict(samples).items() if not isinstance(v, float) or math.isfinite(v))


def grown(before, after, rules):
    """By how much, or None."""
    if after >= before:
        return exact(after) - exact(before)
    if rules.bits == 32:
        return exact(after) - exact(before) + (1 << 32) if 0 <= after and before < 1 << 32 else None
    return exact(after) if rules.reset == "zero" and after >= 0 else None


def exact(value):
    return Fraction(value) if isinstance(value, float) else value


def intervals(samples, rules):
    """(begin, end, increase) of those that count. An increase is an int where both values are, else a Fraction."""
    found, points = [], in_order(samples)
    for (t0, v0), (t1, v1) in zip(points, points[1:]):
        if t1 - t0 > rules.gap_ms or any(t0 < at <= t1 for at in rules.breaks):
            continue
        if isinstance(v0, float) != isinstance(v1, float):  # then both are taken as doubles
            v0, v1 = float(v0), float(v1)
        increase = grown(v0, v1, rules)
        if increase is None or (rules.max_rate is not None and increase * 1000 > exact(rules.max_rate) * (t1 - t0)):
            continue
        found.append((t0, t1, increase))
    return found


def share(interval, begin, end):
    """What of it is between two times that lie in it."""
    t0, t1, increase = interval
    if isinstance(increase, Fraction):
        return increase * (end - begin) / (t1 - t0)
    return increase * (end - t0) // (t1 - t0) - increase * (begin - t0) // (t1 - t0)


def bins(counted, width, first=None, last=None):
    """{start: (increase, covered ms)} of the bins that are covered at all, counted from 1970; of [first, last) only."""
    out = {}
    for t0, t1, increase in counted:
        begin, end = max(t0, first if first is not None else t0), min(t1, last if last is not None else t1)
        while begin < end:
            start = begin // width * width
            stop = min(end, start + width)
            total, covered = out.get(start, (0, 0))
            out[start] = (total + share((t0, t1, increase), begin, stop), covered + stop - begin)
            begin = stop
    return out


def rate(increase, covered_ms):
    return Fraction(increase) * 1000 / covered_ms


def windows(counted, base_ms, width):
    """{start: (increase, covered ms, least, greatest)}; an extreme is (base rate, start of its bin) or None, of equal ones the
    earliest. Base bins less than half covered take no part; one that crosses an edge counts where it starts."""
    out = {start: (*known, None, None) for start, known in bins(counted, width).items()}
    for at, (increase, covered) in sorted(bins(counted, base_ms).items()):
        if 2 * covered < base_ms:
            continue
        start, found = at // width * width, (rate(increase, covered), at)
        total, all_covered, least, greatest = out.get(start, (0, 0, None, None))
        out[start] = (total, all_covered, found if least is None or found[0] < least[0] else least,
                      found if greatest is None or found[0] > greatest[0] else greatest)
    return out


def restarts(uptimes):
    """Times of the first samples after restarts: (time, ticks of 10 ms). A fall that the passed time explains by 32 bits is none."""
    def wrapped(passed_ms, before, after):
        return abs(after + (1 << 32) - before - passed_ms // 10) <= 200 + passed_ms // 160

    return [t1 for (t0, u0), (t1, u1) in zip(uptimes, uptimes[1:]) if u1 < u0 and not wrapped(t1 - t0, u0, u1)]


def changes(values):
    """Times of the samples that differ from the one before."""
    return [t1 for (_, v0), (t1, v1) in zip(values, values[1:]) if v0 != v1]
