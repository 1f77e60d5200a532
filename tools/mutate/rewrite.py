"""Writes a source file that holds all its mutants at once; mutant.h chooses the one alive.

Every form keeps the types and the short circuits of the original. Where a swap needs the operands
twice, the mutants inside them are written twice too.
"""

import bisect
import dataclasses

INCLUDE = '#include "mutant.h"\n'
# For sites of one extent: which one is outside.
OUTERMOST = ("drop", "negate", "logic", "swap", "declared", "edit")


@dataclasses.dataclass
class Node:
    """A site or an edit, with those that stand inside of it."""

    start: int
    end: int
    form: str
    site: object = None
    text: str = ""
    inside: list = dataclasses.field(default_factory=list)


class Rewritten:
    """The new text, and the way back from a place in it to mutants and to the original."""

    def __init__(self, original):
        self.original = original
        self.text = ""
        self.marks = []  # (start, end, mutants) in the new text
        self.copies = []  # (start in the new text, start in the original)
        self.left_out = []  # mutants that could not be written
        self._parts = []
        self._length = 0

    def add(self, text):
        self._parts.append(text)
        self._length += len(text)

    def copy(self, start, end):
        self.copies.append((self._length, start))
        self.add(self.original[start:end])

    def mark(self, since, mutants):
        self.marks.append((since, self._length, tuple(mutants)))

    def position(self):
        return self._length

    def finish(self):
        self.text = "".join(self._parts)
        self._lines = [0] + [i + 1 for i, c in enumerate(self.text) if c == "\n"]
        return self

    def offset(self, line, column):
        return self._lines[min(line, len(self._lines)) - 1] + column - 1

    def mutants_at(self, offset):
        """Those of the innermost rewritten piece around the offset."""
        around = [mark for mark in self.marks if mark[0] <= offset < mark[1]]
        return min(around, key=lambda mark: mark[1] - mark[0])[2] if around else ()

    def original_offset(self, offset):
        index = bisect.bisect_right(self.copies, (offset, len(self.original))) - 1
        if index < 0:
            return 0
        return self.copies[index][1] + offset - self.copies[index][0]


class Rewriter:
    def __init__(self, file, live):
        self.out = Rewritten(file.text)
        self.file = file
        self.live = live

    def run(self):
        """`live` are the numbers of the mutants to write."""
        self.out.add(INCLUDE)
        top, crossing = nest(self.nodes())
        self.pieces(0, len(self.file.text), top)
        self.out.left_out = [m for node in crossing if node.site for m in self.living(node.site)]
        return self.out.finish()

    def nodes(self):
        nodes = [Node(*edit[:2], "edit", text=edit[2]) for edit in self.file.edits]
        for site in self.file.sites:
            if self.living(site):
                nodes.append(Node(site.start, site.end, site.form, site))
        for variable in self.file.variables:
            inside = any(n.site and variable.start <= n.start < variable.end for n in nodes)
            if inside:
                nodes += [Node(*edit[:2], "edit", text=edit[2]) for edit in variable.edits]
        return nodes

    def living(self, site):
        return [mutant for mutant in site.mutants if mutant.number in self.live]

    def pieces(self, start, end, nodes):
        """The original text of [start, end) with the nodes inside it rewritten."""
        at = start
        for node in nodes:
            if start <= node.start and node.end <= end:
                self.out.copy(at, node.start)
                self.node(node)
                at = node.end
        self.out.copy(at, end)

    def node(self, node):
        if node.form == "edit":
            self.out.add(node.text)
            return
        since = self.out.position()
        FORMS[node.form](self, node, self.living(node.site))
        self.out.mark(since, self.living(node.site))

    def alive(self, node, mutant):
        function = "alive_at_run_time" if node.site.in_constexpr else "alive"
        return f"::mutant::{function}({mutant.number})"

    def swap(self, node, mutants):
        self.out.add("(")
        for mutant in mutants:
            self.out.add(f"{self.alive(node, mutant)} ? (")
            since = self.out.position()
            start, end, text = mutant.replace
            self.pieces(node.start, start, node.inside)
            self.out.add(text)
            self.pieces(end, node.end, node.inside)
            self.out.mark(since, [mutant])
            self.out.add(") : ")
        self.out.add("(")
        self.pieces(node.start, node.end, node.inside)
        self.out.add("))")

    def logic(self, node, mutants):
        """a && b is: a decides when it is false, else b does; a || b: when it is true."""
        alive = self.alive(node, mutants[0])
        start, end = node.site.operator
        is_and = self.file.text[start:end] == "&&"
        self.out.add("((static_cast<bool>(")
        self.pieces(node.start, start, node.inside)
        decided = (f") == {alive}) ? {alive}" if is_and else f") != {alive}) ? !{alive}")
        self.out.add(f"{decided} : static_cast<bool>(")
        self.pieces(end, node.end, node.inside)
        self.out.add("))")

    def negate(self, node, mutants):
        self.out.add(f"({self.alive(node, mutants[0])} != static_cast<bool>(")
        self.pieces(node.start, node.end, node.inside)
        self.out.add("))")

    def declared(self, node, mutants):
        self.out.add(f"; {self.alive(node, mutants[0])} != static_cast<bool>({node.site.name})")

    def drop(self, node, mutants):
        self.out.add(f"{{ if (!{self.alive(node, mutants[0])}) {{ ")
        self.pieces(node.start, node.end, node.inside)
        self.out.add(" } }")


FORMS = {
    "swap": Rewriter.swap,
    "logic": Rewriter.logic,
    "negate": Rewriter.negate,
    "declared": Rewriter.declared,
    "drop": Rewriter.drop,
}


def nest(nodes):
    """Arranges nodes by their extents: (outermost nodes, those that cross another and stay out)."""
    nodes.sort(key=lambda node: (node.start, -node.end, OUTERMOST.index(node.form)))
    top = []
    crossing = []
    stack = []
    for node in nodes:
        while stack and stack[-1].end <= node.start:
            stack.pop()
        if stack and stack[-1].end < node.end:
            crossing.append(node)
            continue
        (stack[-1].inside if stack else top).append(node)
        stack.append(node)
    return top, crossing


def rewrite(file, live):
    return Rewriter(file, live).run()
