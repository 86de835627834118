"""A headless Chromium, driven by ChromeDriver over plain HTTP (the WebDriver protocol)."""

import base64
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import time
import urllib.request


class Browser:
    """A window of its own, on a page that nothing but a file is needed for.

    with Browser() as browser:
        browser.open(path)
        browser.run("return document.title")
    """

    def __init__(self, width=1400, height=1000, dark=False):
        self.size = f"--window-size={width},{height}"
        self.dark = dark

    def __enter__(self):
        self.folder = tempfile.mkdtemp()
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE,
                                       stderr=subprocess.DEVNULL, text=True)
        for line in self.driver.stdout:
            if port := re.search(r"started successfully on port (\d+)", line):
                break
        else:
            raise RuntimeError("chromedriver did not start")
        self.address = f"http://127.0.0.1:{port[1]}"
        arguments = ["--headless=new", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                     "--disable-extensions", "--disable-background-networking",
                     "--hide-scrollbars", f"--user-data-dir={self.folder}", self.size]
        if os.geteuid() == 0:
            arguments.append("--no-sandbox")
        if self.dark:
            arguments.append("--blink-settings=preferredColorScheme=0")
        answer = self.request("POST", "/session", {"capabilities": {"alwaysMatch": {
            "browserName": "chrome",
            "goog:chromeOptions": {"args": arguments, "binary": shutil.which("chromium")},
            "goog:loggingPrefs": {"browser": "ALL"}}}})
        self.session = f"/session/{answer['sessionId']}"
        return self

    def __exit__(self, *_):
        try:
            self.request("DELETE", self.session)
        finally:
            self.driver.terminate()
            self.driver.wait()
            self.driver.stdout.close()
            shutil.rmtree(self.folder, ignore_errors=True)

    def request(self, method, path, body=None):
        data = None if method != "POST" else json.dumps(body or {}).encode()
        request = urllib.request.Request(self.address + path, data, method=method,
                                         headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=300) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"]) from None

    def open(self, path):
        """A file, once its scripts have drawn it."""
        self.request("POST", self.session + "/url", {"url": pathlib.Path(path).resolve().as_uri()})
        self.wait("document.documentElement.dataset.ready")

    def run(self, script, *arguments):
        """What the body of a function returns in the page."""
        return self.request("POST", self.session + "/execute/sync",
                            {"script": script, "args": arguments})

    def wait(self, condition, seconds=300):
        end = time.monotonic() + seconds
        while not self.run(f"return !!({condition})"):
            if time.monotonic() > end:
                raise RuntimeError(f"never came true: {condition}; console: {self.console()}")
            time.sleep(0.02)

    def frame(self):
        """Waits until the requested view is painted."""
        self.request("POST", self.session + "/execute/async", {
            "script": "requestAnimationFrame(() => requestAnimationFrame(arguments[0]))",
            "args": []})

    def console(self):
        """What the page wrote to the console since the last call, network included."""
        return [entry["message"] for entry in
                self.request("POST", self.session + "/se/log", {"type": "browser"})]

    def act(self, *sources):
        self.request("POST", self.session + "/actions", {"actions": list(sources)})
        self.request("DELETE", self.session + "/actions")
        self.frame()

    def wheel(self, x, y, down):
        self.act({"type": "wheel", "id": "wheel", "actions": [
            {"type": "scroll", "x": x, "y": y, "deltaX": 0, "deltaY": down}]})

    def pointer(self, *steps):
        """Steps of (x, y), or of "down" and "up"."""
        actions = [{"type": "pointerMove", "x": step[0], "y": step[1], "duration": 0}
                   if isinstance(step, tuple)
                   else {"type": "pointer" + step.capitalize(), "button": 0} for step in steps]
        self.act({"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"},
                  "actions": actions})

    def press(self, *keys):
        self.act({"type": "key", "id": "keys", "actions": [
            {"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]})

    def screenshot(self, path):
        self.frame()
        pathlib.Path(path).write_bytes(
            base64.b64decode(self.request("GET", self.session + "/screenshot")))
