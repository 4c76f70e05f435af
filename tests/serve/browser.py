"""A headless Chromium that tests can click in: the DevTools protocol over a WebSocket, with the standard library."""
import base64
import json
import os
import shutil
import socket
import struct
import subprocess
import tempfile
import time
import urllib.request


class Socket:
    """As much of a WebSocket as one browser needs."""

    def __init__(self, address):
        host, _, path = address.removeprefix("ws://").partition("/")
        name, _, port = host.partition(":")
        self.socket = socket.create_connection((name, int(port)), timeout=600)
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall((f"GET /{path} HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                             f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n").encode())
        self.file = self.socket.makefile("rb")
        while self.file.readline().strip():
            pass

    def send(self, text):
        data, mask = text.encode(), os.urandom(4)
        size = len(data)
        head = struct.pack("!BB", 0x81, 0x80 | size) if size < 126 else (
            struct.pack("!BBH", 0x81, 0xfe, size) if size < 65536 else struct.pack("!BBQ", 0x81, 0xff, size))
        self.socket.sendall(head + mask + bytes(b ^ mask[i % 4] for i, b in enumerate(data)))

    def receive(self):
        text = b""
        while True:
            first, second = self.file.read(2)
            size = second & 0x7f
            if size > 125:
                size = struct.unpack("!H" if size == 126 else "!Q", self.file.read(2 if size == 126 else 8))[0]
            text += self.file.read(size)
            if first & 0x80:
                return text.decode()


class Browser:
    """One page. What it says on its console, dialogs it opens and addresses it asks for are kept."""

    def __init__(self, program="chromium"):
        self.profile = tempfile.mkdtemp()
        self.process = subprocess.Popen(
            [program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
             "--remote-debugging-port=0", f"--user-data-dir={self.profile}", "--window-size=1280,900", "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        port = self.wait_for(lambda: self.read_port(), "the browser's port")
        pages = json.load(urllib.request.urlopen(f"http://127.0.0.1:{port}/json"))
        self.socket = Socket(next(p for p in pages if p["type"] == "page")["webSocketDebuggerUrl"])
        self.number, self.console, self.dialogs, self.addresses = 0, [], [], []
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def read_port(self):
        try:
            with open(f"{self.profile}/DevToolsActivePort", encoding="ascii") as file:
                return file.readline().strip()
        except OSError:
            return None

    def close(self):
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)

    @staticmethod
    def wait_for(condition, what, seconds=600):
        """Its value, once it is true."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            value = condition()
            if value:
                return value
            time.sleep(0.1)
        raise AssertionError(f"not seen: {what}")

    def heard(self, message):
        kind, about = message.get("method"), message.get("params", {})
        if kind == "Page.javascriptDialogOpening":
            self.dialogs.append(about["message"])
            self.number += 1
            self.socket.send(json.dumps({"id": self.number, "method": "Page.handleJavaScriptDialog",
                                         "params": {"accept": True}}))
        elif kind == "Runtime.exceptionThrown":
            self.console.append(str(about["exceptionDetails"]))
        elif kind == "Runtime.consoleAPICalled":
            self.console.append(str(about["args"]))
        elif kind == "Log.entryAdded":
            self.console.append(about["entry"]["text"])
        elif kind == "Network.requestWillBeSent":
            self.addresses.append(about["request"]["url"])

    def call(self, method, **params):
        self.number += 1
        number = self.number
        self.socket.send(json.dumps({"id": number, "method": method, "params": params}))
        while True:
            message = json.loads(self.socket.receive())
            if message.get("id") == number:
                assert "error" not in message, (method, message)
                return message["result"]
            self.heard(message)

    def evaluate(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in result, (expression, result["exceptionDetails"])
        return result["result"].get("value")

    def open(self, address):
        self.call("Page.navigate", url=address)
        self.until("document.readyState === 'complete' && location.href !== 'about:blank'")

    def until(self, expression, seconds=600):
        value = f"(() => {{ const value = {expression}; return value instanceof Node ? true : value; }})()"
        return self.wait_for(lambda: self.evaluate(value), expression, seconds)

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, x, y, count=1):
        for i in range(1, count + 1):
            self.mouse("mousePressed", x, y, button="left", clickCount=i)
            self.mouse("mouseReleased", x, y, button="left", clickCount=i)

    def drag(self, x0, y0, x1, y1):
        self.mouse("mousePressed", x0, y0, button="left", clickCount=1)
        for i in range(1, 6):
            self.mouse("mouseMoved", x0 + (x1 - x0) * i / 5, y0 + (y1 - y0) * i / 5, button="left", buttons=1)
        self.mouse("mouseReleased", x1, y1, button="left", clickCount=1)

    def type(self, selector, text):
        self.evaluate(f"{{const e = document.querySelector({json.dumps(selector)}); e.focus(); e.value = ''; "
                      "e.dispatchEvent(new Event('input', {bubbles: true}))}")
        self.call("Input.insertText", text=text)

    def box(self, selector):
        """Left, top, width and height in the window, to which it is scrolled."""
        return self.evaluate(f"(() => {{const e = document.querySelector({json.dumps(selector)}); "
                             "e.scrollIntoView({block: 'center'}); const b = e.getBoundingClientRect(); "
                             "return [b.left, b.top, b.width, b.height]})()")

    def picture(self, path, width, dark=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=1000, deviceScaleFactor=1, mobile=width < 600)
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        time.sleep(0.3)
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        shot = self.call("Page.captureScreenshot", captureBeyondViewport=True,
                         clip={"x": 0, "y": 0, "width": width, "height": min(size["height"], 12000), "scale": 1})
        with open(path, "wb") as file:
            file.write(base64.b64decode(shot["data"]))

    def window(self, width=1280, height=900):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
