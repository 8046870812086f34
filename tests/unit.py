#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the gtest programs of a build directory side by side and counts their cases.

ctest counts programs; a reader wants to know how many cases there are and which one failed. Programs, their
arguments and directories are still ctest's (add_test in cmake/folders.cmake), so `ctest` alone works too.
"""
import argparse
import concurrent.futures
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path


SUPPRESSIONS = Path(__file__).resolve().parent.parent / "cmake" / "tsan.supp"
# Debian's clang looks for it under a name that its package does not bring.
SYMBOLIZER = {f"{kind}_SYMBOLIZER_PATH": path for path in [shutil.which("llvm-symbolizer-19")] if path
              for kind in ("ASAN", "UBSAN", "TSAN")}


def tests_of(build: Path, folders: list[str]) -> list[dict]:
    shown = subprocess.run(["ctest", "--test-dir", str(build), "--show-only=json-v1"], check=True,
                           capture_output=True, text=True)
    tests = json.loads(shown.stdout)["tests"]
    wanted = {folder.strip("/").removeprefix("src/").replace("/", "_") + "_test" for folder in folders}
    unknown = wanted - {test["name"] for test in tests}
    if unknown:
        sys.exit(f"no such unit tests: {', '.join(sorted(unknown))}; there are: "
                 f"{', '.join(sorted(test['name'] for test in tests))}")
    return [test for test in tests if not wanted or test["name"] in wanted]


def directory_of(test: dict) -> str:
    return next((p["value"] for p in test.get("properties", []) if p["name"] == "WORKING_DIRECTORY"), ".")


def run(test: dict, report: Path) -> tuple[str, int, int, float, str]:
    began = time.monotonic()
    extra = {"GTEST_OUTPUT": f"json:{report}", "GTEST_COLOR": "no", "TSAN_OPTIONS": f"suppressions={SUPPRESSIONS}"} | SYMBOLIZER
    done = subprocess.run(test["command"], cwd=directory_of(test), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          env=os.environ | extra, check=False)
    seconds = time.monotonic() - began
    output = done.stdout.decode(errors="replace")
    try:
        counts = json.loads(report.read_text())
        total, failed = counts["tests"] - counts.get("disabled", 0), counts["failures"] + counts.get("errors", 0)
    except (OSError, ValueError):  # it died before it could tell
        total, failed = 1, 1
    if done.returncode != 0 and failed == 0:  # for example a sanitizer's report at exit
        total, failed = total + 1, 1
    return test["name"], total - failed, failed, seconds, output


def without_passed(output: str) -> str:
    """The output less the lines of cases that passed: what is left is what somebody has to read. A sanitizer's report is
    kept whatever its case came to."""
    kept, case = [], []
    for line in output.splitlines():
        if line.startswith("[ RUN      ]"):
            kept += case
            case = [line]
        elif line.startswith("[       OK ]"):
            kept += case if any("Sanitizer" in told for told in case) else []
            case = []
        elif case:
            case.append(line)
        elif not line.startswith("[-----"):
            kept.append(line)
    return "\n".join(kept + case)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--targets", action="store_true", help="print the names of the programs and stop")
    parser.add_argument("folders", nargs="*", help="only these folders of src/")
    args = parser.parse_args()
    tests = tests_of(args.build, args.folders)
    if args.targets:
        print(*(test["name"] for test in tests))
        return 0
    # The long ones first, so that none of them is left over at the end. What is long has many cases, that is much code.
    tests.sort(key=lambda test: Path(test["command"][0]).stat().st_size, reverse=True)
    passed = failed = 0
    with tempfile.TemporaryDirectory() as scratch, \
            concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        runs = [pool.submit(run, test, Path(scratch) / f"{test['name']}.json") for test in tests]
        for done in concurrent.futures.as_completed(runs):
            name, good, bad, seconds, output = done.result()
            passed, failed = passed + good, failed + bad
            print(f"{'ok  ' if bad == 0 else 'FAIL'} {name}: {good} of {good + bad} in {seconds:.1f} s", flush=True)
            if bad:
                print(without_passed(output), flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
