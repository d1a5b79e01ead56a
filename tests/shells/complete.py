"""What a person sees who presses the tabulator, in a real shell: complete.py SHELL RHC

A zsh or fish that is not where it was built for is told where its functions and (zsh) modules are: complete.py zsh RHC
FUNCTIONS MODULES, complete.py fish RHC FUNCTIONS.
"""
import os
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time

# What is typed before the tabulator, and what then stands there; '|' is where the next letter goes.
CASES = [
    ("rhc expl", "rhc explore |"),
    ("rhc sweep stat", "rhc sweep status |"),
    ("rhc explore pendul", "rhc explore pendulum|"),
    ("rhc explore pendulum --meth", "--method |"),
    ("rhc explore pendulum --method sac-p", "sac-pe |"),
    ("rhc explore pendulum observation_n", "observation_noise=|"),
    ("rhc explore pendulum observation_noise=0 device=cu", "device=cuda |"),
    ("rhc export runs --format=np", "--format=npz |"),
    ("rhc report some-fo", "some-folder/|"),
    ("rhc tell some-folder meas", "measured.csv |"),
    ("rhc solve some-folder --out=meas", "--out=measured.csv |"),
]
SECONDS = 120


def plain(text: str) -> str:
    """What stands in the terminal: letters are written over by what comes after a backspace or a carriage return."""
    text = re.sub(r"\x1b(\[[0-9;?<>=]*[A-Za-z]|[=>]|\][^\x07]*\x07)", "", text)
    lines = []
    for line in text.split("\n"):
        cells, at = [], 0
        for letter in line:
            if letter == "\b":
                at = max(0, at - 1)
            elif letter == "\r":
                at = 0
            elif letter >= " ":
                cells[at : at + 1] = [letter]
                at += 1
        lines.append("".join(cells))
    return "\n".join(lines)


class Shell:
    """One that runs in a terminal."""

    def __init__(self, command: list[str], folder: str, environment: dict):
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.execvpe(command[0], command, environment)
        self.heard = ""

    def send(self, text: str) -> None:
        os.write(self.terminal, text.encode())

    def wait_for(self, wanted: str) -> bool:
        deadline = time.monotonic() + SECONDS
        while wanted not in plain(self.heard):
            if not select.select([self.terminal], [], [], max(0, deadline - time.monotonic()))[0]:
                return False
            try:
                self.heard += os.read(self.terminal, 4096).decode(errors="replace")
            except OSError:
                return False
        return True

    def end(self) -> None:
        os.close(self.terminal)
        os.waitpid(self.pid, 0)


def interactive(command: list[str], setup: list[str], folder: str, environment: dict) -> int:
    shell = Shell(command, folder, environment)
    for line in setup:
        shell.send(line + "\n")
    shell.send("echo rea''dy\n")
    failures = 0
    if not shell.wait_for("ready"):
        print(f"the shell did not begin: {shell.heard!r}")
        failures = 1
    for typed, wanted in CASES if failures == 0 else []:
        shell.heard = ""
        shell.send(typed + "\t")
        before, after = wanted.split("|")
        # The next letter shows whether a blank stands before it.
        shell.send("Z")
        if not shell.wait_for(before + "Z" + after):
            print(f"{typed!r}: {wanted!r} is not in {plain(shell.heard)!r}")
            failures += 1
        shell.send("\x15")  # forget the line
    shell.end()
    return failures


def fish(program: str, places: list[str], folder: str, environment: dict) -> int:
    """It can be asked without a terminal."""
    failures = 0
    setup = f"set fish_function_path {places[0]}; " if places else ""
    for typed, wanted in CASES:
        script = f"{setup}{program} completion fish | source; complete -C {typed!r}"
        found = subprocess.run(["fish", "--no-config", "-c", script], cwd=folder, env=environment, capture_output=True, text=True)
        words = [line.split("\t")[0] for line in found.stdout.splitlines()]
        word = wanted.removesuffix("|").strip().split(" ")[-1]
        if word not in words:
            print(f"{typed!r}: {word!r} is not in {words}; {found.stderr}")
            failures += 1
    return failures


def main() -> int:
    shell, program = sys.argv[1:3]
    folder = tempfile.mkdtemp()
    os.makedirs(folder + "/some-folder")
    open(folder + "/measured.csv", "w").close()
    environment = {**os.environ, "PATH": os.path.dirname(program) + ":" + os.environ["PATH"], "HOME": folder, "TERM": "dumb", "LANG": "C.UTF-8"}
    try:
        if shell == "fish":
            return fish(program, sys.argv[3:], folder, environment)
        if shell == "bash":
            setup = ["PS1=", 'eval "$(rhc completion bash)"']
            return interactive(["bash", "--norc", "--noprofile", "-i"], setup, folder, environment)
        places = sys.argv[3:]  # of a zsh that is not where it was built for
        setup = ["PS1="] + ([f"fpath=({places[0]}/*(/N) {places[0]}/*/*(/N)); module_path=({places[1]})"] if places else [])
        load = "autoload -Uz compinit; compinit -D -u"
        # Read by a person, and found by zsh where it was installed.
        os.makedirs(folder + "/functions")
        with open(folder + "/functions/_rhc", "w") as file:
            subprocess.run([program, "completion", "zsh"], stdout=file, check=True)
        zsh = ["zsh", "-f", "-i"]
        failures = interactive(zsh, setup + [load, 'eval "$(rhc completion zsh)"'], folder, environment)
        return failures + interactive(zsh, setup + [f"fpath=({folder}/functions $fpath)", load], folder, environment)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    sys.exit(main())
