#!/usr/bin/env python3
"""Builds the documents as a site, and checks it.

    scripts/make_site.py BUILD [MKDOCS]    the site is BUILD/site; MKDOCS: by default that of PATH
    scripts/make_site.py --self-test       check the checker

The site has the layout of the repository, so that the links of the documents hold in both. What is
not a document, but linked, is copied. Every link must lead to a page and an anchor that are there,
and no page may load anything from elsewhere: it is read without a network. Formulas become MathML.
"""
import re
import shutil
import subprocess
import sys
import tempfile
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "docs/*.md", "examples/*.md", "examples/*/README.md")
LINK = re.compile(r"\]\(([^)\s]+)\)")
CODE = re.compile(r"(^ *```.*?^ *```$|(?<=\n\n)(?: {4}[^\n]*\n)+|`[^`]+`)", re.MULTILINE | re.DOTALL)
FORMULA = re.compile(r"\$\$(?P<block>.+?)\$\$|\$(?P<inline>[^$\n]+(?:\n[^$\n]+)?)\$", re.DOTALL)
TAG = re.compile(r"\\tag\{(\w+)\}")
# A function's name and its argument: browsers put no space between them; a bracket needs none.
FUNCTION = re.compile(r"(?<!<msub>)(?<!<msup>)(?<!<msubsup>)(<mi>(?:log|exp|sin|cos)</mi>)(?=<m(?!o|row><mo))")
# The theme is light alone, and narrower than the tables.
STYLE = """
.wy-nav-content { max-width: 68rem; }
.rst-content p, .rst-content li { overflow-wrap: break-word; }
.rst-content code { white-space: normal; overflow-wrap: anywhere; }
.rst-content pre code { white-space: pre; overflow-wrap: normal; }
/* Without a font for mathematics superscripts are too large and too high: "math" is none on many machines. */
math { font-size: 1.08em; font-family: "STIX Two Math", "Latin Modern Math", "Cambria Math", "DejaVu Math TeX Gyre", math; }
.rst-content table { display: block; max-width: 100%; overflow-x: auto; }
.formula { display: flex; align-items: center; gap: 1rem; margin: .8rem 0; overflow-x: auto; overflow-y: hidden; }
.formula math { flex: 1 0 auto; }
.number { order: 1; }
@media (prefers-color-scheme: dark) {
  body, .wy-nav-content-wrap, .wy-nav-content, .wy-body-for-nav { background: #14171c; color: #e4e7ee; }
  .rst-content h1, .rst-content h2, .rst-content h3, .rst-content h4, .wy-breadcrumbs li { color: #e4e7ee; }
  .rst-content a { color: #6cb0f5; }
  .rst-content hr, .rst-content table.docutils td, .rst-content table.docutils th, .rst-content table td, .rst-content table th {
    border-color: #323842 !important;
  }
  .rst-content table th { color: #e4e7ee; }
  .rst-content table td, .rst-content table tr:nth-child(2n-1) td { background: #1c2027 !important; }
  .rst-content pre, .rst-content pre code, .rst-content code { background: #1c2027; border-color: #323842; color: #e4e7ee; }
  .rst-content img { background: #fff; }
}
"""
CONFIGURATION = """site_name: gofh
docs_dir: source
site_dir: site
use_directory_urls: false
theme: {name: readthedocs, highlightjs: false, include_homepage_in_sidebar: true}
extra_css: [site.css]
plugins: [search]
markdown_extensions: [tables, fenced_code, {toc: {permalink: true}}]
validation: {links: {not_found: warn, anchors: warn, absolute_links: warn, unrecognized_links: warn}}
nav:
  - gofh: index.md
  - First steps: docs/guide.md
  - Gallery: docs/gallery.md
  - Coming from other tools: docs/coming_from.md
  - Error messages: docs/faq.md
  - Reference:
      - The problem file: docs/problem.md
      - Expressions: docs/expressions.md
      - Simulators: docs/simulators.md
      - Clusters: docs/clusters.md
      - Python: docs/python.md
      - The report: docs/report.md
      - The posterior: docs/posterior.md
      - The study on disk: docs/store.md
  - How it works:
      - The method: docs/method.md
      - Entropy search: docs/method_pes.md
      - Results: docs/results.md
      - Experiments: docs/experiments.md
      - Speed: docs/speed.md
  - Examples: examples/README.md
  - Changes: CHANGELOG.md
"""


def formulas(text, convert):
    """TeX between dollars, but not in code, by ``convert``; the number of an equation beside it."""

    def change(match):
        tex = match["block"] or match["inline"]
        number = TAG.search(tex)
        made = convert(TAG.sub("", tex).strip(), display="block" if match["block"] else "inline")
        made = FUNCTION.sub(r'\1<mspace width="0.167em"></mspace>', made)
        made = made.replace("<mi>&#x0007E;</mi>", "<mo>&#x0223C;</mo>")  # a relation, with space around it
        for letter in "*_`":  # Markdown's
            made = made.replace(letter, f"&#{ord(letter)};")
        beside = f'<span class="number">({number[1]})</span>' if number else ""
        # A line that began with <math> would be a paragraph of its own.
        return f'<span class="{"formula" if match["block"] else "term"}">{beside}{made}</span>'

    parts = CODE.split(text)
    return "".join(part if i % 2 else FORMULA.sub(change, part) for i, part in enumerate(parts))


def stage(source):
    """The documents and what they link to; README.md is the first page."""
    from latex2mathml.converter import convert

    for pattern in DOCUMENTS:
        for path in sorted(ROOT.glob(pattern)):
            place = source / path.relative_to(ROOT)
            place.parent.mkdir(parents=True, exist_ok=True)
            text = path.read_text(encoding="utf-8")
            for target in LINK.findall(text):
                copy_target(path, target, source)
            if path == ROOT / "README.md":
                place = source / "index.md"
            place.write_text(formulas(adapt(text, path), convert), encoding="utf-8")
    (source / "site.css").write_text(STYLE, encoding="utf-8")


def copy_target(path, target, source):
    parts = urlsplit(target)
    if parts.scheme or not parts.path:
        return
    found = (path.parent / unquote(parts.path)).resolve()
    if found.is_file() and found.suffix != ".md" and found.is_relative_to(ROOT):
        place = source / found.relative_to(ROOT)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(found, place)


def adapt(text, path):
    """Links to folders lead to their README, or lose their link where they have none; README.md is index.md."""

    def change(match):
        parts = urlsplit(match[1])
        if parts.scheme or not parts.path:
            return match[0]
        found = (path.parent / unquote(parts.path)).resolve()
        if found.is_dir():
            return f"]({parts.path.rstrip('/')}/README.md)" if (found / "README.md").exists() else "](#)"
        if found == ROOT / "README.md":
            return match[0].replace("README.md", "index.md")
        return match[0]

    return LINK.sub(change, text)


class Page(HTMLParser):
    """What a page links to, what it loads, and the anchors that it has."""

    def __init__(self):
        super().__init__()
        self.links, self.loaded, self.anchors = [], [], {""}

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        for name in ("id", "name"):
            if given.get(name):
                self.anchors.add(given[name])
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        if tag in ("img", "script", "iframe", "source") and given.get("src"):
            self.loaded.append(given["src"])
        if tag == "link" and given.get("href") and "canonical" not in (given.get("rel") or ""):
            self.loaded.append(given["href"])


def check(site):
    """One line for each thing that is wrong."""
    pages = {}
    for path in sorted(site.rglob("*.html")):
        page = pages[path.resolve()] = Page()
        page.feed(path.read_text(encoding="utf-8"))
    for path, page in pages.items():
        name = path.relative_to(site.resolve())
        for target in page.loaded:
            parts = urlsplit(target)
            if parts.scheme not in ("", "data") or parts.netloc:
                yield f"{name} loads {target} from the network"
            elif not parts.scheme and not (path.parent / unquote(parts.path)).exists():
                yield f"{name} loads {target}, which is not there"
        for target in page.links:
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                continue
            found = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            found = found / "index.html" if found.is_dir() else found
            if not found.exists():
                yield f"{name} links to {target}, which is not there"
            elif found in pages and unquote(parts.fragment) not in pages[found].anchors:
                yield f"{name} links to {target}: {found.name} has no such place"
    for path in sorted(site.rglob("*.css")):
        for target in re.findall(r"url\(['\"]?((?:https?:)?//[^)'\"]+)", path.read_text(encoding="utf-8")):
            yield f"{path.relative_to(site)} loads {target} from the network"


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        site = Path(folder)
        (site / "b.html").write_text('<p id="here">x</p>')
        (site / "a.css").write_text("@font-face{src:url(https://fonts.example/x.woff)}")
        (site / "a.html").write_text(
            '<a href="b.html#here">1</a><a href="https://example.org">2</a><a href="#">3</a><img src="data:image/png;base64,AA">'
            '<a href="c.html">4</a><a href="b.html#there">5</a><script src="https://cdn.example/x.js"></script><img src="d.png">'
        )
        wrong = list(check(site))
    for part in ("links to c.html", "#there: b.html has no such place", "https://cdn.example/x.js from the network", "d.png, which is not",
                 "x.woff from the network"):
        assert any(part in line for line in wrong), (part, wrong)
    assert len(wrong) == 5, wrong
    made = formulas("$a_1$ costs `$5` and\n```\n$x$\n```\n\n    $A/b:$A\n\n$$b \\tag{2}$$", lambda tex, display: f"<{display} {tex}>")
    assert made == ('<span class="term"><inline a&#95;1></span> costs `$5` and\n```\n$x$\n```\n\n    $A/b:$A\n\n'
                    '<span class="formula"><span class="number">(2)</span><block b></span>'), made
    # "log a" gets a space, "log(a)" and the base of a logarithm do not.
    for inside, spaced in (("<mi>log</mi><mi>a</mi>", True), ("<mi>log</mi><mo>(</mo>", False), ("<mi>log</mi><mrow><mo>(</mo>", False),
                           ("<msub><mi>log</mi><mn>2</mn></msub>", False), ("<mi>log</mi><msup>", True), ("<mi>log</mi></mrow>", False)):
        assert ("<mspace" in formulas("$x$", lambda tex, display, made=inside: made)) == spaced, inside


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    build = Path(sys.argv[1]).resolve()
    mkdocs = sys.argv[2] if len(sys.argv) > 2 else "mkdocs"
    work = build / "site-work"
    shutil.rmtree(work, ignore_errors=True)
    stage(work / "source")
    (work / "mkdocs.yml").write_text(CONFIGURATION, encoding="utf-8")
    done = subprocess.run([mkdocs, "build", "--quiet", "--strict", "--config-file", work / "mkdocs.yml"], check=False)
    if done.returncode:
        sys.exit("site: mkdocs found mistakes")
    (work / "site" / "404.html").unlink(missing_ok=True)  # for servers; its links are absolute
    wrong = list(check(work / "site"))
    print("\n".join(wrong))
    if wrong:
        sys.exit(f"site: {len(wrong)} links or files are wrong")
    shutil.rmtree(build / "site", ignore_errors=True)
    shutil.copytree(work / "site", build / "site")
    print(f"{build / 'site' / 'index.html'}: {len(list((build / 'site').rglob('*.html')))} pages, all links hold")


if __name__ == "__main__":
    main()
