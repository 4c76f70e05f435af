#!/usr/bin/env python3
"""Follows a running study to its end in a real browser: zooms, filters, opens trials. Names and outputs that would be
scripts stay texts.

    test_live.py GOFH [FOLDER]    FOLDER keeps pictures
"""
import contextlib
import csv
import http.client
import http.server
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import urllib.parse

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from browser import Browser  # noqa: E402

EVIL = "<img src=x onerror=alert(1)>"
SIMULATOR = '''import json, sys, time
p = json.load(open(sys.argv[1]))
for step in range(4):
    print(f"step {step} <script>alert(2)</script>", flush=True)
    time.sleep(0.4)
if p["b"] > 1.4:
    sys.exit("diverged </pre><script>alert(3)</script>")
json.dump({"c": [p["a"], p["a"] * p["b"], 3 * p["b"]], "size": p["a"] + p["b"]}, open(sys.argv[2], "w"))
'''
PROBLEM = '''study: {budget: 16, seed: 3, stop: never}
parameters: {a: {lower: 0.01, upper: 1, scale: log}, b: {lower: 0, upper: 2}}
simulator: {command: "python3 ../../../simulate.py {params} {results}", parallel: 2}
outputs: {c: 3, size: 1}
data: {m: {values: [0.5, 0.4, 2.5], sigma: 0.1, at: [10, 20, 30], unit: K, label: T}}
objective: {fit: {c: m}}
constraints: ["size <= 2.5"]
'''


def gofh(*words):
    return subprocess.run([GOFH, *words], check=True, capture_output=True, text=True).stdout


def follow(browser, name, address):
    browser.open(address)
    browser.until("document.querySelector('#link').textContent.startsWith('following')")
    browser.until("document.querySelector('.run pre')")
    text = browser.evaluate("document.querySelector('.run pre').textContent")
    assert "<script>alert(2)</script>" in text, text
    assert browser.evaluate("document.querySelector('h1').textContent") == name
    # It changes by itself.
    rows = "document.querySelectorAll('[data-part=trials] tbody tr').length"
    first = browser.until(rows)
    browser.until(f"{rows} > {first + 1}")
    browser.until("document.querySelector('svg.broad[data-frame] .mark[data-trials]')")


def says_what_is_left(browser):
    """Of the times it can be said that they are there; of the tiles that open runs are not among those finished."""
    browser.until("/^The first run began [0-9]+ (s|min) ago; .*[0-9] (s|min) left.$/.test("
                  "(document.querySelector('[data-part=running] .note') || {textContent: ''}).textContent.trim())")
    assert "minimise" in browser.evaluate("document.querySelector('[data-part=summary] dl').textContent")
    tiles = "Object.fromEntries([...document.querySelectorAll('.figures div')].map((d) => [...d.children].map((e) => e.textContent).reverse()))"
    browser.until(f"{tiles}['open'] === '2' && parseInt({tiles}['runs finished']) <= 14")


def zoom(browser):
    chart = "#convergence svg.broad"
    ticks = f"[...document.querySelectorAll('{chart} .ticks text')].map((t) => t.textContent).join()"
    left, top, width, height = browser.box(chart)
    before = browser.evaluate(ticks)
    browser.drag(left + 0.4 * width, top + 0.2 * height, left + 0.8 * width, top + 0.7 * height)
    browser.until(f"document.querySelector('{chart}').classList.contains('zoomed')")
    assert browser.evaluate(ticks) != before
    browser.click(left + 0.5 * width, top + 0.3 * height, 2)
    browser.evaluate("document.querySelectorAll('dialog').forEach((d) => d.close())")
    browser.until(f"!document.querySelector('{chart}').classList.contains('zoomed')")


def after_the_end(browser, name):
    browser.until("document.querySelector('#link').textContent.includes('has ended')")
    trials = list(csv.DictReader(io.StringIO(gofh("export", name))))
    browser.until(f"document.querySelector('[data-count]').textContent === '1 to {len(trials)} of {len(trials)}'")
    best = json.loads(gofh("best", name, "--json"))
    shown = browser.evaluate("document.querySelector('.figures b').textContent")
    assert abs(float(shown) - best["f"]) < 1e-5 * abs(best["f"]), (shown, best["f"])
    return trials


def use_table(browser, trials):
    states = "[...document.querySelectorAll('[data-part=trials] tbody tr')].map((r) => r.cells[2].textContent)"
    failed = sum(t["status"] == "failed" for t in trials)
    assert failed > 0, "nothing failed"
    browser.type("input[type=search]", "failed")
    browser.until(f"{states}.length === {failed} && {states}.every((s) => s.startsWith('failed'))")
    assert "<script>alert(3)</script>" in browser.evaluate(f"{states}.join()")
    values = sorted(float(t["f"]) for t in trials if t["f"] and "inf" not in t["f"])
    limit = 0.5 * (values[2] + values[3])
    browser.type("input[type=search]", f"f < {limit:.9g}")
    browser.until(f"{states}.length === 3")
    browser.type("input[type=search]", " ")
    browser.until(f"{states}.length === {len(trials)}")
    browser.evaluate("document.querySelector('th[data-key=f] button').click()")
    column = "[...document.querySelectorAll('[data-part=trials] tbody tr')].map((r) => r.cells[1].textContent)"
    browser.until(f"Number({column}[0]) === Number('{values[0]:.6g}')")


def open_trials(browser, trials):
    # By a mark of the convergence: where it is says which it is.
    number, x, y = browser.evaluate("""(() => {
        const svg = document.querySelector('#convergence svg.broad');
        svg.scrollIntoView({block: 'center'});
        const mark = [...svg.querySelectorAll('.mark[data-trials]')].find((m) => m.getAttribute('d').includes('h0'));
        const place = /M([\\d.]+) ([\\d.]+)h0/.exec(mark.getAttribute('d'));
        const box = svg.getBoundingClientRect(), scale = box.width / svg.viewBox.baseVal.width;
        return [Number(mark.dataset.trials.split(' ')[0]), box.left + scale * place[1], box.top + scale * place[2]];
    })()""")
    browser.mouse("mouseMoved", x, y)
    browser.until(f"document.querySelector('.hint').textContent.startsWith('trial {number}\\n')")
    browser.click(x, y)
    browser.until("document.querySelector('dialog').open")
    text = browser.evaluate("document.querySelector('dialog').textContent")
    assert f"Trial {number}" in text, text
    a = float(re.search(r"a ([-+.\de]+)", text.split("Parameters")[1]).group(1))
    assert abs(a - float(trials[number - 1]["a"])) < 1e-5 * a, (a, trials[number - 1])
    browser.evaluate("document.querySelector('dialog').close()")
    # By a row: one that failed, with what it wrote.
    row = next(t["trial"] for t in trials if t["status"] == "failed")
    browser.evaluate(f"document.getElementById('trial-{row}').click()")
    browser.until("document.querySelector('dialog').open")
    text = browser.evaluate("document.querySelector('dialog').textContent")
    assert f"Trial {row}" in text and "diverged </pre><script>alert(3)</script>" in text, text
    browser.evaluate("document.querySelector('dialog').close()")


def use_report(browser, name, trials, folder):
    """The report does the same without a server."""
    page = gofh("report", name).strip()
    browser.open("file://" + urllib.parse.quote(os.path.abspath(page)))
    states = ("[...document.querySelectorAll('table.sortable tbody tr')].filter((r) => !r.hidden)"
              ".map((r) => r.cells[2].textContent)")
    failed = sum(t["status"] == "failed" for t in trials)
    browser.type(".tools input", "failed")
    browser.until(f"{states}.length === {failed} && {states}.every((s) => s.startsWith('failed'))")
    values = sorted(float(t["f"]) for t in trials if t["f"] and "inf" not in t["f"])
    browser.type(".tools input", f"f < {0.5 * (values[4] + values[5]):.9g}")
    browser.until(f"{states}.length === 5")
    browser.type(".tools input", " ")
    browser.until(f"{states}.length === {len(trials)}")
    column = "[...document.querySelectorAll('table.sortable tbody tr')].map((r) => r.cells[1].textContent)"
    for _ in range(2):  # ascending, then descending
        browser.evaluate("document.querySelector('table.sortable th:nth-child(2) button').click()")
    browser.until(f"Number({column}[0]) === Number('{values[-1]:.6g}')")
    zoom(browser)
    browser.evaluate("document.querySelector('#convergence svg.broad').dispatchEvent("
                     "new CustomEvent('pick', {bubbles: true, detail: 2}))")
    browser.until("location.hash === '#trial-2'")
    assert browser.evaluate("[...document.querySelectorAll('svg[data-frame]')].every((s) => s.getAttribute('aria-label'))")
    for width in (390, 1280, 2560):
        for dark in (False, True):
            browser.picture(f"{folder}/report-{width}-{'dark' if dark else 'light'}.png", width, dark)
        assert browser.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"it scrolls sideways at {width}"
    browser.window()


def use_long_report(browser):
    """Of 1200 trials a page of 500 is in the document; all are found, sorted and led to."""
    with open("long.yaml", "w", encoding="utf-8") as file:
        file.write("study: {method: random}\nparameters: {a: [0, 1], b: [0, 1]}\noutputs: {y: 1}\nobjective: {minimize: y}\n")
    with open("long.csv", "w", encoding="utf-8") as file:
        file.write("a,b,y,status\n" + "".join(
            f"{i / 1200},{i * 0.618 % 1},{i * 7 % 1200 if i % 3 else ''},{'done' if i % 3 else 'failed'}\n" for i in range(1200)))
    gofh("import", "long.yaml", "long.csv")
    page = os.path.abspath(gofh("report", "long.yaml").strip())
    browser.open("file://" + page + "#trial-700")
    rows = "[...document.querySelectorAll('table.sortable tbody tr')].map((r) => r.id)"
    shown = f"[{rows}.length, {rows}[0], document.querySelector('.tools .note').textContent].join()"
    browser.until(f"{shown} === '500,trial-501,501 to 1000 of 1200'")
    press = "[...document.querySelectorAll('.tools button')].find((b) => b.textContent === '{}').click()"
    browser.evaluate(press.format("after"))
    browser.until(f"{shown} === '200,trial-1001,1001 to 1200 of 1200'")
    browser.type(".tools input", "done")
    browser.until(f"{shown} === '500,trial-2,1 to 500 of 800 of 1200'")
    best = next(i + 1 for i in range(1200) if i % 3 and i * 7 % 1200 == min(k * 7 % 1200 for k in range(1200) if k % 3))
    browser.evaluate("document.querySelector('table.sortable th:nth-child(2) button').click()")
    browser.until(f"{rows}[0] === 'trial-{best}'")
    # One that the filter leaves out is led to all the same.
    browser.evaluate("document.querySelector('#convergence svg.broad').dispatchEvent("
                     "new CustomEvent('pick', {bubbles: true, detail: 1}))")
    browser.until("location.hash === '#trial-1' && document.getElementById('trial-1')")


def through_a_proxy(browser, address):
    """Below a path of another server, as behind Jupyter's proxy: all addresses are relative."""
    port, prefix = re.search(r":(\d+)/", address).group(1), "/user/somebody/proxy/page"

    class Proxy(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.0"

        def do_GET(self):
            if not self.path.startswith(prefix + "/"):
                self.send_error(404)
                return
            upstream = http.client.HTTPConnection("127.0.0.1", int(port))
            upstream.request("GET", self.path[len(prefix):], headers={"Host": self.headers["Host"]})
            answer = upstream.getresponse()
            self.send_response(answer.status)
            for name, value in answer.getheaders():
                if name.lower() not in ("transfer-encoding", "connection", "content-length"):
                    self.send_header(name, value)
            self.end_headers()
            with contextlib.suppress(OSError):  # the page is left
                while piece := answer.read1(65536):
                    self.wfile.write(piece)
                    self.wfile.flush()

        def log_message(self, *words):
            pass

    proxy = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
    proxy.daemon_threads = True
    threading.Thread(target=proxy.serve_forever, daemon=True).start()
    browser.open(f"http://127.0.0.1:{proxy.server_port}{prefix}/?{address.partition('?')[2]}")
    browser.until("document.querySelector('#link').textContent.startsWith('following')")
    browser.until("document.querySelector('[data-part=trials] tbody tr')")
    browser.call("Page.navigate", url="about:blank")
    proxy.shutdown()


def what_is_next(browser, name):
    """The page says which points come next before anybody asks for them."""
    with open(name, "w", encoding="utf-8") as file:
        file.write(PROBLEM.replace("budget: 16", "budget: 20"))
    serve = subprocess.Popen([GOFH, "serve", name], stdout=subprocess.PIPE, text=True)
    rows = ("[...document.querySelectorAll('.expected tbody tr')].map((r) => "
            "[r.cells[0].textContent, ...[...r.cells].slice(-2).map((c) => Number(c.textContent))])")
    try:
        browser.open(serve.stdout.readline().strip())
        browser.until(f"{rows}.length === 2 && {rows}.every((r) => r[0] === 'next')")
        shown = browser.evaluate(rows)
        assert "16 results" in browser.evaluate("document.querySelector('[data-part=next]').textContent")
        asked = [json.loads(line) for line in gofh("ask", name, "-n", "2").splitlines()]
        for row, trial in zip(shown, asked, strict=True):
            for value, expected in zip(row[1:], trial["parameters"].values(), strict=True):
                assert value == float(f"{expected:.6g}"), (shown, asked)
        names = str([f"trial {trial['trial']}, under way" for trial in asked])
        browser.until(f"{names}.every((name) => {rows}.some((r) => r[0] === name))")
    finally:
        serve.terminate()
        serve.wait()


def children(process):
    try:
        with open(f"/proc/{process}/task/{process}/children", encoding="ascii") as file:
            return [int(child) for child in file.read().split()]
    except OSError:
        return []


def forecasts_that_fail(browser, name):
    """A forecast whose process is killed is said to have failed and made again; without the parent of such processes
    there are none, and the page says so."""
    serve = subprocess.Popen([GOFH, "serve", name], stdout=subprocess.PIPE, text=True)
    said = "document.querySelector('[data-part=next]').textContent"
    failing = threading.Event()

    def kill(keeper):
        while failing.is_set():
            for worker in children(keeper):
                os.kill(worker, signal.SIGKILL)

    try:
        address = serve.stdout.readline().strip()
        [keeper] = children(serve.pid)
        failing.set()
        killer = threading.Thread(target=kill, args=(keeper,))
        killer.start()
        try:
            browser.open(address)
            browser.until(f"{said}.includes('could not be made: its process was ended by signal 9')")
        finally:
            failing.clear()
            killer.join()
        browser.until(f"{said}.includes('By the model') && !{said}.includes('could not be made')")
        os.kill(keeper, signal.SIGKILL)
        gofh("ask", name)
        browser.until(f"{said}.includes('no more forecasts: the process that has them made was ended by signal 9')")
        assert "being fitted" not in browser.evaluate(said)
    finally:
        serve.terminate()
        serve.wait()


def main():
    folder = sys.argv[2] if len(sys.argv) > 2 else "."
    folder = os.path.abspath(folder)
    os.makedirs(folder, exist_ok=True)
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        name = f"{EVIL}.yaml"
        with open("simulate.py", "w", encoding="utf-8") as file:
            file.write(SIMULATOR)
        with open(name, "w", encoding="utf-8") as file:
            file.write(PROBLEM)
        browser = Browser(PROGRAM)
        browser.window()
        with open("run.out", "w", encoding="utf-8") as out:
            run = subprocess.Popen([GOFH, "run", name, "--serve"], stdout=out, stderr=subprocess.PIPE, text=True)
        address = re.search(r"http://\S+", run.stderr.readline()).group(0)
        try:
            follow(browser, name, address)
            says_what_is_left(browser)
            zoom(browser)
            # The page stays though its server is gone; what is asked of the server is asked of another.
            browser.until("document.querySelector('#link').textContent.includes('has ended')")
            run.wait()
            trials = after_the_end(browser, name)
            assert run.returncode == 0, run.returncode
            browser.console.clear()
            serve = subprocess.Popen([GOFH, "serve", name], stdout=subprocess.PIPE, text=True)
            try:
                page = serve.stdout.readline().strip()
                browser.open(page)
                browser.until("document.querySelector('[data-part=trials] tbody tr')")
                use_table(browser, trials)
                browser.until("document.querySelector('#link').textContent === 'following the study, which has ended'")
                end = browser.evaluate("document.querySelector('[data-part=next]').textContent")
                assert "Ended: the budget of evaluations is used up." in end and "of its best trial" in end, end
                assert "If it ended now" not in end and "Expected next" not in end, end
                # One page of trials needs no buttons.
                assert browser.evaluate("[...document.querySelectorAll('[data-move]')].every((b) => b.hidden)")
                open_trials(browser, trials)
                for width in (390, 1280, 2560):
                    for dark in (False, True):
                        browser.picture(f"{folder}/live-{width}-{'dark' if dark else 'light'}.png", width, dark)
                assert browser.evaluate("document.documentElement.scrollWidth <= innerWidth"), "it scrolls sideways"
                assert not browser.console, browser.console
                through_a_proxy(browser, page)
            finally:
                serve.terminate()
                serve.wait()
            browser.call("Page.navigate", url="about:blank")
            browser.console.clear()  # that the server is gone
            use_report(browser, name, trials, folder)
            use_long_report(browser)
            assert not browser.console, browser.console
            what_is_next(browser, name)
            forecasts_that_fail(browser, name)
            assert not browser.dialogs, browser.dialogs
            outside = [a for a in browser.addresses if not a.startswith(("http://127.0.0.1:", "data:", "file://"))]
            assert not outside, outside
        finally:
            browser.close()
            run.kill()


GOFH = os.path.abspath(sys.argv[1])
PROGRAM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
if not PROGRAM:
    print("there is no Chromium")
    sys.exit(77)
main()
