#!/usr/bin/env python3
"""Checks that every message of docs/faq.md is one that gofh prints.

    scripts/check_faq.py

A heading in backquotes is a message; between its "..." each part must be in the text of a C or Python
source, strings joined as the compiler does and formats taken as "...".
"""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FORMAT = {".c": re.compile(r"%[-+0#]*[\d*]*(?:\.[\d*]+)?(?:hh|h|ll|l|z)?[a-zA-Z]"), ".py": re.compile(r"\{[^{}\n]*\}")}


def squeeze(text, kind):
    return re.sub(r"\s+", " ", FORMAT.get(kind, FORMAT[".c"]).sub("...", text))


def sources():
    for pattern in ("src/**/*.[ch]", "cli/*.c", "include/*.h", "python/gofh/*.py"):
        for path in ROOT.glob(pattern):
            text = path.read_text(encoding="utf-8")
            joined = re.sub(r'(?<!\\)"\s*"', "", text)  # adjacent strings
            yield squeeze(joined.replace('\\"', '"').replace("\\n", " "), path.suffix)


def main():
    texts = list(sources())
    messages = re.findall(r"^### `(.*)`$", (ROOT / "docs" / "faq.md").read_text(encoding="utf-8"), re.MULTILINE)
    wrong = 0
    for message in messages:
        parts = [part.strip(' ":') for part in message.split("...")]
        parts = [part for part in parts if len(part) > 3]
        if not parts or not all(any(part in text for text in texts) for part in parts):
            print(f"docs/faq.md: no source prints: {message}")
            wrong += 1
    print(f"{len(messages)} messages of docs/faq.md, {wrong} that nothing prints")
    return 1 if wrong or len(messages) < 20 else 0


if __name__ == "__main__":
    sys.exit(main())
