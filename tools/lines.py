#!/usr/bin/python3
"""How large the product is: lines of src and include, without tests, what only tests use, the
conformance suite and generated files; and the median length of a file.

Usage: lines.py [root]
"""

import collections
import statistics

import source_tree

# Headers that stand beside the product and are included by tests only.
TEST_HEADERS = {
    "src/client/scripted_server.h",
    "src/engine/counted_store.h",
    "src/engine/driven_engine.h",
    "src/engine/watched_store.h",
    "src/http/testing.h",
    "src/lifecycle/contract_check.h",
    "src/lifecycle/contract_matrix.h",
    "src/lifecycle/testing.h",
    "src/lifecycle/watched_job.h",
    "src/store/local/codec/arbitrary_rows.h",
    "src/store/local/catalog/catalog_testing.h",
    "src/store/local/catalog/faulty_vfs.h",
    "src/store/local/catalog/random_history.h",
    "src/store/local/machine/empty_archive.h",
    "src/store/local/log/testing.h",
    "src/store/local/durable/machine_on_disk.h",
    "src/store/local/durable/watched_archive.h",
    "src/worker/claims.h",
    "src/worker/driven_courier.h",
    "src/worker/hand_source.h",
    "src/base/eventually.h",
    "src/base/temporary_directory.h",
}


def is_product(name):
    return (name.parts[0] in ("src", "include") and not source_tree.is_test(name)
            and "conformance" not in name.parts and str(name) not in TEST_HEADERS)


def room_of(name):
    return "/".join(name.parts[:2]) if name.parts[0] == "src" else name.parts[0]


def main():
    root = source_tree.root_from_arguments()
    rooms = collections.defaultdict(list)
    for name in source_tree.sources(root):
        if is_product(name):
            rooms[room_of(name)].append(source_tree.read(root, name).count("\n"))
    every = [length for lengths in rooms.values() for length in lengths]
    print(f"{'':<16}{'files':>7}{'lines':>8}{'median':>8}{'longest':>9}")
    for room, lengths in sorted(rooms.items()) + [("all", every)]:
        print(f"{room:<16}{len(lengths):>7}{sum(lengths):>8,}{statistics.median(lengths):>8.0f}"
              f"{max(lengths):>9}")


if __name__ == "__main__":
    main()
