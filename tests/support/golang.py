# SPDX-License-Identifier: Apache-2.0
"""Programs written in Go that a test uses as a user would: a module that is fetched and built, into a folder of the user's cache."""

import fcntl
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from . import effort

# Where Go's own archive is unpacked to, by its instructions, is not always in PATH.
GO = shutil.which("go", path=os.pathsep.join([os.environ.get("PATH", ""), "/usr/local/go/bin"]))


def built(name, module, version, package, tags="", edit=(), long=False):
    """The program. Where there is no Go, or no way to the module, the test that wants it is skipped: what is tested is varve,
    not the way. `edit`: arguments of `go mod edit`, for a module that names folders beside it. `long`: it takes so many minutes
    that it is built with --faults only."""
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "varve"
    program = cache / f"{name}-{version}" / name
    if program.exists():
        return program
    if long and not effort.LONG:
        raise unittest.SkipTest(f"{name} takes minutes to build: ./dev test --faults {name}")
    if not GO:
        raise unittest.SkipTest(f"there is no go to build {name} with")
    cache.mkdir(parents=True, exist_ok=True)
    with open(cache / f"{name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # another test may be building it
        if not program.exists():
            _build(program, f"{module}@{version}", package, tags, edit)
    return program


def _run(command, **more):
    done = subprocess.run(command, capture_output=True, text=True, check=False, **more)
    if done.returncode != 0:
        raise unittest.SkipTest(f"{' '.join(map(str, command))}:\n{done.stdout[-1000:]}{done.stderr[-2000:]}")
    return done.stdout


def _build(program, module, package, tags, edit):
    with tempfile.TemporaryDirectory() as work:
        source = pathlib.Path(work) / "source"
        folder = json.loads(_run([GO, "mod", "download", "-json", module], cwd=work))["Dir"]
        shutil.copytree(folder, source, copy_function=shutil.copyfile)  # the cache of modules is for reading only
        for path in [source, *source.rglob("*")]:
            path.chmod(0o755 if path.is_dir() else 0o644)
        if edit:
            _run([GO, "mod", "edit", *edit], cwd=source)
        fresh = source / program.name
        _run([GO, "build", "-mod=mod", "-trimpath", "-ldflags=-s -w", "-tags", tags, "-o", fresh, package], cwd=source)
        program.parent.mkdir(exist_ok=True)
        shutil.move(fresh, program)
