#!/usr/bin/env python3
"""Attacks on the live page's server: nothing leaks, nothing is changed, it goes on answering.

    test_attacks.py GOFH [HURRY]    HURRY: hurry.c as a library to be loaded first; without it, as
                                    with a sanitizer, memory is not looked at
"""
import hashlib
import http.client
import os
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time

PROBLEM = '''study: {budget: 12, seed: 3, stop: never}
parameters: {a: {lower: 0.01, upper: 1, scale: log}, b: {lower: 0, upper: 2}}
simulator: {command: "sh ../../../simulate.sh {params} {results}", params: plain, results: plain}
outputs: {c: 2}
objective: {minimize: sum(c^2)}
'''
SIMULATOR = '''awk '{ p[NR] = $1 } END { if (p[2] > 1.2) { print "<script>" > "/dev/stderr"; exit 3 }
printf "%.9g %.9g\\n", p[1], p[2] - 1 }' "$1" > "$2"
'''
# What only the studies' folder and the machine hold.
SECRETS = (b"root:", b"SECRET")
failures = []


def check(condition, what):
    if not condition:
        print(f"FAILED: {what}")
        failures.append(what)


class Server:
    def __init__(self, *options):
        self.process = subprocess.Popen([GOFH, "serve", "p.yaml", *options], stdout=subprocess.PIPE, text=True)
        self.address = self.process.stdout.readline().strip()
        match = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/\?token=([0-9a-f]{32})", self.address)
        assert match, self.address
        self.port, self.token = int(match[1]), match[2]

    def get(self, path, token=True, host=None, method="GET", headers=None, body=None):
        """Status, headers and bytes."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=3600)
        if token:
            path += ("&" if "?" in path else "?") + f"token={self.token}"
        connection.putrequest(method, path, skip_host=True)
        connection.putheader("Host", host or f"127.0.0.1:{self.port}")
        for name, value in (headers or {}).items():
            connection.putheader(name, value)
        if body is not None:
            connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body)
        answer = connection.getresponse()
        data = answer.read()
        connection.close()
        return answer.status, answer.headers, data

    def raw(self, data, wait=3600.0):
        """What is answered to these bytes."""
        with socket.create_connection(("127.0.0.1", self.port)) as s:
            s.settimeout(wait)
            answer = b""
            try:
                s.sendall(data)
                s.shutdown(socket.SHUT_WR)
                while chunk := s.recv(65536):
                    answer += chunk
            except OSError:
                pass
            return answer

    def memory(self):
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as file:
            return int(re.search(r"VmRSS:\s+(\d+)", file.read())[1])

    def is_well(self):
        return self.process.poll() is None and self.get("/")[0] == 200

    def close(self):
        self.process.terminate()
        return self.process.wait()


def fingerprint():
    """Of all files of the study but for SQLite's shared memory, which readers use."""
    found = {}
    for folder, _, names in os.walk("p.gofh"):
        for name in names:
            path = os.path.join(folder, name)
            if name.endswith("-shm"):
                continue
            with open(path, "rb") as file:
                found[path] = hashlib.sha256(file.read()).hexdigest()
    found["p.yaml"] = open("p.yaml", encoding="utf-8").read()
    return found


def without_the_right_words(server):
    for path in ("/", "/events", "/part?study=0&part=state", "/trial?study=0&trial=1", "/style.css", "/live.js"):
        status, _, data = server.get(path, token=False)
        check(status == 403 and len(data) < 100, f"{path} without a token: {status}")
        wrong = f"{path}{'&' if '?' in path else '?'}token={'0' * 32}"
        check(server.get(wrong, token=False)[0] == 403, f"{path} with a wrong token")
        cut = f"{path}{'&' if '?' in path else '?'}token={server.token[:-1]}"
        check(server.get(cut, token=False)[0] == 403, f"{path} with a token that is cut")
    for host in ("evil.example", "evil.example:80", f"127.0.0.1.evil.example:{server.port}", "localhost.evil",
                 "127.0.0.2", "[::1].evil", "localhost:80@evil", "localhost:", ""):
        status, _, data = server.get("/", host=host or " ")
        if host != "localhost:":
            check(status == 403 and server.token.encode() not in data, f"Host {host!r}: {status}")
    for host in ("localhost", "LOCALHOST:1234", f"127.0.0.1:{server.port}", "[::1]:9000"):
        check(server.get("/", host=host)[0] == 200, f"Host {host!r} is refused")
    check(b"403" in server.raw(f"GET /?token={server.token} HTTP/1.0\r\n\r\n".encode()), "no Host at all")


def other_methods(server):
    for method in ("POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH", "TRACE", "CONNECT", "PROPFIND"):
        answer = server.raw(f"{method} /?token={server.token} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        check(b" 405 " in answer.split(b"\r\n")[0] and b"<main" not in answer, f"{method}: {answer[:60]}")


def other_paths(server):
    for path in ("/../../../../etc/passwd", "/..%2f..%2f..%2fetc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd",
                 "/p.yaml", "/study.db", "/p.gofh/study.db", "/secret.txt", "/style.css/../../p.yaml", "/.",
                 "/trial?study=0&trial=../../secret", "/trial?study=0&trial=-1", "/trial?study=0&trial=99999999999999999",
                 "/trial?study=9&trial=1", "/trial?study=-1&trial=1", "/trial?study=0&trial=1e3", "/part?study=0&part=../x",
                 "/trial?study=%00&trial=%00", "/part?study=0", "/trial", "/trials"):
        status, _, data = server.get(path)
        check(status == 404, f"{path}: {status}")
        check(not any(secret in data for secret in SECRETS), f"{path} leaks")
    for query in ("sort=x%27", "sort=99999999999999999999", "filter=%3Cscript%3Ealert(1)%3C/script%3E", "filter=f%20%3C",
                  "filter=" + "a" * 4000, "filter=%25s%25s%25n", "from=99999999999", "from=-5", "descending=1&sort=f"):
        status, _, data = server.get(f"/trials?study=0&{query}")
        check(status == 200 and b"<script>alert" not in data, f"{query}: {status}")
    status, headers, data = server.get("/trial?study=0&trial=" + FAILED)
    check(status == 200 and b"&lt;script&gt;" in data and b"<script" not in data, "the output of a failed trial")
    for name, value in (("Content-Security-Policy", "default-src 'none'"), ("X-Content-Type-Options", "nosniff"),
                        ("Referrer-Policy", "no-referrer"), ("Cache-Control", "no-store")):
        check(value in (headers[name] or ""), f"the header {name} is {headers[name]}")
    check(headers["Access-Control-Allow-Origin"] is None, "other origins are allowed")
    check("script-src 'self';" in headers["Content-Security-Policy"], "scripts of others are allowed")


def malformed(server):
    head = f"GET /?token={server.token} HTTP/1.1\r\nHost: localhost\r\n"
    server.raw(b"\x00\xff\xfe" * 1000)
    server.raw(b"GET " + b"/" * 100000 + b" HTTP/1.1\r\n\r\n")
    server.raw(head.encode() + b"X: " + b"y" * 1000000 + b"\r\n\r\n")
    server.raw(head.encode() + b"".join(b"X%d: y\r\n" % i for i in range(100000)) + b"\r\n")
    server.raw(head.encode() + b"Content-Length: 99999999999999999999\r\n\r\n")
    server.raw(head.encode() + b"Content-Length: 100000000\r\n\r\n" + b"z" * 1000000)
    server.raw(head.encode() + b"Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\nzz")
    server.raw(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
    check(server.is_well(), "it does not answer after malformed requests")


def slow(server):
    """Two hundred that never finish a request, a byte now and then: they are ended, and others are answered."""
    held = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(200)]
    for s in held:
        s.sendall(b"GET / HTTP/1.1\r\nHost: loc")
    ended = set()
    until = time.monotonic() + 3600
    while len(ended) < len(held) and time.monotonic() < until:
        check(server.is_well(), "it does not answer beside slow requests")
        for i, s in enumerate(held):
            if i in ended:
                continue
            try:
                s.settimeout(0.001)
                s.sendall(b"a")
                if s.recv(100) == b"":
                    ended.add(i)
            except TimeoutError:
                pass
            except OSError:
                ended.add(i)
        time.sleep(1)
    check(len(ended) == len(held), f"{len(held) - len(ended)} slow requests are still held")
    for s in held:
        s.close()


def many(server):
    """200 pages that listen and load at once."""
    listeners = []
    for _ in range(200):
        s = socket.create_connection(("127.0.0.1", server.port))
        s.sendall(f"GET /events?token={server.token} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        listeners.append(s)
    answers = []

    def load():
        for path in ("/", "/part?study=0&part=state", "/trials?study=0", "/script.js"):
            answers.append(server.get(path)[0])
    threads = [threading.Thread(target=load) for _ in range(200)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    check(answers == [200] * 800, f"of 800 requests {answers.count(200)} were answered")
    for s in listeners:
        s.settimeout(3600)
        data = b""
        while b"data: {" not in data:
            chunk = s.recv(4096)
            if not chunk:
                break
            data += chunk
        check(b"text/event-stream" in data and b"data: {" in data, "a listener hears nothing")
    # One more evaluation is heard of by all. The study is written by another process.
    with open("more.csv", "w", encoding="ascii") as file:
        file.write("a,b,c[0],c[1]\n0.5,0.5,0.5,-0.5\n")
    subprocess.run([GOFH, "import", "p.yaml", "more.csv"], check=True, capture_output=True)
    for s in listeners:
        check(b"data: {" in s.recv(4096), "a listener does not hear of a change")
        s.close()


def memory(server):
    """What thousands of requests leave behind."""
    def ask(count):
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=3600)
        for i in range(count):
            path = ("/", "/part?study=0&part=summary", "/trials?study=0&sort=f", "/trial?study=0&trial=3")[i % 4]
            connection.request("GET", path + ("&" if "?" in path else "?") + f"token={server.token}")
            connection.getresponse().read()
        connection.close()
    ask(1000)
    before = server.memory()
    ask(ROUNDS)
    after = server.memory()
    check(after < before + 2048, f"{ROUNDS} requests: from {before} to {after} KiB")
    print(f"memory: {before} KiB, after {ROUNDS} more requests {after} KiB")


def polling():
    """Hours of following two open trials: memory does not grow. HURRY makes them short."""
    with open("p.yaml", encoding="utf-8") as file:
        problem = file.read().replace("budget: 12", "budget: 20")
    with open("q.yaml", "w", encoding="utf-8") as file:
        file.write(problem)
    subprocess.run([GOFH, "ask", "q.yaml", "-n", "2"], check=True, capture_output=True)
    done = subprocess.run([GOFH, "serve", "q.yaml"], capture_output=True, text=True, check=False,
                          env={**os.environ, "LD_PRELOAD": HURRY, "GOFH_TICKS": str(TICKS)})
    found = [int(n) for n in re.findall(r"ticks: (\d+) KiB", done.stderr)]
    check(len(found) == 2 and found[1] <= found[0] + 512, f"{TICKS} ticks: {done.stderr}")
    print(f"polling: {TICKS} ticks, {TICKS / 7200:.0f} hours: {found} KiB")


def orphan():
    """A page that a run serves is gone when the run is, however it ended."""
    with open("r.yaml", "w", encoding="utf-8") as file:
        file.write(PROBLEM.replace("sh ../../../simulate.sh {params} {results}", "sleep 3"))
    run = subprocess.Popen([GOFH, "run", "r.yaml", "--serve"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    match = re.search(r"127\.0\.0\.1:(\d+)/\?token=(\w+)", run.stderr.readline())
    connection = http.client.HTTPConnection("127.0.0.1", int(match[1]), timeout=3600)
    connection.request("GET", f"/?token={match[2]}")
    check(connection.getresponse().status == 200, "the page of a run is not answered")
    connection.close()
    run.kill()
    run.wait()
    for _ in range(600):
        try:
            socket.create_connection(("127.0.0.1", int(match[1])), timeout=5).close()
        except OSError:
            return
        time.sleep(0.1)
    check(False, "a page outlives its run")


def main():
    global FAILED
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        for name, text in (("p.yaml", PROBLEM), ("simulate.sh", SIMULATOR), ("secret.txt", "SECRET")):
            with open(name, "w", encoding="utf-8") as file:
                file.write(text)
        subprocess.run([GOFH, "run", "p.yaml"], check=True, capture_output=True)
        rows = subprocess.run([GOFH, "export", "p.yaml"], check=True, capture_output=True, text=True).stdout.splitlines()
        FAILED = next(row.split(",")[0] for row in rows if ",failed," in row)
        before = fingerprint()
        server = Server()
        try:
            check(server.is_well(), "it does not answer")
            for attack in (without_the_right_words, other_methods, other_paths, malformed, slow):
                attack(server)
                check(server.is_well(), f"it is ill after {attack.__name__}")
            if HURRY:
                memory(server)
            check(fingerprint() == before, "the study has changed")
            many(server)
            check(server.is_well(), "it is ill after many clients")
        finally:
            status = server.close()
        check(status == 0, f"it ended with {status}")
        # Only this machine is listened to, and a name is answered to where it was given.
        server = Server("--host", "proxy.example")
        check(server.get("/", host="proxy.example:443")[0] == 200, "the name given by --host is refused")
        check(server.get("/", host="evil.example")[0] == 403, "another name is not")
        own = socket.gethostbyname(socket.gethostname())
        if not own.startswith("127."):
            try:
                socket.create_connection((own, server.port), timeout=5).close()
                check(False, f"it listens on {own}")
            except OSError:
                pass
        taken = subprocess.run([GOFH, "serve", "p.yaml", "--port", str(server.port)], capture_output=True, text=True)
        check(taken.returncode == 4 and f"port {server.port} of 127.0.0.1 can't be used" in taken.stderr, taken.stderr)
        server.close()
        orphan()
        if HURRY:
            polling()


GOFH = os.path.abspath(sys.argv[1])
FAILED = ""
HURRY = os.path.abspath(sys.argv[2]) if len(sys.argv) > 2 else None
ROUNDS, TICKS = (50000, 720000) if os.environ.get("GOFH_TORTURE") else (2000, 72000)
main()
sys.exit(1 if failures else 0)
