#!/usr/bin/python3
"""No source over 600 lines and no function over 70.

A function is found by matching braces, which is enough for our layout: a brace at namespace or
class level whose head ends a parameter list opens a function. Test bodies and initialisers, which
are tables, may be longer. A function's length runs from its opening to its closing brace.
"""

import re

import source_tree

MAX_FILE_LINES = 600
MAX_FUNCTION_LINES = 70

_PREPROCESSOR = re.compile(r"^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", re.MULTILINE | re.DOTALL)
_SCOPE = re.compile(r"\b(namespace|class|struct|union|enum|extern|export)\b")
_TEST_MACRO = re.compile(r"^\s*(TEST|TEST_F|TEST_P|TYPED_TEST|TYPED_TEST_P|RC_\w+|BENCHMARK\w*)\s*\(")
# What may stand between a parameter list and the body.
_TAIL = re.compile(r"\)\s*(const|noexcept|override|final|mutable|try|&&?|\s)*(->.*|requires.*)?$",
                   re.DOTALL)
_MEMBER_LIST = re.compile(r"\)\s*(const|noexcept|\s)*:(?!:)", re.DOTALL)


def matching_brace(code, start):
    depth = 0
    for position in range(start, len(code)):
        if code[position] == "{":
            depth += 1
        elif code[position] == "}":
            depth -= 1
            if depth == 0:
                return position
    return len(code) - 1


def at_top_level(head):
    """The head with everything inside round brackets taken out."""
    out, depth = [], 0
    for c in head:
        if c == "(":
            depth += 1
            out.append("(" if depth == 1 else "")
        elif c == ")":
            depth -= 1
            out.append(")" if depth == 0 else "")
        elif depth == 0:
            out.append(c)
    return "".join(out)


def kind_of(head):
    """What the brace after this head opens: scope, function, test, member or initialiser."""
    plain = re.sub(r"\[\[.*?\]\]", "", at_top_level(head), flags=re.DOTALL)
    plain = re.sub(r"^\s*template\s*<[^{};]*?>(?=\s*[\w\[])", "", plain, flags=re.DOTALL)
    if _TEST_MACRO.match(head.lstrip()):
        return "test"
    outside = re.sub(r"operator\s*\S{1,3}?\s*(?=\()", "operator", plain)
    if _MEMBER_LIST.search(outside) and re.search(r"[\w>]\s*$", outside):
        return "member"
    if re.search(r"(?<![=!<>])=(?!=)", outside):
        return "initialiser"
    if _MEMBER_LIST.search(outside) or _TAIL.search(outside):
        return "function"
    if _SCOPE.search(plain):
        return "scope"
    return "initialiser"


def functions(code):
    """Yields (line, number of lines, head) of every function that is not a test."""
    position = head_start = paren = 0
    while position < len(code):
        c = code[position]
        if c in "()":
            paren += 1 if c == "(" else -1
        elif c == "{" and paren > 0:
            position = matching_brace(code, position)
        elif c == "{":
            head = code[head_start:position]
            kind = kind_of(head)
            if kind != "scope":
                end = matching_brace(code, position)
                if kind == "function":
                    first = code.count("\n", 0, position) + 1
                    yield first, code.count("\n", position, end) + 1, " ".join(head.split())
                position = end
            if kind not in ("member", "initialiser"):
                head_start = position + 1
        elif paren == 0 and c in ";}":
            head_start = position + 1
        elif paren == 0 and c == ":" and re.search(
                r"(^|\s)(public|private|protected)\s*$", code[head_start:position]):
            head_start = position + 1
        position += 1


def faults_of(root, name):
    text = source_tree.read(root, name)
    lines = text.count("\n")
    if lines > MAX_FILE_LINES:
        yield f"{name}: {lines} lines, {MAX_FILE_LINES} are allowed"
    code = source_tree.code_of(text)
    code = _PREPROCESSOR.sub(lambda m: "\n" * m.group(0).count("\n"), code)
    for line, length, head in functions(code):
        if length > MAX_FUNCTION_LINES:
            yield (f"{name}:{line}: {length} lines in one function, {MAX_FUNCTION_LINES} are "
                   f"allowed: {head[-80:]}")


def main():
    root = source_tree.root_from_arguments()
    source_tree.finish([fault for name in source_tree.sources(root)
                        for fault in faults_of(root, name)])


if __name__ == "__main__":
    main()
