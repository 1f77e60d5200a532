"""The instrumented tree: a copy of the repository with the altered sources, built once.

A mutant that does not compile is dropped: the compiler names a place, the place belongs to a
rewritten piece, its mutants go, and the build is tried again.
"""

import collections
import dataclasses
import json
import pathlib
import re
import shutil
import subprocess

from mutate.rewrite import rewrite

FLAGS = (
    "-w -Wno-narrowing -fdiagnostics-color=never -fno-diagnostics-show-caret"
    " -fdiagnostics-column-unit=byte"
)
MESSAGE = re.compile(r"^(/[^:\n]+):(\d+):(\d+): +(fatal error|error|note|required from)")
ROUNDS = 25
NOT_COPIED = {".git", "build", ".cache", "__pycache__", "node_modules"}


class BuildError(Exception):
    pass


@dataclasses.dataclass
class CompilerError:
    text: str
    places: list  # (path, offset in the new text), in altered files only
    notes: list = dataclasses.field(default_factory=list)  # the same, of its notes


class Tree:
    def __init__(self, root, work, files, say):
        self.root = pathlib.Path(root)
        self.work = pathlib.Path(work)
        self.copy = self.work / "tree"
        self.build_dir = self.work / "build"
        self.files = {file.path: file for file in files}
        self.say = say
        self.dropped = set()  # numbers of mutants that do not compile
        self.rewritten = {}
        self._remembered = self.work / "dropped.json"

    def program(self, name):
        """The path of a test program that was built."""
        for path in sorted(self.build_dir.rglob(name)):
            if path.is_file() and path.stat().st_mode & 0o111:
                return path
        raise BuildError(f"no program {name} was built")

    def prepare(self, programs):
        """Copies, rewrites, builds; on return every live mutant is in the programs."""
        self._recall()
        self._copy_sources()
        self._write_altered(self.files)
        self._configure()
        for _ in range(ROUNDS):
            output = self._build(programs)
            if output is None:
                self._remember()
                return
            touched = self._drop_by(output)
            if not touched:
                raise BuildError(f"the instrumented tree does not build:\n{output[-6000:]}")
            self._write_altered(touched)
        raise BuildError(f"still not building after {ROUNDS} rounds:\n{output[-6000:]}")

    # The copy

    def _sources(self):
        """Paths of everything a build or a test may read, relative to the root."""
        command = ["git", "-C", str(self.root), "ls-files", "-coz", "--exclude-standard"]
        listed = subprocess.run(command, capture_output=True, text=True)
        if listed.returncode == 0:
            paths = [pathlib.Path(name) for name in listed.stdout.split("\0") if name]
        else:
            paths = [path.relative_to(self.root) for path in self.root.rglob("*")]
        for path in paths:
            if not NOT_COPIED & set(path.parts) and (self.root / path).is_file():
                yield path

    def _copy_sources(self):
        kept = set()
        for path in self._sources():
            kept.add(path)
            if path.as_posix() not in self.files:
                target = self.copy / path
                if write_if_different(target, (self.root / path).read_bytes()):
                    shutil.copymode(self.root / path, target)
        for path in self.copy.rglob("*"):
            if path.is_file() and path.relative_to(self.copy) not in kept:
                path.unlink()
        header = pathlib.Path(__file__).with_name("mutant.h.in")
        write_if_different(self.work / "include" / "mutant.h", header.read_bytes())

    def _write_altered(self, paths):
        for path in paths:
            file = self.files[path]
            live = {m.number for m in file.mutants()} - self.dropped
            rewritten = rewrite(file, live)
            self.dropped |= {mutant.number for mutant in rewritten.left_out}
            self.rewritten[path] = rewritten
            write_if_different(self.copy / path, rewritten.text.encode("latin-1"))

    # The build

    def _configure(self):
        if (self.build_dir / "build.ninja").exists():
            return
        command = [
            "cmake", "-S", str(self.copy), "-B", str(self.build_dir), "-G", "Ninja",
            "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CXX_FLAGS_RELEASE=-O1", "-DBATON_WERROR=OFF",
            "-DBATON_UNITY=ON",
            f"-DCMAKE_CXX_FLAGS={FLAGS} -I{self.work / 'include'}",
        ]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise BuildError(f"cmake failed:\n{done.stdout[-3000:]}{done.stderr[-3000:]}")

    def _build(self, programs):
        """None when it worked, else what the compiler said."""
        command = ["cmake", "--build", str(self.build_dir), "--target", *programs, "--", "-k", "0"]
        done = subprocess.run(command, capture_output=True, text=True)
        return None if done.returncode == 0 else done.stdout + done.stderr

    def _drop_by(self, output):
        """Drops the mutants that the compiler's errors point at; the paths of their files."""
        before = set(self.dropped)
        errors = self._errors(output)
        for error in errors:
            self.dropped |= self._culprits(error)
        if self.dropped == before:  # last resort: whole files
            for path in {path for error in errors for path, _ in error.places + error.notes}:
                self.dropped |= {m.number for m in self.files[path].mutants()}
        new = self.dropped - before
        if new:
            self.say(f"mutants that do not compile and are dropped: {len(new)}")
        return {p for p, f in self.files.items() if any(m.number in new for m in f.mutants())}

    def _culprits(self, error):
        tries = [(self._mutants_at, error.places + error.notes),
                 (self._variable_at, error.places + error.notes),
                 (self._line_at, error.places)]
        if "constant" in error.text:  # the notes name the variable that must stay constant
            tries.insert(0, (self._variable_at, error.notes))
            tries.insert(1, (self._named_at, error.places))
        for find, places in tries:
            for place in places:
                found = find(*place)
                if found:
                    return found
        return set()

    def _errors(self, output):
        """The compiler's errors. Lines "required from" come before their error, notes after."""
        prefix = f"{self.copy}/"
        errors, required = [], []
        for line in output.splitlines():
            match = MESSAGE.match(line)
            if not match:
                continue
            name, row, column, what = match.groups()
            path = name[len(prefix) :] if name.startswith(prefix) else None
            place = []
            if path in self.files:
                place = [(path, self.rewritten[path].offset(int(row), int(column)))]
            if what in ("error", "fatal error"):
                errors.append(CompilerError(line, place + required))
                required = []
            elif what == "note" and errors:
                errors[-1].notes += place
            else:
                required = place + required
        return errors

    def _mutants_at(self, path, offset):
        return {m.number for m in self.rewritten[path].mutants_at(offset)} - self.dropped

    def _variable_at(self, path, offset):
        """All mutants in the initialiser of the variable that stands there: something needs it
        as a constant."""
        at = self.rewritten[path].original_offset(offset)
        for variable in self.files[path].variables:
            if variable.start <= at < variable.end:
                return self._mutants_in(path, variable)
        return set()

    def _named_at(self, path, offset):
        """All mutants in the initialisers of the variables that the line names."""
        file = self.files[path]
        at = self.rewritten[path].original_offset(offset)
        line = file.text[file.text.rfind("\n", 0, at) + 1 :].partition("\n")[0]
        words = set(re.findall(r"\w+", line))
        named = [self._mutants_in(path, v) for v in file.variables
                 if v.name in words and not v.start <= at < v.end]
        return set().union(*named)

    def _mutants_in(self, path, variable):
        return {
            mutant.number
            for site in self.files[path].sites
            if variable.start <= site.start and site.end <= variable.end
            for mutant in site.mutants
        } - self.dropped

    def _line_at(self, path, offset):
        file = self.files[path]
        line = file.text.count("\n", 0, self.rewritten[path].original_offset(offset)) + 1
        return {m.number for m in file.mutants() if m.line == line} - self.dropped

    # What did not compile last time will not this time either, unless the file changed.

    def _recall(self):
        try:
            remembered = json.loads(self._remembered.read_text())
        except (OSError, ValueError):
            return
        for path, file in self.files.items():
            entry = remembered.get(path, {})
            if entry.get("key") == file.key:
                mutants = file.mutants()
                self.dropped |= {mutants[i].number for i in entry["dropped"] if i < len(mutants)}

    def _remember(self):
        remembered = collections.defaultdict(dict)
        for path, file in self.files.items():
            dropped = [i for i, m in enumerate(file.mutants()) if m.number in self.dropped]
            remembered[path] = {"key": file.key, "dropped": dropped}
        self._remembered.write_text(json.dumps(remembered))


def write_if_different(path, content):
    """True when the file was written; an equal file keeps its time, so that nothing is rebuilt."""
    if path.exists() and path.read_bytes() == content:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return True
