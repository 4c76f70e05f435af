#!/usr/bin/env python3
"""Builds the documents as a site, and checks it.

    scripts/make_site.py BUILD [MKDOCS]    the site is BUILD/site; MKDOCS: by default that of PATH
    scripts/make_site.py --self-test       check the checker

The site has the layout of the repository, so that the links of the documents hold in both. What is
not a document, but linked, is copied. Every link must lead to a page and an anchor that are there,
and no page may load anything from elsewhere: it is read without a network.
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
CONFIGURATION = """site_name: gofh
docs_dir: source
site_dir: site
use_directory_urls: false
theme: {name: readthedocs, highlightjs: false, include_homepage_in_sidebar: true}
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


def stage(source):
    """The documents and what they link to; README.md is the first page."""
    for pattern in DOCUMENTS:
        for path in sorted(ROOT.glob(pattern)):
            place = source / path.relative_to(ROOT)
            place.parent.mkdir(parents=True, exist_ok=True)
            text = path.read_text(encoding="utf-8")
            for target in LINK.findall(text):
                copy_target(path, target, source)
            if path == ROOT / "README.md":
                place = source / "index.md"
            place.write_text(adapt(text, path), encoding="utf-8")


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
