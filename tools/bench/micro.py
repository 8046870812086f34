# SPDX-License-Identifier: Apache-2.0
"""The micro-benchmarks beside the code, run and printed as a budget: CPU nanoseconds a sample for each step."""

import glob
import json
import os
import re
import subprocess

# step: (benchmarks that measure it, nanoseconds allowed, nanoseconds at which to look closer)
BUDGET = [
    ("parse: Influx line", r"influx", 18, 30),
    ("parse: remote write", r"remote_?write|prometheus", 0, 0),
    ("parse: KairosDB JSON", r"kairos", 0, 0),
    ("parse: OpenTSDB JSON and telnet", r"opentsdb|telnet", 0, 0),
    ("parse: messages as JSON", r"BM_Message(Lines|Array|Fields)$", 500, 1000),
    ("log: CRC-32C and append", r"crc|log", 2, 5),
    ("head: append", r"head|append", 4, 8),
    ("seal: chunks", r"encode|seal|spill|chunk", 8, 15),
    ("read: chunks", r"decode|scan", 0, 0),
    ("index", r"index|postings|series", 0, 0),
    ("aggregate", r"aggregate|kernel|window", 0, 0),
]


def run_all(settings):
    results = []
    for path in sorted(glob.glob(os.path.join(settings.build, "bin", "*_bench"))):
        name = os.path.basename(path)
        settings.say(f"micro-benchmarks: {name}")
        seconds = "0.05" if settings.quick else "0.3"
        done = subprocess.run([path, "--benchmark_format=json", f"--benchmark_min_time={seconds}"],
                              capture_output=True, text=True, check=False)
        try:
            found = json.loads(done.stdout)["benchmarks"]
        except (ValueError, KeyError):
            settings.say(f"micro-benchmarks: {name} failed: {done.stderr.strip()[-300:]}")
            continue
        results += [(name.removesuffix("_bench"), b) for b in found if b.get("run_type") != "aggregate"]
    return results


def nanoseconds(benchmark):
    """CPU ns an item, or None if the benchmark does not count items."""
    rate = benchmark.get("items_per_second")
    return 1e9 / rate if rate else None


def step_of(folder, benchmark):
    text = f"{folder}/{benchmark['name']}"
    for step, pattern, allowed, alarm in BUDGET:
        if re.search(pattern, text, re.I):
            return step, allowed, alarm
    return "other", 0, 0


def print_budget(settings, out):
    """Prints the table; returns its rows for the result file."""
    rows = []
    for folder, benchmark in run_all(settings):
        step, allowed, alarm = step_of(folder, benchmark)
        rows.append({"step": step, "folder": folder, "name": benchmark["name"], "ns_per_item": nanoseconds(benchmark),
                     "bytes_per_second": benchmark.get("bytes_per_second"), "allowed": allowed, "alarm": alarm})
    order = {step: i for i, (step, *_) in enumerate(BUDGET)}
    rows.sort(key=lambda r: (order.get(r["step"], 99), r["folder"]))
    out.write(f"\n{'budget: step':34} {'benchmark':54} {'ns/item':>9} {'GB/s':>7}  allowed\n")
    last = ""
    for row in rows:
        ns = f"{row['ns_per_item']:9.2f}" if row["ns_per_item"] else "        -"
        rate = f"{row['bytes_per_second'] / 1e9:7.2f}" if row["bytes_per_second"] else "      -"
        allowed = f"{row['allowed']} ns (look at it from {row['alarm']})" if row["allowed"] and row["step"] != last else ""
        out.write(f"{row['step'] if row['step'] != last else '':34} {row['folder'] + ': ' + row['name']:54.54} {ns} {rate}  {allowed}\n")
        last = row["step"]
    return rows
