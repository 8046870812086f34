# SPDX-License-Identifier: Apache-2.0
"""The newest versions of the peers that the ordinary package clients bring (`--peers=today`). Debian's are older by years, but
there in seconds; building these takes half an hour, once."""

import os
import shutil
import tempfile

from peers import CACHE, built, run

GO = {"go": "1.27", "GOTOOLCHAIN": "go1.27.3"}
VERSIONS = {"victoria-metrics": "1.153.0", "influxdb": "1.13.2", "prometheus": "3.16.0", "questdb": "9.3.4", "clickhouse": "26.9.0"}


def victoria_metrics():
    version = VERSIONS["victoria-metrics"]
    return built("victoria-metrics", "github.com/VictoriaMetrics/VictoriaMetrics", f"v{version}", "app/victoria-metrics", **GO)


def prometheus():
    version = VERSIONS["prometheus"].removeprefix("3.").removesuffix(".0")  # as a module, 3.16.0 is v0.316.0
    return built("prometheus", "github.com/prometheus/prometheus", f"v0.3{version}.0", "cmd/prometheus", **GO)


def influxd():
    module, version = "github.com/influxdata/influxdb", f"v{VERSIONS['influxdb']}"
    if not os.path.exists(os.path.join(CACHE, f"influxd-{version}")):
        return built("influxd", module, version, "cmd/influxd", PKG_CONFIG_PATH=libflux("v0.200.0"))
    return built("influxd", module, version, "cmd/influxd")


def libflux(version):
    """InfluxDB links a library in Rust that lies in another Go module. Returns the folder of its description for pkg-config."""
    folder = os.path.join(CACHE, f"libflux-{version}")
    library = os.path.join(folder, "libflux", "target", "release")
    if os.path.exists(os.path.join(folder, "flux.pc")):
        return folder
    os.makedirs(CACHE, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        with open(os.path.join(scratch, "go.mod"), "w") as f:
            f.write("module peers\ngo 1.25\n")
        run("libflux", ["go", "mod", "download", f"github.com/influxdata/flux@{version}"], scratch)
        modules = run("libflux", ["go", "env", "GOMODCACHE"], scratch).strip()
    shutil.rmtree(folder, ignore_errors=True)
    # All of the module: the build reads Flux' own library beside it.
    shutil.copytree(os.path.join(modules, f"github.com/influxdata/flux@{version}"), folder)
    run("libflux", ["chmod", "-R", "u+w", folder], CACHE)
    for place in (folder, os.path.join(folder, "libflux")):
        for name in ("rust-toolchain.toml", "rust-toolchain"):
            if os.path.exists(os.path.join(place, name)):
                os.unlink(os.path.join(place, name))
    run("libflux", ["cargo", "build", "--release", "--locked", "-p", "flux"], os.path.join(folder, "libflux"),
        CARGO_PROFILE_RELEASE_LTO="off", CARGO_PROFILE_RELEASE_OPT_LEVEL="1", RUSTFLAGS="--cap-lints warn")
    with open(os.path.join(folder, "flux.pc"), "w") as f:
        f.write(f"Name: flux\nVersion: {version[1:]}\nDescription: flux\nCflags: -I{folder}/libflux/include\n"
                f"Libs: -L{library} -lflux -ldl -lm -lpthread\n")
    return folder


PROGRAMS = {"victoria-metrics": victoria_metrics, "prometheus": prometheus, "influxd": influxd}
