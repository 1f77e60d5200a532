"""Which sources are altered, and which test programs must notice.

A suite names its sources by glob and its tests as (program, gtest filter) pairs in the order to
try them: quick tests first, property tests last. *_test.cc and *_main.cc are never altered.
"""

import dataclasses
import json
import pathlib


@dataclasses.dataclass(frozen=True)
class Suite:
    name: str
    sources: tuple  # globs, from the root of the repository
    tests: tuple  # (program, gtest filter) pairs


SUITES = (
    Suite(
        name="lifecycle",
        sources=("src/lifecycle/**/*.cc",),
        tests=(
            ("lifecycle_test", "-*Property*:*AnyLife*"),
            ("lifecycle_test", "*Property*:*AnyLife*"),
        ),
    ),
    # The Machine and its thread, which every local store has.
    Suite(
        name="machine",
        sources=(
            "src/store/local/machine/*.cc",
            "src/store/local/commands/*.cc",
            "src/store/local/command_verbs.cc",
            "src/store/local/memory_store.cc",
        ),
        tests=(
            ("store_local_test", "*Machine*:*Lane*:*Slot*:*Timer*:*Key*"),
            ("conformance_test", "Memory/*"),
            ("store_local_test", "*"),
        ),
    ),
    # What makes it durable.
    Suite(
        name="durable",
        sources=("src/store/local/durable/*.cc", "src/store/local/file_store.cc"),
        tests=(("store_local_test", "*"), ("conformance_test", "File/*")),
    ),
    # What finds damage.
    Suite(
        name="damage",
        sources=(
            "src/store/local/catalog/checked_file.cc",
            "src/store/local/catalog/page_checksum.cc",
            "src/store/local/catalog/wal_check.cc",
            "src/store/local/log/manifest.cc",
        ),
        tests=(
            ("store_local_test", "*Checksum*:*Manifest*:*Belong*:*FirstFormat*"),
            ("store_log_test", "*Manifest*"),
            ("store_local_test", "*Damage*:*Catalog*"),
        ),
    ),
)


def load(path):
    """Suites from a JSON file: [{"name": …, "sources": […], "tests": [[program, filter], …]}]."""
    rows = json.loads(pathlib.Path(path).read_text())
    return tuple(
        Suite(row["name"], tuple(row["sources"]), tuple(tuple(t) for t in row["tests"]))
        for row in rows
    )


def source_files(root, suite):
    """The suite's sources as sorted paths relative to root."""
    found = set()
    for pattern in suite.sources:
        for path in pathlib.Path(root).glob(pattern):
            if not path.name.endswith(("_test.cc", "_main.cc")):
                found.add(path.relative_to(root).as_posix())
    return sorted(found)
