#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs fuzz targets, each from its corpus and for a stated time.

A target x_fuzz (src/FOLDER/x_fuzz.cc) starts from the files in src/FOLDER/testdata/corpus/x and tests/corpus/x_fuzz;
what it finds is kept in the build directory, input that breaks it in BUILD/crashes.
"""
import argparse
import concurrent.futures
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def sources() -> dict[str, Path]:
    return {path.stem: path for path in sorted((ROOT / "src").rglob("*_fuzz.cc"))}


def corpora(target: str, source: Path) -> list[Path]:
    stem = target.removesuffix("_fuzz")
    testdata = [parent / "testdata" / "corpus" for parent in (source.parent, source.parent.parent)]
    places = [folder / name for folder in testdata for name in (stem, target)] + [ROOT / "tests" / "corpus" / target]
    return [place for place in places if place.is_dir()]


def run(build: Path, target: str, source: Path, seconds: int) -> tuple[str, bool, str]:
    found, crashes = build / "corpus" / target, build / "crashes"
    found.mkdir(parents=True, exist_ok=True)
    crashes.mkdir(exist_ok=True)
    seeds = corpora(target, source)
    done = subprocess.run([build / "bin" / target, f"-max_total_time={seconds}", "-timeout=10", "-rss_limit_mb=2048",
                           "-print_final_stats=1", f"-artifact_prefix={crashes}/{target}-", found, *seeds],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    output = done.stdout.decode(errors="replace")
    if done.returncode != 0:
        return target, False, output[-6000:]
    runs = re.search(r"stat::number_of_executed_units:\s*(\d+)", output)
    count = sum(len(list(seed.iterdir())) for seed in seeds)
    return target, True, f"{runs.group(1) if runs else '?'} runs from {count} seeds"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "asan")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("target", nargs="?", default="all")
    parser.add_argument("seconds", nargs="?", type=int, default=30)
    args = parser.parse_args()
    known = sources()
    chosen = known if args.target == "all" else {args.target: known.get(args.target)}
    if None in chosen.values():
        print(f"no fuzz target {args.target}; there are: {' '.join(known)}", file=sys.stderr)
        return 2
    build = args.build.resolve()
    subprocess.run(["ninja", "-C", build, "-j", str(args.jobs), "--quiet", *chosen], check=True)
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(max_workers=args.jobs) as pool:
        runs = [pool.submit(run, build, target, source, args.seconds) for target, source in chosen.items()]
        for done in concurrent.futures.as_completed(runs):
            target, good, text = done.result()
            failed += not good
            print(f"{'ok  ' if good else 'FAIL'} {target}: {text}", flush=True)
    print(f"{len(chosen) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
