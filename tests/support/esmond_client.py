# SPDX-License-Identifier: Apache-2.0
"""esmond's own Python client, as it was released for Python 2, translated by 2to3 when it is imported."""

import pathlib
import shutil
import tempfile

from . import pypi

VERSION = "4.2.1"
TRANSLATOR = "fissix==24.4.24"  # 2to3 as a package: Python's own is gone from 3.13 on
TABLE = "str(bytearray(range(256)))"  # of Python 2: a text of all bytes


def translated(test):
    """The folder with a package esmond_client that Python 3 imports; it goes with the test (or its class)."""
    name = f"esmond-client-{VERSION}"
    folder = pypi.fetch(name, f"esmond-client=={VERSION}", TRANSLATOR)
    target = pathlib.Path(tempfile.mkdtemp(prefix="esmond-client-"))
    getattr(test, "addClassCleanup", test.addCleanup)(shutil.rmtree, target)
    package = target / "esmond_client"
    package.mkdir()
    (package / "__init__.py").touch()
    with pypi.importable(folder):
        from fissix.refactor import RefactoringTool, get_fixers_from_package
        tool = RefactoringTool(get_fixers_from_package("fissix.fixes"))
    for module in ("snmp", "timeseries", "util"):
        text = str(tool.refactor_string((folder / "esmond_client" / f"{module}.py").read_text(encoding="utf-8"), module))
        (package / f"{module}.py").write_text(text.replace(TABLE, "bytes(range(256)).decode('latin1')"), encoding="utf-8")
    return folder, target
