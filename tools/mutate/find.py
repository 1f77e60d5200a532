"""Walks the AST of one file and collects every place that can be altered.

Only extents of AST nodes are used, never patterns over lines. Left alone: case labels, template
arguments, array bounds, static_assert, `if constexpr`, default member initialisers, default
arguments, assertions, and what a macro's body writes.
"""

import collections
import dataclasses

import clang.cindex as ci

from mutate import places
from mutate.model import Mutant, Site, SourceFile, Variable, shown
from mutate.source import Source

K = ci.CursorKind

FUNCTIONS = (K.FUNCTION_DECL, K.CXX_METHOD, K.CONSTRUCTOR, K.DESTRUCTOR, K.CONVERSION_FUNCTION,
             K.FUNCTION_TEMPLATE)
LEFT_ALONE = (
    K.FIELD_DECL, K.ENUM_DECL, K.PARM_DECL, K.TYPEDEF_DECL, K.TYPE_ALIAS_DECL, K.CXX_UNARY_EXPR,
    K.MACRO_DEFINITION, K.MACRO_INSTANTIATION, K.INCLUSION_DIRECTIVE, K.TYPE_REF,
    K.TEMPLATE_REF, K.NAMESPACE_REF,
)
CLASSES = (K.CLASS_DECL, K.STRUCT_DECL, K.UNION_DECL, K.CLASS_TEMPLATE)
# Without a trace in behaviour when dropped, or never reached at all.
CALLS_NOT_DROPPED = {"reserve", "shrink_to_fit", "abort", "terminate", "__builtin_unreachable",
                     "unreachable", "assertion_failed"}
SIMPLE_KINDS = {
    K.INTEGER_LITERAL: "number",
    K.FLOATING_LITERAL: "number",
    K.CXX_BOOL_LITERAL_EXPR: "bool",
    K.STRING_LITERAL: "word",
    K.CXX_NULL_PTR_LITERAL_EXPR: "word",
}


@dataclasses.dataclass(frozen=True)
class Context:
    function: str = ""
    in_constexpr: bool = False
    in_table: bool = False  # in an initialiser of a table: words and enumerators are altered too
    target: object = None  # the type of the table's field


class Finder:
    def __init__(self, source, root):
        self.source = source
        self.root = root
        self.sites = {}
        self.variables = []
        self.needed = set()  # where variables stand that must stay constant expressions
        self.edits = []
        self.skipped = collections.Counter()

    def add(self, span, form, kind, mutated, context, **more):
        """Notes one mutant of [start, end). `replace` is the part that a swap replaces."""
        start, end = span
        around = self.source.macro_around(start, end)
        negates_whole_macro = form == "negate" and around == "whole"
        if "ASSERT" in around:
            return
        spans_arguments = around != "" and self.source.has_comma(start, end)
        if (around in ("whole", "cut") and not negates_whole_macro) or spans_arguments:
            self.skipped["written by a macro"] += 1
            return
        replace = more.pop("replace", None)
        if form == "swap":
            replace = replace or (start, end, mutated)
        site = self.sites.get((start, end, form))
        if site is None:
            site = Site(start, end, form, [], in_constexpr=context.in_constexpr, **more)
            self.sites[(start, end, form)] = site
        first, last = self.source.lines_around(start, end)
        text = self.source.text
        changed = replace or (start, end, mutated)
        mutant = Mutant(
            kind,
            shown(text[first:last]),
            shown(text[first : changed[0]] + changed[2] + text[changed[1] : last]),
            self.source.line(start),
            context.function,
            replace,
        )
        if all(mutant.mutated != other.mutated for other in site.mutants):
            site.mutants.append(mutant)

    def visit(self, cursor, context):
        kind = cursor.kind
        if kind in LEFT_ALONE:
            self.constant(cursor)
        elif kind in FUNCTIONS:
            self.function(cursor, context)
        elif kind in HANDLERS:
            HANDLERS[kind](self, cursor, context)
        else:
            self.visit_children(cursor, context)

    def visit_children(self, cursor, context):
        for child in cursor.get_children():
            self.visit(child, context)

    def constant(self, cursor):
        """A node that the compiler must evaluate: the variables it names stay as they are."""
        for part in cursor.walk_preorder():
            if part.kind != K.DECL_REF_EXPR:
                continue
            variable = part.referenced
            if variable is None or variable.kind != K.VAR_DECL or not self.source.owns(variable):
                continue
            span = self.source.range(variable)
            if span not in self.needed:
                self.needed.add(span)
                self.constant(variable)

    def finish(self):
        """The sites, without those in variables that must stay constant."""
        sites = []
        for site in self.sites.values():
            if any(start <= site.start and site.end <= end for start, end in self.needed):
                self.skipped["needed by the compiler"] += len(site.mutants)
            else:
                sites.append(site)
        return sorted(sites, key=lambda site: (site.start, -site.end, site.form))

    # Declarations

    def function(self, cursor, context):
        children = list(cursor.get_children())
        body = next((c for c in children if c.kind in (K.COMPOUND_STMT, K.CXX_TRY_STMT)), None)
        if body is None or not cursor.is_definition():
            return
        body_start = self.source.range(body)[0]
        if self.source.token_after(body_start)[2] not in ("{", "try", ":"):
            return  # `= default` has an invisible body
        head = self.source.tokens_in(self.source.range(cursor)[0], body_start)
        words = {spelling for _, _, spelling in head}
        if "consteval" in words:
            return
        parent = cursor.semantic_parent
        name = cursor.spelling
        if parent is not None and parent.kind in CLASSES:
            name = f"{parent.spelling}::{name}"
        inner = Context(function=name, in_constexpr="constexpr" in words)
        name_at = self.source.offset(cursor.location)
        for child in children:
            if self.source.range(child)[0] < name_at:  # the type of the result
                self.constant(child)
            elif child.kind.is_expression() or child.kind in (K.COMPOUND_STMT, K.CXX_TRY_STMT):
                self.visit(child, inner)
            elif child.kind == K.PARM_DECL:
                self.constant(child)

    def variable(self, cursor, context):
        start, end = self.source.range(cursor)
        name_at = self.source.offset(cursor.location)
        begin = self.initialiser_start(name_at)
        initialisers = []
        for child in cursor.get_children():
            if begin is not None and self.source.range(child)[0] >= begin:
                initialisers.append(child)
            else:
                self.constant(child)  # array bounds and template arguments
        if begin is None:
            return
        parent = cursor.semantic_parent
        if parent is not None and parent.kind in CLASSES:
            self.skipped["class constant"] += 1
            return
        at_namespace = not context.function
        is_const = "const" in {spelling for _, _, spelling in self.source.tokens_in(start, name_at)}
        is_list = any(c.kind == K.INIT_LIST_EXPR for c in initialisers)
        is_static = cursor.storage_class == ci.StorageClass.STATIC
        edits = self.edits_against_constexpr(start, name_at, at_namespace)
        in_table = at_namespace or is_static or ((is_const or bool(edits)) and is_list)
        inner = dataclasses.replace(
            context,
            function=context.function or cursor.spelling,
            in_table=in_table,
            target=cursor.type if in_table else None,
        )
        self.variables.append(Variable(cursor.spelling, start, end, edits))
        for child in initialisers:
            self.visit(child, inner)

    def initialiser_start(self, name_at):
        """Behind the name and its array bounds: where `=`, `{` or `(` stands; None without."""
        token = self.source.token_after(name_at)
        offset = name_at if token[2] == "[" else token[1]
        while True:
            start, _, spelling = self.source.token_after(offset)
            if spelling in ("=", "{", "("):
                return start
            if spelling != "[":
                return None
            offset = self.source.bracket_after(start)[1] + 1

    def edits_against_constexpr(self, start, name_at, at_namespace):
        """Edits that make a constexpr variable an ordinary constant."""
        tokens = self.source.tokens_in(start, name_at)
        words = {spelling for _, _, spelling in tokens}
        edits = []
        for token_start, token_end, spelling in tokens:
            if spelling == "constinit":
                edits.append((token_start, token_end, ""))
            elif spelling == "constexpr":
                instead = "const"
                if "const" in words:
                    keeps_linkage = at_namespace and not words & {"static", "inline", "extern"}
                    instead = "static" if keeps_linkage else ""
                edits.append((token_start, token_end, instead))
        return edits

    def static_assert(self, cursor, context):
        start, end = self.source.range(cursor)
        self.edits.append((start, end, "static_assert(true)"))

    # Statements

    def block(self, cursor, context):
        for child in cursor.get_children():
            self.statement(child, context)

    def case(self, cursor, context):
        children = list(cursor.get_children())
        for label in children[:-1]:
            self.constant(label)
        self.statement(children[-1], context)

    def statement(self, cursor, context):
        """A node where a statement stands: an expression here may be dropped."""
        if cursor.kind.is_expression():
            start, end = self.source.range(cursor)
            semicolon = self.source.token_after(end)
            top = places.unwrap(cursor)
            if top.kind == K.CALL_EXPR and top.spelling in CALLS_NOT_DROPPED:
                return
            if semicolon[2] == ";" and self.may_be_dropped(top):
                self.add((start, semicolon[1]), "drop", "drop", ";", context)
        self.visit(cursor, context)

    def may_be_dropped(self, top):
        if top.kind in (K.CSTYLE_CAST_EXPR, K.CXX_STATIC_CAST_EXPR):
            operand = places.unwrap(list(top.get_children())[-1])
            return operand.kind == K.CALL_EXPR  # static_cast<void>(f()) has an effect
        if top.kind == K.UNARY_OPERATOR:
            text = self.source.text[slice(*self.source.range(top))]
            return text.startswith(("++", "--")) or text.endswith(("++", "--"))
        if top.kind == K.BINARY_OPERATOR:
            operator = places.operator_of(self.source, top)
            return operator is not None and operator[0] == "="
        return top.kind in (K.CALL_EXPR, K.COMPOUND_ASSIGNMENT_OPERATOR, K.CXX_DELETE_EXPR) or (
            top.kind == K.UNEXPOSED_EXPR and top.type.get_canonical().kind != ci.TypeKind.INVALID
        )

    def conditional_statement(self, cursor, context):
        """if and while: the condition stands in the first parentheses."""
        start, end = self.source.range(cursor)
        if self.source.macro_around(start, end) in ("whole", "cut"):
            self.visit_children(cursor, context)
            return
        inside = self.source.bracket_after(start)
        if inside is None:
            return
        is_constexpr = self.source.token_after(self.source.token_after(start)[1])[2] == "constexpr"
        head = []
        for child in cursor.get_children():
            if self.source.range(child)[0] >= inside[1]:
                self.statement(child, context)
            elif is_constexpr:
                self.constant(child)
            else:
                head.append(child)
        declared = [c for c in head if c.kind == K.VAR_DECL]
        if declared:
            self.visit(declared[0], context)
            if cursor.kind == K.IF_STMT and head[0].kind == K.VAR_DECL:
                self.negate_declared(declared[0], context)
            return
        for child in head:
            self.visit(child, context)
        if head and head[-1].kind.is_expression():
            self.negate(head[-1], context)

    def negate_declared(self, variable, context):
        end = self.source.range(variable)[1]
        name = variable.spelling
        self.add((end, end), "declared", "negate", f"; !{name}", context, name=name)

    def negate(self, cursor, context):
        if places.is_covered_by_its_operator(self.source, cursor):
            return
        start, end = self.source.range(cursor)
        text = self.source.text[start:end]
        self.add((start, end), "negate", "negate", f"!({text})", context)

    def do_statement(self, cursor, context):
        children = list(cursor.get_children())
        self.statement(children[0], context)
        self.visit(children[-1], context)
        self.negate(children[-1], context)

    def for_statement(self, cursor, context):
        inside = self.source.bracket_after(self.source.range(cursor)[0])
        semicolons = []
        depth = 0
        for start, _, spelling in self.source.tokens_in(*inside):
            depth += (spelling in "([{") - (spelling in ")]}")
            if spelling == ";" and depth == 0:
                semicolons.append(start)
        for child in cursor.get_children():
            start = self.source.range(child)[0]
            if start >= inside[1]:
                self.statement(child, context)
                continue
            self.visit(child, context)
            if len(semicolons) == 2 and semicolons[0] < start < semicolons[1]:
                self.negate(child, context)

    def range_for(self, cursor, context):
        inside = self.source.bracket_after(self.source.range(cursor)[0])
        for child in cursor.get_children():
            if self.source.range(child)[0] >= inside[1]:
                self.statement(child, context)
            elif child.kind.is_expression():
                self.visit(child, context)

    def returned(self, cursor, context):
        value = next(cursor.get_children(), None)
        if value is None:
            return
        self.visit(value, context)
        if value.type.get_canonical().kind == ci.TypeKind.BOOL:
            self.negate(value, context)
        self.enumerator(places.unwrap(value), dataclasses.replace(context, in_table=True))

    # Expressions

    def chosen(self, cursor, context):
        """a ? b : c"""
        self.visit_children(cursor, context)
        if self.source.macro_around(*self.source.range(cursor)) not in ("whole", "cut"):
            self.negate(next(cursor.get_children()), context)

    def operation(self, cursor, context):
        """Binary operators, overloaded or not, and calls."""
        operator = places.operator_of(self.source, cursor)
        inner = dataclasses.replace(context, target=None)
        if operator is None:
            self.swap_min_max(cursor, context)
            self.visit_children(cursor, inner)
            return
        spelling, start, end, left, right = operator
        whole = self.source.range(left)[0], self.source.range(right)[1]
        before, behind = self.source.text[whole[0] : start], self.source.text[end : whole[1]]
        if spelling in places.LOGIC:
            mutated = before + places.LOGIC[spelling] + behind
            self.add(whole, "logic", "logic", mutated, context, operator=(start, end))
        if spelling in places.COMPARISONS:
            mutated = before + places.COMPARISONS[spelling] + behind
            self.add(whole, "negate", "compare", mutated, context)
        if spelling in places.BOUNDARIES:
            replace = (start, end, places.BOUNDARIES[spelling])
            self.add(whole, "swap", "compare", "", context, replace=replace)
        self.alter_arithmetic(cursor, operator, whole, context)
        self.visit(left, inner)
        self.visit(right, inner)

    def alter_arithmetic(self, cursor, operator, whole, context):
        spelling, start, end, left, right = operator
        other = places.ARITHMETIC.get(spelling) or places.ARITHMETIC_ASSIGNMENTS.get(spelling)
        if other is None:
            return
        if places.is_number(left) and places.is_number(right):
            self.add(whole, "swap", "arithmetic", "", context, replace=(start, end, other))
        elif spelling in places.ARITHMETIC and places.is_own_record(left, cursor, self.root):
            # The other operator may not exist for a class of our own; its left operand does.
            left_end = self.source.range(left)[1]
            self.add(whole, "swap", "arithmetic", "", context, replace=(left_end, whole[1], ""))

    def swap_min_max(self, cursor, context):
        other = {"min": "max", "max": "min"}.get(cursor.spelling)
        children = list(cursor.get_children())
        if other is None or len(children) < 2:
            return
        start, end = self.source.range(children[0])
        for token_start, token_end, spelling in self.source.tokens_in(start, end):
            if spelling == cursor.spelling:
                self.add(self.source.range(cursor), "swap", "min-max", "", context,
                         replace=(token_start, token_end, other))
                return

    def unary(self, cursor, context):
        start, end = self.source.range(cursor)
        if places.is_plain_negation(self.source, cursor):
            bare = self.source.text[self.source.token_after(start)[1] : end]
            self.add((start, end), "negate", "negate", bare, context)
        tokens = self.source.tokens_in(start, end)
        for token_start, token_end, spelling in tokens[:1] + tokens[-1:]:
            if spelling in ("++", "--") and places.is_number(cursor):
                other = "--" if spelling == "++" else "++"
                self.add((start, end), "swap", "arithmetic", "", context,
                         replace=(token_start, token_end, other))
                break
        self.visit_children(cursor, context)

    def literal(self, cursor, context):
        start, end = self.source.range(cursor)
        text = self.source.text[start:end]
        kind = SIMPLE_KINDS[cursor.kind]
        for mutated in self.altered_literal(cursor.kind, text, context):
            self.add((start, end), "swap", kind, mutated, context)

    def altered_literal(self, kind, text, context):
        if kind == K.INTEGER_LITERAL:
            return places.altered_integers(text)
        if kind == K.FLOATING_LITERAL:
            return [f"{text} + 1"]
        if kind == K.CXX_BOOL_LITERAL_EXPR:
            return ["false" if text == "true" else "true"]
        if not context.in_table:
            return []
        holds_pointer = context.target is not None and places.is_text_pointer(context.target)
        if kind == K.CXX_NULL_PTR_LITERAL_EXPR:
            return ['"mutant"'] if holds_pointer else []
        words = places.altered_words(text)
        if words is None:
            self.skipped["prose in a table"] += 1
            return []
        return words[:1] + ["nullptr"] if holds_pointer else words

    def name(self, cursor, context):
        self.enumerator(cursor, context)
        for child in cursor.get_children():
            self.constant(child)  # template arguments

    def enumerator(self, cursor, context):
        if cursor.kind != K.DECL_REF_EXPR or not context.in_table:
            return
        constant = cursor.referenced
        if constant is None or constant.kind != K.ENUM_CONSTANT_DECL:
            return
        other = places.next_enumerator(constant)
        start, end = self.source.range(cursor)
        tokens = self.source.tokens_in(start, end)
        if other is not None and tokens and tokens[-1][2] == constant.spelling:
            replace = (tokens[-1][0], end, other)
            self.add((start, end), "swap", "enum", "", context, replace=replace)

    def member(self, cursor, context):
        name_at = self.source.offset(cursor.location)
        # A conversion such as operator bool is called without its name being written.
        is_written = self.source.token_after(name_at)[2] == cursor.spelling
        for child in cursor.get_children():
            if is_written and self.source.range(child)[0] > name_at:
                self.constant(child)  # template arguments
            else:
                self.visit(child, context)

    def braces(self, cursor, context):
        types = places.element_types(cursor) if context.in_table else []
        for index, child in enumerate(cursor.get_children()):
            target = types[index] if index < len(types) else None
            if self.source.token_after(self.source.range(child)[0])[2] == ".":
                parts = list(child.get_children())  # .field = value
                fields = [part.type for part in parts if part.kind == K.MEMBER_REF]
                target = fields[-1] if fields and context.in_table else None
                child = parts[-1]
            self.visit(child, dataclasses.replace(context, target=target))

    def lambda_body(self, cursor, context):
        inner = dataclasses.replace(context, in_table=False, target=None)
        for child in cursor.get_children():
            if child.kind == K.PARM_DECL:
                self.constant(child)
            else:
                self.visit(child, inner)  # the body, and what captures are made from


HANDLERS = {
    K.VAR_DECL: Finder.variable,
    K.STATIC_ASSERT: Finder.static_assert,
    K.COMPOUND_STMT: Finder.block,
    K.CASE_STMT: Finder.case,
    K.DEFAULT_STMT: Finder.case,
    K.IF_STMT: Finder.conditional_statement,
    K.WHILE_STMT: Finder.conditional_statement,
    K.DO_STMT: Finder.do_statement,
    K.FOR_STMT: Finder.for_statement,
    K.CXX_FOR_RANGE_STMT: Finder.range_for,
    K.RETURN_STMT: Finder.returned,
    K.CONDITIONAL_OPERATOR: Finder.chosen,
    K.BINARY_OPERATOR: Finder.operation,
    K.COMPOUND_ASSIGNMENT_OPERATOR: Finder.operation,
    K.CALL_EXPR: Finder.operation,
    K.UNARY_OPERATOR: Finder.unary,
    K.DECL_REF_EXPR: Finder.name,
    K.MEMBER_REF_EXPR: Finder.member,
    K.INIT_LIST_EXPR: Finder.braces,
    K.LAMBDA_EXPR: Finder.lambda_body,
    **{kind: Finder.literal for kind in SIMPLE_KINDS},
}


def find(root, path, key, flags):
    """Everything that can be altered in root/path, as a SourceFile without numbers."""
    source = Source(f"{root}/{path}", flags)
    finder = Finder(source, str(root))
    for cursor in source.unit.cursor.get_children():
        if source.owns(cursor):
            finder.visit(cursor, Context())
    sites = finder.finish()
    for site in sites:
        for mutant in site.mutants:
            mutant.file = path
    return SourceFile(path, key, source.text, sites, finder.variables, finder.edits,
                      dict(finder.skipped), source.problems)
