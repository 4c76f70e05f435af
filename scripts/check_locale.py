#!/usr/bin/env python3
"""Checks that nothing depends on the locale which the program has set that uses gofh.

    scripts/check_locale.py [ROOT]         check the tree at ROOT (default: the repository)
    scripts/check_locale.py --self-test    check the checker

With a decimal comma, strtod reads 0.5 as 0 and printf writes 0,5. Only src/base/number.h reads and
writes numbers, and src/base/letters.h knows letters from capitals.
"""
import re
import sys

import checking

HOME = "src/base/number.c"  # the only file that may call what depends on the locale
READ = "strtod strtof strtold atof scanf fscanf sscanf vscanf vfscanf vsscanf wcstod wcstof wcstold"
LISTS = "vprintf vfprintf vsprintf vsnprintf vdprintf vasprintf"
LETTERS = (
    "isalnum isalpha isblank iscntrl isdigit isgraph islower isprint ispunct isspace isupper isxdigit tolower toupper "
    "strcasecmp strncasecmp strcasestr strcoll strxfrm"
)
LOCALE = "setlocale localeconv newlocale uselocale duplocale freelocale"
FORBIDDEN = {
    **dict.fromkeys(READ.split(), "reads numbers as the locale has them: use number_scan or number_read"),
    **dict.fromkeys(LISTS.split(), "prints numbers as the locale has them: use number_format_list or number_print_list"),
    **dict.fromkeys(LETTERS.split(), "asks the locale about letters: compare with characters, or use base/letters.h"),
    **dict.fromkeys(LOCALE.split(), "is only for " + HOME),
}
# Functions that print, with the place of their format.
PRINTERS = {"printf": 0, "fprintf": 1, "sprintf": 1, "snprintf": 2, "dprintf": 1, "asprintf": 1}
INSTEAD = "use number_format or number_print"

TOKEN = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|[A-Za-z_]\w*|[^\w\s]", re.DOTALL)
FRACTION = re.compile(r"%[-+ #0']*(?:\*|\d+)?(?:\.(?:\*|\d*))?(?:L|l)?[aAeEfFgG]|%[-+ #0]*'")


def tokens_of(text):
    """Words, texts and signs with their offsets; comments are left out."""
    return [(m[0], m.start()) for m in TOKEN.finditer(text) if not m[0].startswith(("/*", "//"))]


def arguments_of(tokens, opening):
    """The arguments of a call whose ( is at `opening`, each a list of tokens."""
    depth, found = 0, [[]]
    for token, _ in tokens[opening:]:
        if token in ("(", "[", "{"):
            depth += 1
            if depth == 1:
                continue
        elif token in (")", "]", "}"):
            depth -= 1
            if depth == 0:
                break
        if token == "," and depth == 1:
            found.append([])
        else:
            found[-1].append(token)
    return found


def wrong_with(tokens, at):
    """What is wrong with the word at `at`; None if nothing."""
    word = tokens[at][0]
    if word in FORBIDDEN:
        return f"{word} {FORBIDDEN[word]}"
    if word not in PRINTERS or at + 1 == len(tokens) or tokens[at + 1][0] != "(":
        return None
    arguments = arguments_of(tokens, at + 1)
    if len(arguments) <= PRINTERS[word]:
        return None  # an attribute: format(printf, 1, 2)
    format_tokens = arguments[PRINTERS[word]]
    if not any(token.startswith('"') for token in format_tokens):
        return f"{word} has a format that can't be seen here: {INSTEAD}"
    # Texts side by side are one; a macro such as PRId64, or the sign of a choice, parts them.
    text = "".join(token[1:-1] if token.startswith('"') else "\n" for token in format_tokens)
    found = FRACTION.search(text.replace("%%", ""))
    return f"{word} prints {found[0]} as the locale has it: {INSTEAD}" if found else None


def check(root):
    """All violations below root, as 'file:line: what'."""
    found = []
    for folder in ("include", "src", "cli", "bench", "python/extension"):
        for path in sorted((root / folder).rglob("*.[ch]")):
            name = path.relative_to(root)
            if str(name) == HOME:
                continue
            text = path.read_text(encoding="utf-8")
            tokens = tokens_of(text)
            for at, (_, offset) in enumerate(tokens):
                wrong = wrong_with(tokens, at)
                if wrong:
                    found.append(f"{name}:{text.count(chr(10), 0, offset) + 1}: {wrong}")
    return found


def self_test():
    good = {
        HOME: "value = strtod(text, end);\nvsnprintf(text, size, format, arguments);\n",
        "src/base/error.h": "__attribute__((format(printf, 3, 4)));\n",
        "src/run/words.c": '/* strtod */ // %g\nfail("strtod, printf(\\"%g\\")");\nnumber_format(a, b, "%g", c);\n',
        "src/run/whole.c": 'snprintf(a, sizeof a, "%d%s%%g %lld%.90s%5c", f("%g", 1), b);\nfprintf(file, "%d %%\\n", i);\n',
        "cli/choice.c": 'printf(one ? "%d" : "%s", x);\nprintf("%" PRId64 "end", x);\n',
        "include/gofh.h": "typedef int printf_like;\n",
    }
    bad = {
        "src/outer/a.c": "\nx = strtod(copy, NULL);\n",
        "src/outer/b.c": '\nsscanf(text, "%d", &i);\n',
        "src/outer/c.c": "\ndouble (*read)(const char *, char **) = strtod;\n",
        "src/api/d.c": '\nsnprintf(text, sizeof text, "%.17g", value);\n',
        "src/api/e.c": '\nsnprintf(text + n, f(a, b),\n "%s: "\n "%-*.*e", a);\n',
        "src/report/f.c": '\nfprintf(file, choice ? "%s" : "%5.1f", a);\n',
        "src/report/g.c": "\nfprintf(file, format, a);\n",
        "src/report/h.c": "\nvsnprintf(text, size, format, arguments);\n",
        "src/report/i.c": '\nprintf("%\'d", thousand);\n',
        "src/run/j.c": '\nif (strncasecmp(word, "inf", 3) == 0) return;\n',
        "src/run/k.c": "\nwhile (isdigit(*at)) at++;\n",
        "cli/l.c": '\nsetlocale(LC_ALL, "");\n',
        "bench/m.c": '\nprintf("%Lf and %%", a);\n',
        "bench/problems/n.c": '\nprintf("%"\n".3g", a);\n',
        "python/extension/o.c": '\ndprintf(2, "%a", a);\n',
        "include/p.h": '\nstatic void show(double x) { printf("%+06.2F", x); }\n',
    }

    return checking.failures(check, good, bad)


if __name__ == "__main__":
    sys.exit(checking.main(__doc__, check, self_test))
