"""Turns AST nodes into facts: the operator between two operands, types, literals, enumerators."""

import re

import clang.cindex as ci

K = ci.CursorKind
T = ci.TypeKind

COMPARISONS = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
BOUNDARIES = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
LOGIC = {"&&": "||", "||": "&&"}
ARITHMETIC = {"+": "-", "-": "+", "*": "/", "/": "*"}
ARITHMETIC_ASSIGNMENTS = {"+=": "-=", "-=": "+=", "*=": "/=", "/=": "*="}
OPERATORS = {"=", *COMPARISONS, *LOGIC, *ARITHMETIC, *ARITHMETIC_ASSIGNMENTS}

NUMBERS = {
    T.CHAR_U, T.UCHAR, T.USHORT, T.UINT, T.ULONG, T.ULONGLONG, T.CHAR_S, T.SCHAR, T.SHORT,
    T.INT, T.LONG, T.LONGLONG, T.INT128, T.UINT128, T.FLOAT, T.DOUBLE, T.LONGDOUBLE,
}

INTEGER = re.compile(r"(0[xX][0-9a-fA-F']+|0[bB][01']+|[0-9']+)((?:[uUlLzZ]+|_?[a-z]\w*)?)$")
STRING = re.compile(r'"([^"\\]*)"(s|sv|)$')
WORD = re.compile(r"[\w.:/*@-]*$")


def unwrap(cursor):
    """The expression without the casts and parentheses around it."""
    while True:
        children = list(cursor.get_children())
        wrapped = cursor.kind in (K.UNEXPOSED_EXPR, K.PAREN_EXPR) and len(children) == 1
        # C++20: a != b may stand for !(a == b), a < b for (a <=> b) < 0.
        rewritten = cursor.kind == K.CALL_EXPR and children and is_spaceship(children[0])
        if not wrapped and not rewritten:
            return cursor
        cursor = children[0]


def is_spaceship(cursor):
    return cursor.kind == K.CALL_EXPR and cursor.spelling == "operator<=>"


def operator_of(source, cursor):
    """(spelling, start, end, left, right) when the node is two operands around an operator."""
    if cursor.kind not in (K.BINARY_OPERATOR, K.COMPOUND_ASSIGNMENT_OPERATOR, K.CALL_EXPR):
        return None
    children = list(cursor.get_children())
    if len(children) < 2:
        return None
    left, right = children[0], children[-1]
    between = source.tokens_in(source.range(left)[1], source.range(right)[0])
    if len(between) != 1 or between[0][2] not in OPERATORS:
        return None
    start, end, spelling = between[0]
    return spelling, start, end, left, right


def is_plain_negation(source, cursor):
    """`!x`, and not the half of a rewritten `a != b`."""
    if cursor.kind != K.UNARY_OPERATOR:
        return False
    return source.token_after(source.range(cursor)[0])[2] in ("!", "not")


def is_covered_by_its_operator(source, cursor):
    """Whether turning the condition round is already a mutant of its outermost operator."""
    top = unwrap(cursor)
    if top.kind == K.UNARY_OPERATOR and not is_plain_negation(source, top):
        top = unwrap(next(top.get_children(), top))
    if top.kind == K.CXX_BOOL_LITERAL_EXPR or is_plain_negation(source, top):
        return True
    operator = operator_of(source, top)
    return operator is not None and operator[0] in COMPARISONS


def is_number(cursor):
    return cursor.type.get_canonical().kind in NUMBERS


def is_own_record(operand, result, root):
    """Both are of one class, which is declared in the repository and not in a library."""
    declaration = operand.type.get_canonical().get_declaration()
    file = declaration.location.file
    is_own = file is not None and file.name.startswith(root)
    return is_own and declaration == result.type.get_canonical().get_declaration()


def is_text_pointer(kind):
    """const char*"""
    kind = kind.get_canonical()
    return kind.kind == T.POINTER and kind.get_pointee().kind in (T.CHAR_S, T.CHAR_U)


def altered_integers(text):
    """Replacements for an integer literal: n + 1, and 0 for 1."""
    match = INTEGER.match(text)
    if not match:
        return []
    digits, suffix = match.groups()
    digits = digits.replace("'", "")
    octal = len(digits) > 1 and digits[0] == "0" and digits.isdigit()
    value = int(digits, 8 if octal else 0)
    return [f"{value + 1}{suffix}"] + ([f"0{suffix}"] if value == 1 else [])


def altered_words(text):
    """Replacements for a string literal that is one word; None for prose."""
    match = STRING.match(text)
    if not match or not WORD.match(match.group(1)):
        return None
    word, suffix = match.groups()
    if not word:
        return [f'"mutant"{suffix}']
    return [f'"{word}_"{suffix}', f'""{suffix}']


def next_enumerator(constant):
    """The name of the following constant of the same enum with another value, or None."""
    constants = [c for c in constant.semantic_parent.get_children()
                 if c.kind == K.ENUM_CONSTANT_DECL]
    names = [c.spelling for c in constants]
    here = names.index(constant.spelling)
    for other in constants[here + 1 :] + constants[:here]:
        if other.enum_value != constant.enum_value:
            return other.spelling
    return None


def element_types(cursor):
    """The declared type of each element of a braced list, as far as it can be known."""
    kind = cursor.type.get_canonical()
    count = len(list(cursor.get_children()))
    if kind.kind == T.CONSTANTARRAY:
        return [kind.element_type] * count
    if kind.kind == T.RECORD:
        fields = [field.type for field in kind.get_fields()]
        return fields[:count] + [None] * (count - len(fields))
    return [None] * count
