# SPDX-License-Identifier: Apache-2.0
"""The model of counters that other tests compare with: by hand, and its laws. No server."""

import random
import unittest

from support.counter_model import Rules, bins, intervals, rate, windows

S = 1000
POLLED = Rules(90 * S)
CASES = [  # samples and bins of 30 s: seconds:value, seconds:increase(covered seconds)
    ("10:0 40:300", POLLED, "0:200(20) 30:100(10)"),
    ("0:0 60:1", POLLED, "0:0(30) 30:1(30)"),
    ("5:777 35:777", POLLED, "0:0(25) 30:0(5)"),
    ("0:0 90:100", POLLED, "0:33(30) 30:33(30) 60:34(30)"),
    ("0:0 91:1000", POLLED, ""),
    ("0:5000 30:6000 60:100 90:400", POLLED, "0:1000(30) 60:300(30)"),
    ("0:5000 30:6000 60:100 90:400", Rules(90 * S, reset="zero"), "0:1000(30) 30:100(30) 60:300(30)"),
    ("0:4294967000 30:704", Rules(90 * S, bits=32), "0:1000(30)"),
    ("0:4294967000 30:704", POLLED, ""),
    ("0:0 30:301 60:600", Rules(90 * S, max_rate=10), "30:299(30)"),
    ("0:0 30:300 60:600", Rules(90 * S, breaks=(30 * S,)), "30:300(30)"),
    ("0:0 30:300 30:600 60:900", POLLED, "0:600(30) 30:300(30)"),
    ("60:900 0:0 30:300", POLLED, "0:300(30) 30:600(30)"),
    ("-40:0 -10:300", POLLED, "-60:100(10) -30:200(20)"),
    ("0:18446744073709551614 30:18446744073709551615", POLLED, "0:1(30)"),
    ("0:0.5 60:1.5", POLLED, "0:0.5(30) 30:0.5(30)"),
]


def read(text):
    for sample in text.split():
        seconds, value = sample.split(":")
        yield int(seconds) * S, float(value) if "." in value else int(value)


def random_samples(r):
    time, value = r.randrange(-10**7, 10**7), r.randrange(1 << r.choice((20, 40, 63)))
    for _ in range(r.randrange(2, 60)):
        time += r.choice((1, 999, 30_000, r.randrange(1, 200_000)))
        value = r.randrange(1000) if r.random() < 0.05 else value + r.randrange(1 << r.choice((0, 10, 40)))
        yield time, value


class CounterModel(unittest.TestCase):
    def test_by_hand(self):
        for samples, rules, expected in CASES:
            found = bins(intervals(read(samples), rules), 30 * S)
            text = " ".join(f"{start // S}:{float(d) if isinstance(d, float) or d != int(d) else int(d)}({ms // S})" for start, (d, ms) in sorted(found.items()))
            self.assertEqual(text, expected, samples)

    def test_windows_by_hand(self):
        found = windows(intervals(read("0:0 30:3000 60:3600"), POLLED), 30 * S, 3600 * S)
        self.assertEqual(found, {0: (3600, 60 * S, (20, 30 * S), (100, 0))})
        # Bins of seven minutes do not divide the hour; less than half of one is not enough.
        counted = [(56 * 60 * S, 63 * 60 * S, 420), (70 * 60 * S, 73 * 60 * S, 900)]
        found = windows(counted, 7 * 60 * S, 3600 * S)
        self.assertEqual(found, {0: (240, 240 * S, (1, 56 * 60 * S), (1, 56 * 60 * S)), 3600 * S: (1080, 360 * S, None, None)})

    def test_laws(self):
        r = random.Random(5)
        for _ in range(200):
            samples = list(random_samples(r))
            rules = Rules(r.choice((30_000, 90_000, 900_000)), bits=r.choice((32, 64)), reset=r.choice(("gap", "zero")))
            counted = intervals(samples, rules)
            shuffled = samples[:]
            r.shuffle(shuffled)
            self.assertEqual(intervals(shuffled, rules), counted, "the order of arrival")
            width, times = r.randrange(2000, 50_000), r.randrange(1, 20)
            fine, wide = bins(counted, width), bins(counted, width * times)
            self.assertEqual(sum(d for d, _ in fine.values()), sum(d for _, _, d in counted))
            summed = {}
            for start, (increase, covered) in fine.items():
                self.assertTrue(increase >= 0 and 0 < covered <= width)
                before = summed.get(start // (width * times) * width * times, (0, 0))
                summed[start // (width * times) * width * times] = (before[0] + increase, before[1] + covered)
            self.assertEqual(summed, wide)
            for start, (increase, covered, least, greatest) in windows(counted, width, width * times).items():
                self.assertEqual((increase, covered), wide.get(start, (0, 0)))
                if least:
                    self.assertTrue(least[0] <= greatest[0] and start <= least[1] < start + width * times)
                    self.assertEqual(least[0], rate(*fine[least[1]]))
