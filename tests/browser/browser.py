# SPDX-License-Identifier: Apache-2.0
"""`gordian serve` in Debian's Chromium, for tests: recordings, a server over them, and a page that is used by mouse and keys.

    class Overview(browser.PageTest):
        def test_says_what_limits(self):
            page = self.serve(browser.shop())
            page.wait_for("#verdict")

Each test has a server, and a folder with a store in it. All tests of a file share one browser, whose pages are closed behind
each test. A page must be without errors in its console at the end of its test.
"""

import atexit
import functools
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
import urllib.error
import urllib.request

try:
    from selenium import webdriver
    from selenium.common import exceptions
    from selenium.webdriver import ActionChains, Keys
    from selenium.webdriver.common.by import By
except ImportError:
    raise SystemExit("python3-selenium is missing")
for program in ("chromium", "chromedriver"):
    if shutil.which(program) is None:
        raise SystemExit(f"{program} is missing")

GORDIAN = os.environ["GORDIAN_PROGRAM"]
LONGEST_WAIT_S = 60  # for what a page will show; it says nothing of how fast it is
PICTURES = pathlib.Path(__file__).resolve().parents[2] / "docs" / "pictures"

_scratch = tempfile.mkdtemp(prefix="gordian-browser-")
atexit.register(shutil.rmtree, _scratch, ignore_errors=True)


def _made(name, *words):
    """The folder that the program made, once for all tests of a file."""
    folder = os.path.join(_scratch, name)
    subprocess.run([*words, folder], check=True, stdout=subprocess.DEVNULL)
    return folder


@functools.cache
def shop():
    """Forty requests of 10 ms, each of which waits for a disk: write_shop.cc tells every moment."""
    return _made("shop", os.environ["GORDIAN_WRITE_SHOP"])


@functools.cache
def hostile_shop():
    """The same; its names are markup."""
    return _made("hostile", os.environ["GORDIAN_WRITE_SHOP"], "--hostile")


@functools.cache
def cluster(events=20_000):
    """Three nodes n0, n1, n2 that send messages to each other."""
    return _made(f"cluster-{events}", os.environ["GORDIAN_WRITE_CLUSTER"], str(events))


@functools.cache
def simulated_cluster(events_of_node=20_000):
    """Three nodes n0000, n0001, n0002 that ask each other; their clocks were measured."""
    return _made(f"simulated-{events_of_node}", os.environ["GORDIAN_SIMULATED_CLUSTER"], "--threads", "90", "3", str(events_of_node))


@functools.cache
def generated(events=1_300_000, threads=1000):
    """Pipelines, crowds at locks, and rounds; by default with a million segments."""
    return _made(f"generated-{events}", os.environ["GORDIAN_GENERATE"], "--threads", str(threads), str(events))


@functools.cache
def recorded(*words):
    """A recording of this machine while that command ran. Needs root."""
    if os.geteuid() != 0:
        raise unittest.SkipTest("must run as root: it records")
    folder = os.path.join(_scratch, "recorded-" + re.sub(r"\W+", "-", "-".join(words))[-60:])
    subprocess.run([GORDIAN, "record", "-o", folder, "--", *words], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return folder


def analyze_json(folder, *options):
    """What the command line says of a recording."""
    return json.loads(subprocess.run([GORDIAN, "analyze", folder, "--json", "-", "--quiet", *options], check=True, stdout=subprocess.PIPE).stdout)


class Server:
    """`gordian serve` over recordings. Its answers by `get`, with the token unless told otherwise."""

    def __init__(self, words, errors_path):
        self._errors = open(errors_path, "wb")
        self.errors_path = errors_path
        self.process = subprocess.Popen([GORDIAN, "serve", "--no-browser", *words], stdout=subprocess.PIPE, stderr=self._errors, text=True)
        for line in self.process.stdout:
            if found := re.search(r"(http://(\S+?:\d+)/\?token=(\w+))", line):
                self.address, self.host, self.token = found.groups()
                return
        self.process.wait()
        raise AssertionError("gordian serve ended: " + pathlib.Path(errors_path).read_text(errors="replace"))

    def get(self, path, token=True, headers=None):
        """(status, body as bytes)"""
        headers = dict(headers or {})
        if token:
            headers["Authorization"] = "Bearer " + self.token
        request = urllib.request.Request(f"http://{self.host}{path}", headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=LONGEST_WAIT_S) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()

    def api(self, path):
        """The JSON behind /api/PATH; waits while the recording is still being read."""
        for _ in range(LONGEST_WAIT_S * 10):
            status, body = self.get("/api/" + path)
            if status != 503:
                break
            time.sleep(0.1)
        if status != 200:
            raise AssertionError(f"/api/{path}: {status} {body!r}")
        return json.loads(body)

    def wait_until_ready(self):
        for _ in range(LONGEST_WAIT_S * 10):
            states = [recording["state"] for recording in self.api("recordings")["recordings"]]
            if "reading" not in states:
                return
            time.sleep(0.1)
        raise AssertionError("recordings were not read in time")

    def end(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.process.stdout.close()
        self._errors.close()
        return self.process.returncode


class Page:
    """A tab with the app in it."""

    def __init__(self, driver, server):
        self.driver, self.server = driver, server

    def open(self, fragment=""):
        """Goes to the app with that selection; all else of the address as the server printed it."""
        self.driver.get("about:blank")
        self.driver.get(self.server.address + "#" + fragment)
        return self

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector):
        return self.wait_for(selector)

    def wait_until(self, what, happens):
        """Asks `happens` until it says something true, which is returned; `what` is told if it never does."""
        end = time.monotonic() + LONGEST_WAIT_S
        while time.monotonic() < end:
            try:
                if result := happens():
                    return result
            except (exceptions.StaleElementReferenceException, exceptions.NoSuchElementException, exceptions.ElementClickInterceptedException):
                pass
            time.sleep(0.05)
        raise AssertionError(f"never: {what}; the page says: {self.text('body')[:2000]}")

    def wait_for(self, selector):
        return self.wait_until(f"{selector} is shown", lambda: next((e for e in self.all(selector) if e.is_displayed()), None))

    def wait_for_text(self, selector, wanted):
        return self.wait_until(f"{selector} says {wanted!r}", lambda: wanted in self.text(selector) and self.all(selector))

    def text(self, selector):
        """What is shown there. Elements that the page makes anew meanwhile are looked for again."""
        end = time.monotonic() + LONGEST_WAIT_S
        while True:
            try:
                return "\n".join(element.text for element in self.all(selector))
            except exceptions.StaleElementReferenceException:
                if time.monotonic() > end:
                    raise

    def click(self, selector):
        self.wait_until(f"{selector} can be clicked", lambda: self.one(selector).click() or True)

    def keys(self, *keys):
        """To whatever has the focus."""
        ActionChains(self.driver).send_keys(*keys).perform()

    def run(self, script, *arguments):
        """The result of JavaScript: `return …`."""
        return self.driver.execute_script(script, *arguments)

    def fragment(self):
        """The selection in the address, by name."""
        from urllib.parse import parse_qsl

        return dict(parse_qsl(self.driver.current_url.partition("#")[2], keep_blank_values=True))

    def wait_for_fragment(self, **wanted):
        """Until the address says so; None: that name is not in it."""
        return self.wait_until(f"the address says {wanted}, not {self.fragment()}", lambda: all(self.fragment().get(k) == v for k, v in wanted.items()))

    def resize(self, width, height):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})

    def use_scheme(self, scheme):
        """dark or light"""
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})

    def scrolls_sideways(self):
        return self.run("return document.documentElement.scrollWidth > document.documentElement.clientWidth")

    def errors(self):
        """Of its console since last asked."""
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] == "SEVERE" and "favicon" not in entry["message"]]


@functools.cache
def _driver():
    options = webdriver.ChromeOptions()
    for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1280,800", f"--user-data-dir={_scratch}/profile"):
        options.add_argument(word)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options)
    atexit.register(driver.quit)
    return driver


class PageTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="test-", dir=_scratch)
        os.environ["GORDIAN_STORE"] = os.path.join(self.folder, "store")
        self.page = None

    def server(self, *words):
        """`gordian serve` with these arguments, until the test ends."""
        server = Server(words, os.path.join(self.folder, f"errors-{time.monotonic_ns()}"))
        self.addCleanup(server.end)
        return server

    def serve(self, *words, fragment=""):
        """A page over these recordings, which are read."""
        server = self.server(*words)
        server.wait_until_ready()
        return self.open(server, fragment)

    def open(self, server, fragment=""):
        self.page = Page(_driver(), server)
        self.page.resize(1280, 720)
        self.page.use_scheme("light")
        self.page.errors()
        self.addCleanup(self._close)
        return self.page.open(fragment)

    def _close(self):
        errors = self.page.errors()
        self.page.driver.get("about:blank")
        self.page.driver.delete_all_cookies()
        self.assertEqual(errors, [], "the page's console")

    def picture(self, name):
        """What the window shows now, as docs/pictures/NAME.png if GORDIAN_WRITE_PICTURES is set, else in the test's folder."""
        wanted = os.environ.get("GORDIAN_WRITE_PICTURES")
        folder = PICTURES if wanted == "1" else pathlib.Path(wanted or self.folder)
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{name}.png"
        self.page.driver.save_screenshot(str(path))
        self.assertGreater(path.stat().st_size, 1000)
        return path


main = unittest.main
