"""What the checkers of sources share: their command line, and how their self-tests try a tree of files."""
import sys
import tempfile
from pathlib import Path


def violations(check, files):
    """What `check` reports of a tree with these files, name to text."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
        return check(root)


def failures(check, good, bad):
    """Where `check` reports anything of `good`, or other than one violation of each file of `bad` beside
    it, on its first line that is not empty."""
    failed = [f"reported though it is right: {line}" for line in violations(check, good)]
    for name, text in bad.items():
        reported = violations(check, {**good, name: text})
        line = 2 if text.startswith("\n") and text.strip() else 1
        if len(reported) != 1 or not reported[0].startswith(f"{name}:{line}: "):
            failed.append(f"{name}: expected one violation on line {line}, got {reported}")
    return failed


def main(usage, check, self_test):
    """[ROOT] or --self-test; prints what is found. The exit status: 1 where something is, 2 for other
    arguments."""
    arguments = sys.argv[1:]
    if arguments == ["--self-test"]:
        found = self_test()
    elif len(arguments) <= 1 and not "".join(arguments).startswith("-"):
        found = check(Path(arguments[0]) if arguments else Path(__file__).resolve().parent.parent)
    else:
        print(usage, file=sys.stderr)
        return 2
    for line in found:
        print(line)
    return 1 if found else 0
