#!/usr/bin/python3
"""One name for one type: no type name stands for two things in the product's namespaces, and none
of the second names that the model's types once had comes back.

Types at namespace scope count, aliases too; those of unnamed namespaces and of classes are the
matter of their file. Tests may name their own types as they like.
"""

import collections
import re

import lines
import source_tree

# What each was a second name of.
GONE = {
    "RetrySettings": "Retry",
    "TimeoutSettings": "Timeouts",
    "DependencySpec": "Dependency",
    "KeyMode": "Idempotency",
    "FailureText": "Failure",
    "AccountRecord": "Account",
    "QueueView": "Queue",
    "PruneAnswer": "Pruned",
    "KeptTerms": "TermsTable",
}

_NAMESPACE = re.compile(r"namespace(?: ([\w:]+))? \{")
_TYPE = re.compile(r"(?:struct|class|enum class|enum)\s+(?:\[\[\w+\]\]\s+)?(\w+)\b(?!::|\s*(?::[^{]*)?;)")
_ALIAS = re.compile(r"using (\w+) =")


def types(text):
    """(namespace, name, line) of every type that is defined at namespace scope."""
    scopes = []
    for number, line in enumerate(text.split("\n"), 1):
        if opened := _NAMESPACE.match(line):
            scopes.append(opened[1])
        elif line.startswith("}  // namespace"):
            scopes.pop()
        elif found := _TYPE.match(line) or _ALIAS.match(line):
            if None not in scopes:
                yield "::".join(scopes), found[1], number


def main():
    root = source_tree.root_from_arguments()
    faults = []
    places = collections.defaultdict(dict)
    for name in source_tree.sources(root):
        text = source_tree.read(root, name)
        if name.parts[0] in ("src", "include", "sim", "bench"):
            for gone, kept in GONE.items():
                for match in re.finditer(rf"\b{gone}\b", text):
                    line = text.count("\n", 0, match.start()) + 1
                    faults.append(f"{name}:{line}: {gone}: the type is called {kept}")
        if lines.is_product(name):
            for scope, found, line in types(text):
                places[found].setdefault(scope, f"{name}:{line}")
    for found, scopes in sorted(places.items()):
        if len(scopes) > 1:
            where = ", ".join(f"{scope} ({place})" for scope, place in sorted(scopes.items()))
            faults.append(f"{found}: one name for several types: {where}")
    source_tree.finish(faults)


if __name__ == "__main__":
    main()
