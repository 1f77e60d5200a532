"""One parsed source file: its text, tokens, macros, and where an AST node stands in it."""

import bisect
import ctypes
import glob

import clang.cindex as ci

LIBRARIES = ("/usr/lib/llvm-14/lib/libclang-14.so.1", "/usr/lib/*/libclang-14.so.1")
CLOSING = {"(": ")", "[": "]", "{": "}"}


def load_library():
    """Points the bindings at libclang 14; its functions are typed here where they miss one."""
    if not ci.Config.loaded:
        for pattern in LIBRARIES:
            for path in sorted(glob.glob(pattern)):
                ci.Config.set_library_file(path)
                break
    file_location = ci.conf.lib.clang_getFileLocation
    file_location.argtypes = [ci.SourceLocation, ctypes.POINTER(ci.c_object_p)] + [
        ctypes.POINTER(ctypes.c_uint)
    ] * 3
    file_location.restype = None
    return file_location


class Source:
    def __init__(self, path, flags):
        self._file_location = load_library()
        options = ci.TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD
        self.unit = ci.Index.create().parse(path, args=flags, options=options)
        with open(path, "rb") as file:
            self.text = file.read().decode("latin-1")
        self.path = path
        self.problems = [str(d) for d in self.unit.diagnostics if d.severity >= d.Error]
        self.tokens = self._read_tokens()
        self._starts = [start for start, _, _ in self.tokens]
        self._lines = [0] + [i + 1 for i, c in enumerate(self.text) if c == "\n"]
        self.macros = self._read_macros()

    def _read_tokens(self):
        """(start, end, spelling) of every token but comments."""
        file = self.unit.get_file(self.path)
        whole = ci.SourceRange.from_locations(
            ci.SourceLocation.from_offset(self.unit, file, 0),
            ci.SourceLocation.from_offset(self.unit, file, len(self.text)),
        )
        tokens = []
        for token in self.unit.get_tokens(extent=whole):
            if token.kind != ci.TokenKind.COMMENT:
                extent = token.extent
                tokens.append((extent.start.offset, extent.end.offset, token.spelling))
        return tokens

    def _read_macros(self):
        macros = []
        for cursor in self.unit.cursor.get_children():
            if cursor.kind == ci.CursorKind.MACRO_INSTANTIATION and self.owns(cursor):
                extent = cursor.extent
                macros.append((extent.start.offset, extent.end.offset, cursor.spelling))
        return macros

    def owns(self, cursor):
        file = cursor.location.file
        return file is not None and file.name == self.path

    def offset(self, location):
        """As written in the file, also for the arguments of a macro."""
        result = ctypes.c_uint()
        unused = ctypes.c_uint()
        file = ci.c_object_p()
        self._file_location(location, file, unused, unused, result)
        return result.value

    def range(self, cursor):
        extent = cursor.extent
        return self.offset(extent.start), self.offset(extent.end)

    def line(self, offset):
        return bisect.bisect_right(self._lines, offset)

    def lines_around(self, start, end):
        """The lines from start to end, without the space at their ends. A comment behind the code
        stays: in tables it tells equal rows apart."""
        first = self._lines[self.line(start) - 1]
        last = self.text.find("\n", end)
        last = len(self.text) if last < 0 else last
        line = self.text[first:last]
        return first + len(line) - len(line.lstrip()), first + len(line.rstrip())

    def tokens_in(self, start, end):
        """Tokens that stand wholly inside [start, end)."""
        first = bisect.bisect_left(self._starts, start)
        found = []
        for token in self.tokens[first:]:
            if token[1] > end:
                break
            found.append(token)
        return found

    def token_after(self, offset):
        index = bisect.bisect_left(self._starts, offset)
        return self.tokens[index] if index < len(self.tokens) else (offset, offset, "")

    def bracket_after(self, offset):
        """(inside start, inside end) of the first bracket pair at or after offset, or None."""
        index = bisect.bisect_left(self._starts, offset)
        while index < len(self.tokens) and self.tokens[index][2] not in CLOSING:
            index += 1
        if index == len(self.tokens):
            return None
        inside = self.tokens[index][1]
        depth = 0
        for start, _, spelling in self.tokens[index:]:
            if spelling in CLOSING:
                depth += 1
            elif spelling in CLOSING.values():
                depth -= 1
                if depth == 0:
                    return inside, start
        return None

    def has_comma(self, start, end):
        """Whether a comma stands in [start, end) outside of brackets."""
        depth = 0
        for _, _, spelling in self.tokens_in(start, end):
            depth += (spelling in CLOSING) - (spelling in CLOSING.values())
            if spelling == "," and depth == 0:
                return True
        return False

    def macro_around(self, start, end):
        """How macros touch [start, end): "" is fine, "whole" is exactly one macro use, "cut" is
        partly inside one, and the name when it stands among the arguments of one."""
        around = ""
        for macro_start, macro_end, name in self.macros:
            if macro_end <= start or end <= macro_start:
                continue
            if (start, end) == (macro_start, macro_end):
                return "whole"
            if start <= macro_start and macro_end <= end:
                continue
            if macro_start < start and end < macro_end:
                around = name
            else:
                return "cut"
        return around
