#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The house's own rules, as tests: what may include what, where heavy headers may stand, sizes, documents in step.

The allowed edges are the DEPENDS lists in CMakeLists.txt; a new edge is a visible decision there. Each rule is a
function that yields one line per fault.
"""
import fnmatch
import functools
import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LINES_MAX = 450  # over it, look for the second noun inside

# Headers that cost a second or more to compile, or bind us to a library: the files that may include them.
HEAVY = {
    r"boost/(asio|beast|url)[/.]": ["src/net/*", "src/http/*.cc", "src/telnet/*.cc"],
    r"rocksdb/": ["src/engine/rocksdb/*"],
    r"(simdjson|fmt/)": [],  # of the tools
    r"re2/": ["src/base/regex.cc"],
    r"protozero/": ["src/protocol/prometheus/*", "src/protocol/loki/*", "src/protocol/otlp/*"],
    r"yaml-cpp/": ["src/config/yaml.cc"],
    r"openssl/": ["src/net/*tls*", "src/logs/tls_client.cc"],
    r"varve_drivers": ["src/driver/*"],
    r"cctz/": ["src/model/time_zone.cc"],
    r"net-snmp/": ["src/snmp/session/*"],
    r"(zstd|zlib|libdeflate|lz4|snappy|xxhash)": ["src/codec/*.cc", "src/chunk/*.cc"],
}
# Headers that may bring a heavy one along: few files include them.
INTERNAL = ["src/net/*", "src/engine/rocksdb/*", "src/driver/border.h", "src/snmp/session/library.h"]

# Parts of a large folder, from the bottom up: a part includes those before it, and of its folder's own files only
# these headers.
PARTS = {"engine/rocksdb": (["env", "log", "head", "series", "runs", "scan", "settle", "erase"], []),
         "engine/cassandra": (["tables", "series", "hot", "messages", "scan", "settle", "erase", "texts"], ["options.h"])}


@functools.cache
def files() -> list[str]:
    """What git keeps or would keep, as paths from the root."""
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
                            check=True, capture_output=True, text=True).stdout.split("\0")
    return sorted(path for path in listed if path and (ROOT / path).is_file())


@functools.cache
def text(path: str) -> str:
    return (ROOT / path).read_text(errors="replace") if (ROOT / path).is_file() else ""


def sources() -> list[str]:
    return [path for path in files() if path.startswith("src/") and path.endswith((".cc", ".h"))]


@functools.cache
def edges() -> dict[str, list[str]]:
    """Folder → folders it may include, in the order of CMakeLists.txt."""
    found = {}
    for call in re.findall(r"^varve_folder\(([^)]*)\)", text("CMakeLists.txt"), re.M):
        words = re.split(r"\s+", call.strip())
        depends = words[words.index("DEPENDS") + 1:] if "DEPENDS" in words else []
        found[words[0]] = depends[:depends.index("LIBRARIES")] if "LIBRARIES" in depends else depends
    return found


def folder_of(path: str) -> str | None:
    """The folder of edges() that holds this path under src/; the longest name wins (engine/rocksdb)."""
    return max((f for f in edges() if path.startswith(f + "/")), key=len, default=None)


def includes(path: str) -> list[tuple[int, str, str]]:
    """(line, quote or bracket, name) of each #include."""
    found = enumerate(text(path).splitlines(), 1)
    return [(n, m[1], m[2]) for n, line in found if (m := re.match(r'\s*#\s*include\s*(["<])([^">]+)[">]', line))]


def test_edges_go_down() -> Iterator[str]:
    seen: list[str] = []
    for folder, depends in edges().items():
        for other in depends:
            if other not in seen:
                yield f"CMakeLists.txt: {folder} depends on {other}, which does not stand above it"
        seen.append(folder)


def test_includes_follow_the_edges() -> Iterator[str]:
    for path in sources():
        folder = folder_of(path.removeprefix("src/"))
        if folder is None:
            yield f"{path}: its folder is not in CMakeLists.txt"
            continue
        for line, quote, name in includes(path):
            if quote == "<":
                continue
            if not (ROOT / "src" / name).is_file():
                yield f'{path}:{line}: "{name}" is not a file under src/'
                continue
            other = folder_of(name)
            if other not in (folder, *edges()[folder]):
                yield f"{path}:{line}: {folder} may not include {other} ({name})"


def test_parts_of_a_folder_go_down() -> Iterator[str]:
    for folder, (order, shared) in PARTS.items():
        for path in sources():
            part, _, rest = path.removeprefix(f"src/{folder}/").partition("/")
            if not path.startswith(f"src/{folder}/") or not rest or part == "testing" or path.endswith(("_test.cc", "_bench.cc")):
                continue
            if part not in order:
                yield f"{path}: {part} is not one of the parts of {folder} in PARTS"
                continue
            allowed = (*shared, *(f"{below}/" for below in order[: order.index(part) + 1]))
            for line, _, name in includes(path):
                if name.startswith(folder + "/") and not name.removeprefix(folder + "/").startswith(allowed):
                    yield f"{path}:{line}: {part} may not include {name}"


def test_families_do_not_know_each_other() -> Iterator[str]:
    """A family of APIs includes api/shared and itself."""
    for path in sources():
        family, _, rest = path.removeprefix("src/api/").partition("/")
        if not path.startswith("src/api/") or not rest or family == "testing" or path.endswith("_test.cc"):
            continue
        for line, _, name in includes(path):
            if name.startswith("api/") and not name.startswith((f"api/{family}/", "api/shared/")):
                yield f"{path}:{line}: api/{family} may not include {name}"
        if f"src/api/{family}/README.md" not in files():
            yield f"src/api/{family}: no README.md"


def test_own_header_comes_first() -> Iterator[str]:
    for path in sources():
        own = path.removeprefix("src/").removesuffix(".cc") + ".h"
        if path.endswith(".cc") and f"src/{own}" in files():
            first = next((name for _, _, name in includes(path)), None)
            if first != own:
                yield f'{path}: the first include is not its own header "{own}"'


def test_heavy_headers_stay_where_they_are_needed() -> Iterator[str]:
    for path in sources():
        for line, quote, name in includes(path):
            if quote != "<":
                continue
            for pattern, allowed in HEAVY.items():
                if re.match(pattern, name) and not any(fnmatch.fnmatch(path, glob) for glob in allowed):
                    yield f"{path}:{line}: <{name}> may be included only in {', '.join(allowed)}"


def test_reads_of_the_database_are_looked_at() -> Iterator[str]:
    """Where an iterator of RocksDB cannot read on it ends as if there were no more, and a status may be dropped without a
    word: one file has them, and hands out results that the compiler does not let anybody ignore."""
    foreign = re.compile(r"NewIterator|rocksdb::(Iterator|PinnableSlice)|MultiGet|KeyMayExist|(db|db_|handle)(->|\.)Get\(|"
                         r"^\s*(\(void\))?\s*\(?\*?db_?\)?(->|\.)(Write|Flush|Put|Delete|CompactRange)\(")
    for path in sources():
        if not path.startswith("src/engine/rocksdb/") or "/testing/" in path or path.endswith("_test.cc"):
            continue
        if path == "src/engine/rocksdb/runs/database_reads.cc":
            continue
        for n, line in enumerate(text(path).splitlines(), 1):
            if m := foreign.search(line):
                yield f"{path}:{n}: {m[0].strip()} belongs to runs/database_reads.cc, or its status to outcome()"


def test_heavy_headers_do_not_leak() -> Iterator[str]:
    """No header outside INTERNAL brings a heavy one along, by itself or through another."""
    headers = [path for path in sources() if path.endswith(".h")]
    leaky = {path for path in headers if any(re.match(p, n) for _, q, n in includes(path) if q == "<" for p in HEAVY)}
    while more := {path for path in headers if any("src/" + n in leaky for _, _, n in includes(path))} - leaky:
        leaky |= more
    for path in sorted(leaky):
        if not any(fnmatch.fnmatch(path, glob) for glob in INTERNAL):
            yield f"{path}: brings a heavy header to whoever includes it"


def test_nobody_keeps_a_line_group() -> Iterator[str]:
    """A LineGroup goes with the table of its sender: what outlives a request keeps its number (model/kept_group.h)."""
    may = ("src/model/", "src/protocol/", "src/write/")
    for path in sources():
        if path.endswith(".h") and not path.startswith(may) and "/testing/" not in path:
            for n, line in enumerate(text(path).splitlines(), 1):
                if re.search(r"\bLineGroup\b", line):
                    yield f"{path}:{n}: {line.strip()}"


def test_files_are_short() -> Iterator[str]:
    for path in files():
        if path.endswith((".cc", ".h", ".py", ".rs", ".cmake")) or path == "dev":
            count = text(path).count("\n")
            if count > LINES_MAX:
                yield f"{path}: {count} lines, over {LINES_MAX}"


def test_every_folder_says_what_it_is() -> Iterator[str]:
    for folder in edges():
        if any(path.startswith(f"src/{folder}/") for path in files()) and f"src/{folder}/README.md" not in files():
            yield f"src/{folder}: no README.md"


def test_architecture_lists_folders_and_edges() -> Iterator[str]:
    rows = dict(re.findall(r"^\| `([a-z/]+)` \|[^|]*\|([^|]*)\|$", text("ARCHITECTURE.md"), re.M))
    for folder, depends in edges().items():
        if folder not in rows:
            yield f"ARCHITECTURE.md: no row for {folder}"
        elif set(re.findall(r"[a-z]+(?:/[a-z]+)*", rows[folder])) != set(depends):
            yield f"ARCHITECTURE.md: {folder} may include {' '.join(depends)}, not {rows[folder].strip()}"
    for folder in rows.keys() - edges().keys():
        yield f"ARCHITECTURE.md: {folder} is not in CMakeLists.txt"


def test_configuration_is_documented() -> Iterator[str]:
    keys = dict(re.findall(r'\{"([a-z_.]+)",\s*"([^"]*)"', text("src/config/keys.cc")))
    told = dict(re.findall(r"^### `([a-z_.]+)`\n\nDefault: (?:`([^`]*)`|empty)\.", text("docs/operate/configuration.md"), re.M))
    for key, default in keys.items():
        if key not in told:
            yield f"docs/operate/configuration.md: {key} is missing"
        elif told[key] != default:
            yield f"docs/operate/configuration.md: the default of {key} is {default!r}, not {told[key]!r}"
    for key in told.keys() - keys.keys():
        yield f"docs/operate/configuration.md: there is no key {key}"


UNITS = {"": 1, "B": 1, "bytes": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "ms": 1, "s": 1000, "m": 60_000,
         "min": 60_000, "h": 3_600_000}


def bound_of(words: str) -> int | None:
    """"64 KiB", "2m" or "10000" in bytes, milliseconds or pieces."""
    found = re.fullmatch(r"(\d+) ?([a-zA-Z]*)", words)
    return int(found[1]) * UNITS[found[2]] if found and found[2] in UNITS else None


def constant_of(path: str, name: str) -> int | None:
    """The value of a constant or a member's default, which is a product or a shift of whole numbers."""
    found = re.search(rf"\b{name}(?: = |\{{)((?:std::size_t\{{\d+\}}|[0-9'UL<* ])+)[;}}),]", text(path))
    if not found:
        return None
    plain = re.sub(r"std::size_t\{(\d+)\}", r"\1", found[1]).replace("'", "")
    value = 1
    for factor in re.sub(r"(?<=\d)U?L*\b", "", plain).split("*"):
        base, *shift = factor.split("<<")
        value *= int(base) << (int(shift[0]) if shift else 0)
    return value


def test_limits_are_documented() -> Iterator[str]:
    keys = dict(re.findall(r'\{"([a-z_.]+)",\s*"([^"]*)"', text("src/config/keys.cc")))
    for n, line in enumerate(text("docs/operate/limits.md").splitlines(), 1):
        row = re.fullmatch(r"\|[^|]+\| ([^|]+) \|[^|]+\| (.+) \|", line)
        if not row or row[2] in ("set by", "---"):
            continue
        said = re.findall(r"`([^`]+)`", row[2])
        actual = bound_of(keys.get(said[0], "")) if len(said) == 1 else constant_of(*said)
        if actual is None or actual != bound_of(row[1]):
            yield f"docs/operate/limits.md:{n}: {row[1]} is {actual} in {row[2]}"


@functools.cache
def anchors(path: str) -> set[str]:
    """What a link into a document may name: its headings, as the usual renderers spell them."""
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")
            for heading in re.findall(r"^#+ (.*)$", text(path), re.M)}


def test_links_lead_somewhere() -> Iterator[str]:
    """Relative links of documents, and documents that are named by their path anywhere."""
    for path in files():
        if not path.endswith((".md", ".h", ".cc", ".py", ".cmake", ".txt")):
            continue
        for n, line in enumerate(text(path).splitlines(), 1):
            for target in re.findall(r"(?<![\w./-])docs/[\w/-]+\.md\b", line):
                if not (ROOT / target).is_file():
                    yield f"{path}:{n}: there is no {target}"
            for target, anchor in re.findall(r"\]\(([^)#:\s]*)(?:#([^)\s]*))?\)", line) if path.endswith(".md") else []:
                if not target.endswith(".md") and not (anchor and not target):
                    continue
                full = (ROOT / path).parent.joinpath(target) if target else ROOT / path
                if not full.is_file():
                    yield f"{path}:{n}: there is no {target}"
                elif anchor and anchor not in anchors(os.path.relpath(full, ROOT)):
                    yield f"{path}:{n}: {target or path} has no heading #{anchor}"


def test_indexes_list_their_folder() -> Iterator[str]:
    for path in files():
        folder, name = os.path.split(path)
        if path.startswith("docs/") and path.endswith(".md") and name != "README.md":
            index = f"{folder}/README.md" if folder in ("docs/decisions", "docs/formats") else "docs/README.md"
            if f"({os.path.relpath(path, os.path.dirname(index))}" not in text(index):
                yield f"{index}: {path} is not in it"


def test_quoted_log_lines_are_written() -> Iterator[str]:
    """What a document says that the log says: msg="…", up to an ellipsis."""
    plain = "".join(text(path) for path in sources() if path.endswith(".cc"))
    plain = re.sub(r'"\s*\n\s*"', "", plain)
    for path in files():
        if path.startswith("docs/operate/"):
            for message in re.findall(r'msg="([^"…]+)', text(path)):
                if message.rstrip(": ") not in plain:
                    yield f"{path}: nothing logs {message!r}"


def test_licence_line_comes_first() -> Iterator[str]:
    for path in files():
        if path.endswith((".cc", ".h", ".py", ".rs")) or path in ("dev", ".ci/run"):
            if not any("SPDX-License-Identifier: Apache-2.0" in line for line in text(path).splitlines()[:2]):
                yield f"{path}: its first lines do not name the licence"


def test_nothing_is_left_for_later() -> Iterator[str]:
    words = re.compile(r"\b(TO" r"DO|FIX" r"ME|X" r"XX)\b")
    for path in files():
        if path.endswith((".cc", ".h", ".py", ".md", ".txt", ".cmake")):
            for n, line in enumerate(text(path).splitlines(), 1):
                if words.search(line):
                    yield f"{path}:{n}: {line.strip()}"


def test_no_machine_is_named() -> Iterator[str]:
    """A path or host of the machine that this runs on, or of anybody's package registry, is of no use to a reader."""
    common = {"/", "/tmp", "/var", "/home", "/root", "/opt", "/usr", "/srv", "/mnt", "/src", "/etc", "/var/tmp"}
    places = {str(ROOT), str(ROOT.parent), os.path.expanduser("~")} - common
    words = [rf"(?<![\w.]){re.escape(place)}(?![\w-])" for place in sorted(places)]
    if len(host := socket.gethostname().split(".")[0]) > 5 and host != "localhost":
        words.append(rf"\b{re.escape(host)}\b")
    words.append(r"https?://([a-z0-9-]+\.)*(registry|repo1?|proxy|index|static|files|deb|security)\.[a-z]")
    names = re.compile("|".join(words))
    for path in files():
        if "/testdata/" in path or "/corpus/" in path:
            continue
        for n, line in enumerate(text(path).splitlines(), 1):
            if m := names.search(line):
                yield f"{path}:{n}: names {m[0]}"


def main() -> int:
    passed = failed = 0
    for name, rule in list(globals().items()):
        if not name.startswith("test_"):
            continue
        faults = list(rule())
        passed, failed = passed + (not faults), failed + bool(faults)
        print(f"{'FAIL' if faults else 'ok  '} {name.removeprefix('test_').replace('_', ' ')}")
        for fault in faults:
            print(f"       {fault}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
