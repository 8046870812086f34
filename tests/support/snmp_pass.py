# SPDX-License-Identifier: Apache-2.0
"""What snmpd's pass_persist runs for a column of ifXTable: python3 snmp_pass.py STATE MORE. Row n, an ifIndex of this machine, is
base + rate · (n + MORE) · (t − zero) / 1000, modulo 2⁶⁴, by the file STATE (JSON), which may change at any time."""

import json
import pathlib
import sys
import time

COLUMNS = {"0": ".1.3.6.1.2.1.31.1.1.1.6", "1": ".1.3.6.1.2.1.31.1.1.1.10"}


def rows():
    return sorted(int(path.read_text()) for path in pathlib.Path("/sys/class/net").glob("*/ifindex"))


def value(state, row, more):
    with open(state) as f:
        known = json.load(f)
    passed = max(time.time_ns() // 1_000_000 - known["zero"], 0)
    return (known["base"] + known["rate"] * (row + more) * passed // 1000) % (1 << 64)


def row_of(request, oid, column):
    """The row that is asked for; None where there is none."""
    rest = oid.removeprefix(column).strip(".")
    at = int(rest.split(".")[0]) if rest else 0
    if request == "get":
        return at if at in rows() else None
    return next((row for row in rows() if row > at), None)


def main():
    state, more = sys.argv[1:]
    column = COLUMNS[more]
    for line in sys.stdin:
        request = line.strip().lower()
        if request == "ping":
            print("PONG")
        elif request in ("get", "getnext"):
            row = row_of(request, sys.stdin.readline().strip(), column)
            print("NONE" if row is None else f"{column}.{row}\ncounter64\n{value(state, row, int(more))}")
        else:  # set OID TYPE VALUE
            sys.stdin.readline()
            sys.stdin.readline()
            print("not-writable")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
