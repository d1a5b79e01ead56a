"""Files are compiled in batches: a name in an unnamed namespace must be the only one of its target, and must not be one
that a header declares, or it hides that from all files after it."""
import re
import sys
from collections import defaultdict
from pathlib import Path

SOURCE = Path(sys.argv[1])
FUNCTION = re.compile(r"^(?:template <[^>]*>\s*)?(?:constexpr |inline |static )*[\w:<>,&*\[\] ]+?[ &*](\w+)\(", re.M)
OTHER = re.compile(r"^(?:struct|class|enum class) (\w+)|^(?:constexpr|const|using) .*?\b(\w+)(?:\[\])? ?(?:=|\{)", re.M)


def defined(text):
    """Names at the beginning of a line, as clang-format leaves what stands in a namespace."""
    lines = "\n".join(line for line in text.splitlines() if line[:1] not in (" ", "}", "/", "#"))
    names = {m.group(1) for m in FUNCTION.finditer(lines)}
    return names | {next(g for g in m.groups() if g) for m in OTHER.finditer(lines)}


def unnamed(text):
    return "\n".join(re.findall(r"^namespace \{\n(.*?)^\}  // namespace\n", text, re.M | re.S))


def check(folder, headers_of):
    declared = set()
    for header in headers_of:
        declared |= defined(header.read_text()) - {"operator"}
    owners = defaultdict(list)
    for file in sorted((SOURCE / folder).rglob("*.cc")):
        for name in defined(unnamed(file.read_text())):
            owners[name].append(file.relative_to(SOURCE))
    for name, files in sorted(owners.items()):
        if len(files) > 1:
            yield f"{name} is defined in {', '.join(map(str, files))}"
        if name in declared:
            yield f"{name} of {files[0]} hides what a header declares"


found = list(check("rhc", (SOURCE / "rhc").rglob("*.h")))
found += check("apps/rhc", [*(SOURCE / "rhc").rglob("*.h"), *(SOURCE / "apps/rhc").rglob("*.h")])
for line in found:
    print(line)
sys.exit(1 if found else 0)
