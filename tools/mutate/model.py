"""The plain data that the other modules hand to each other."""

import dataclasses


@dataclasses.dataclass
class Mutant:
    """One alteration of one place. Offsets count bytes in the original file."""

    kind: str
    original: str
    mutated: str
    line: int
    function: str
    replace: tuple = None  # (start, end, text), only for sites of the form "swap"
    file: str = ""
    number: int = 0  # set when all files are known

    def signature(self):
        """Names the mutant across edits elsewhere in the tree."""
        return " | ".join((self.file, self.function, self.kind, self.original, self.mutated))


@dataclasses.dataclass
class Site:
    """A piece of source that one or more mutants alter, and how it is rewritten.

    swap      each mutant replaces a part of the site's text
    logic     && becomes || or the other way round; `operator` is its (start, end)
    negate    the condition is turned round
    declared  as negate, for `if (auto x = …)`; `name` is x and the site is empty, behind the …
    drop      the statement is left out
    """

    start: int
    end: int
    form: str
    mutants: list
    operator: tuple = None
    name: str = ""
    in_constexpr: bool = False  # inside a constexpr function


@dataclasses.dataclass
class Variable:
    """A variable with an initialiser. If constexpr, `edits` take that away, so that its
    initialiser can depend on the mutant that was chosen."""

    name: str
    start: int
    end: int
    edits: list  # (start, end, text)


@dataclasses.dataclass
class SourceFile:
    """What was found in one file."""

    path: str  # relative to the root
    key: str  # changes with the file, the headers and this tool
    text: str  # one character per byte (latin-1)
    sites: list
    variables: list
    edits: list  # (start, end, text): rewritten whatever mutant is alive
    skipped: dict  # why -> how many places were left alone
    problems: list  # errors of the parser

    def mutants(self):
        return [mutant for site in self.sites for mutant in site.mutants]


def shown(text):
    """Source text on one line, as people and tables write it."""
    return " ".join(text.encode("latin-1").decode("utf-8", "replace").split())
