# SPDX-License-Identifier: Apache-2.0
"""Peers that are fetched and built once, into the user's cache, by the ordinary client of their kind of package: Go
modules, Maven artefacts, Python wheels. What cannot be had raises Missing, and the benchmark leaves it out."""

import os
import shutil
import subprocess
import sys
import tempfile

CACHE = os.path.join(os.environ.get("XDG_CACHE_HOME", os.path.expanduser("~/.cache")), "varve", "peers")


class Missing(Exception):
    """The program is not installed."""


def run(what, command, folder, **environment):
    """Runs what builds or fetches `what`; a failure is Missing, with the end of what was said."""
    if not os.path.isabs(command[0]):
        found = shutil.which(command[0], path=os.environ["PATH"] + ":/usr/local/go/bin")
        if not found:
            raise Missing(f"{what} is not there, and no {command[0]} to get it with")
        command = [found, *command[1:]]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, env={**os.environ, **environment})
    if done.returncode != 0:
        raise Missing(f"{what} could not be had: {(done.stderr or done.stdout)[-300:]}")
    return done.stdout


def built(name, module, version, package=".", own=None, go="1.25", **environment):
    """Where the program is; builds it if it is not there. `own`: a folder with a main of ours that uses the module; `go`: the
    version that the module wants. A Go compiler fetches a newer one by itself."""
    found = os.path.join(CACHE, f"{name}-{version}")
    if os.path.exists(found):
        return found
    print(f"building {name} {version}, once", file=sys.stderr, flush=True)
    os.makedirs(CACHE, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        if own:
            shutil.copytree(own, folder, dirs_exist_ok=True)
        with open(os.path.join(folder, "go.mod"), "w") as f:
            f.write(f"module peers\ngo {go}\nrequire {module} {version}\n")
        # Under another name first: a build that is ended leaves nothing that looks complete.
        run(name, ["go", "build", "-mod=mod", "-o", found + ".new", "." if own else os.path.normpath(f"{module}/{package}")],
            folder, **environment)
        os.rename(found + ".new", found)
    return found


def jar(group, artefact, version):
    """Where the jar of a Maven artefact without dependencies is."""
    found = os.path.join(CACHE, f"{artefact}-{version}.jar")
    if not os.path.exists(found):
        os.makedirs(CACHE, exist_ok=True)
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "pom.xml"), "w") as f:
                f.write("<project><modelVersion>4.0.0</modelVersion><groupId>peers</groupId><artifactId>peers</artifactId>"
                        "<version>1</version><packaging>pom</packaging><dependencies><dependency>"
                        f"<groupId>{group}</groupId><artifactId>{artefact}</artifactId><version>{version}</version>"
                        "</dependency></dependencies></project>")
            run(artefact, ["mvn", "-B", "-q", "dependency:copy-dependencies", f"-DoutputDirectory={folder}"], folder)
            shutil.move(os.path.join(folder, f"{artefact}-{version}.jar"), found)
    return found


def python_with(package, version):
    """A Python of its own that has the package."""
    found = os.path.join(CACHE, f"{package}-{version}")
    if not os.path.exists(os.path.join(found, "bin", "python")):
        os.makedirs(CACHE, exist_ok=True)
        shutil.rmtree(found + ".new", ignore_errors=True)
        run(package, [sys.executable, "-m", "venv", found + ".new"], CACHE)
        run(package, [os.path.join(found + ".new", "bin", "python"), "-m", "pip", "install", "-q", f"{package}=={version}"], CACHE)
        os.rename(found + ".new", found)
    return os.path.join(found, "bin", "python")
