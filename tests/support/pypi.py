# SPDX-License-Identifier: Apache-2.0
"""Python packages that a test uses as a user would: fetched with pip into a folder of the user's cache, never into the system."""

import contextlib
import sys

from . import packages


def fetch(name, *requirements):
    """The folder with what these requirements name, and all that they need (packages.fetched)."""
    return packages.fetched(name, f"pip could not fetch {name} (./dev setup installs pip)", lambda folder: [
        sys.executable, "-m", "pip", "install", "--quiet", "--no-compile", "--disable-pip-version-check",
        "--root-user-action=ignore", "--target", str(folder), *requirements])


@contextlib.contextmanager
def importable(folder):
    """In the block, packages of the folder come before all others."""
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))
