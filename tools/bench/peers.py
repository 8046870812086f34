# SPDX-License-Identifier: Apache-2.0
"""Peers that are built from their Go modules once, into the user's cache, where a Go compiler is there."""

import os
import shutil
import subprocess
import tempfile

from databases import Missing

CACHE = os.path.join(os.environ.get("XDG_CACHE_HOME", os.path.expanduser("~/.cache")), "varve", "peers")


def built(name, module, version, package=".", own=None):
    """Where the program is; builds it if it is not there. `own`: a folder with a main of ours that uses the module."""
    found = os.path.join(CACHE, f"{name}-{version}")
    if os.path.exists(found):
        return found
    go = shutil.which("go", path=os.environ["PATH"] + ":/usr/local/go/bin")
    if not go:
        raise Missing(f"{name} is not there, and no Go compiler to build it with")
    os.makedirs(CACHE, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        if own:
            shutil.copytree(own, folder, dirs_exist_ok=True)
        with open(os.path.join(folder, "go.mod"), "w") as f:
            f.write(f"module peers\ngo 1.25\nrequire {module} {version}\n")
        done = subprocess.run([go, "build", "-mod=mod", "-o", found, "." if own else os.path.normpath(f"{module}/{package}")],
                              cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Missing(f"{name} could not be built: {done.stderr[-300:]}")
    return found
