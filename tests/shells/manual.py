"""Every command has a page of the manual that says what its help says: manual.py RHC."""
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path


def text_of(command: list[str]) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def main() -> int:
    program = sys.argv[1]
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([program, "man-pages", folder + "/man1"], check=True)
        pages = {path.stem: path for path in Path(folder, "man1").iterdir()}
        commands = re.findall(r"^  ([a-z]+) ", text_of([program, "--help"]).split("Subcommands:")[1], re.M)
        wanted = {"rhc"} | {f"rhc-{command}" for command in commands}
        failures += [f"there is no page {name}" for name in wanted - set(pages)]
        for name, path in pages.items():
            words = name.split("-")
            source = path.read_text().replace("\\-", "-")
            options = re.findall(r"^  (?:-.,)?(--[a-z-]+)", text_of([program, *words[1:], "--help"]), re.M)
            failures += [f"{name} does not know {option}" for option in options if option not in source]
            if shutil.which("groff"):
                said = subprocess.run(["groff", "-man", "-ww", "-Tutf8", path], capture_output=True, text=True)
                if said.stderr or said.returncode:
                    failures.append(f"{name}: {said.stderr}")
                shown = re.sub(r".\x08|\x1b\[[0-9;]*m", "", said.stdout)  # without what makes letters bold
                if "NAME" not in shown or "SYNOPSIS" not in shown:
                    failures.append(f"{name}: nothing is shown")
    print("\n".join(failures))
    return len(failures)


if __name__ == "__main__":
    sys.exit(main())
