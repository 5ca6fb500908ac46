"""The web client in a real browser, as a reader has it: rows, columns, keys, fingers and addresses."""

import contextlib
import glob
import json
import os
import sys
import tempfile

from harness.client import DEADLINE, wait_until

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
# 'make system-test-deps' makes it.
PACKAGES = glob.glob(os.path.join(ROOT, ".build", "browser", "lib", "python3*", "site-packages"))
sys.path += PACKAGES

from selenium import webdriver  # noqa: E402
from selenium.common.exceptions import WebDriverException  # noqa: E402
from selenium.webdriver import ActionChains  # noqa: E402
from selenium.webdriver.chrome.service import Service  # noqa: E402
from selenium.webdriver.common.by import By  # noqa: E402

WIDE = (1440, 900)
NARROW = (390, 844)
TOKEN = "browser-test-token-1"

# What the reader sees: the titles of the rows in the visible part of the last level, in their order.
SEEN = """
const list = document.querySelector('.pane.end .scroller')
if (!list) return []
const box = list.getBoundingClientRect()
return [...list.querySelectorAll('.item')].map(item => [item.getBoundingClientRect().top - box.top, item])
  .filter(([top]) => top > -44 && top < box.height).sort((a, b) => a[0] - b[0])
  .map(([, item]) => item.querySelector('.title')?.textContent ?? null)
"""


class Window:
    """A window of a headless Chromium with an empty profile; leaving the `with` block closes it."""

    def __init__(self, origin, size=WIDE, dark=False, touch=False, reduced_motion=True, forced_colours=False):
        self.origin = origin
        self.size = size
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        # The sandbox does not work for root and in most containers; the page is our own.
        for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--lang=en-US",
                         f"--user-data-dir={self.profile.name}", "--window-size=%d,%d" % size):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
        self.driver.set_script_timeout(DEADLINE)
        self.is_dark, self.touch = dark, touch
        self.reduced_motion, self.forced_colours = reduced_motion, forced_colours
        self._emulate()

    def _emulate(self):
        size, touch = self.size, self.touch
        self.tell("Emulation.setDeviceMetricsOverride", width=size[0], height=size[1], deviceScaleFactor=1,
                  mobile=touch)
        if touch:
            self.tell("Emulation.setTouchEmulationEnabled", enabled=True, maxTouchPoints=1)
        self.tell("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if self.is_dark else "light"},
            {"name": "forced-colors", "value": "active" if self.forced_colours else "none"},
            {"name": "prefers-reduced-motion", "value": "reduce" if self.reduced_motion else "no-preference"}])

    def begin_anew(self):
        """An empty tab of a browser that has forgotten all pages; a new window takes two seconds of a processor more."""
        old = self.driver.current_window_handle
        self.driver.switch_to.new_window("tab")
        new = self.driver.current_window_handle
        self.driver.switch_to.window(old)
        self.driver.close()
        self.driver.switch_to.window(new)
        self.tell("Storage.clearDataForOrigin", origin=self.origin, storageTypes="all")
        self.tell("Network.clearBrowserCache")
        self._emulate()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with contextlib.suppress(WebDriverException):
            self.driver.quit()
        self.profile.cleanup()

    def tell(self, command, **arguments):
        return self.driver.execute_cdp_cmd(command, arguments)

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    # Going

    def open(self, path="/", token=None):
        if token:
            # Session storage belongs to an origin: it can be set only there.
            self.driver.get(self.origin + "/healthz")
            self.run("sessionStorage.setItem('token', arguments[0])", token)
        self.driver.get(self.origin + path)
        return self

    @property
    def path(self):
        return self.driver.current_url.removeprefix(self.origin)

    def is_at(self, path):
        return self.soon(lambda: self.path == path)

    def back(self):
        self.driver.back()

    def forward(self):
        self.driver.forward()

    def reload(self):
        self.driver.refresh()

    # Seeing

    def soon(self, question):
        """Whether the question is answered by something true before the deadline; what the page redraws is asked again."""
        def ask():
            try:
                return question() or None
            # What is not there yet, or is not there any more.
            except (WebDriverException, LookupError, StopIteration):
                return None
        # A question goes through several processes: asked without a pause, it keeps a processor from the page.
        return bool(wait_until(ask, every=0.05))

    def find(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def text(self, selector):
        return self.run("return document.querySelector(arguments[0])?.textContent ?? null", selector)

    def seen(self):
        return self.run(SEEN)

    def shows(self, titles):
        """Whether the last level soon shows exactly these rows."""
        return self.soon(lambda: self.seen() == titles)

    def headers(self):
        return self.run("return [...document.querySelectorAll('.pane.end .section-header')].map(e => e.textContent)")

    def fields(self):
        """The fields of the detail that is shown, as name and text."""
        return dict(self.run("return [...document.querySelectorAll('.pane.detail .detail-body > .fields > .field')]"
                             ".map(e => [e.children[0].textContent, e.children[1].textContent])"))

    def title_is(self, title):
        return self.soon(lambda: self.driver.title == title)

    def rows_in_page(self):
        return self.run("return document.querySelectorAll('.item').length")

    def notices(self):
        return self.run("return [...document.querySelectorAll('.notice')].map(e => e.firstChild.textContent)")

    def complaints(self):
        """What the browser's console reports: errors, and violations of the Content-Security-Policy."""
        return [entry["message"] for entry in self.driver.get_log("browser")
                # A request that the server refuses or that cannot reach it is reported too; tests expect those.
                if entry["level"] == "SEVERE" and entry["source"] != "network"]

    # Doing

    def click(self, selector):
        return self.soon(lambda: self.find(selector).click() or True)

    def row(self, title):
        for row in self.all(".pane.end .row"):
            if self.run("return arguments[0].querySelector('.title')?.textContent", row) == title:
                return row
        raise WebDriverException(f"no row '{title}'")

    def click_row(self, title):
        return self.soon(lambda: self.row(title).click() or True)

    def tap_row(self, title):
        def tap():
            box = self.run("arguments[0].scrollIntoView({block: 'nearest'});"
                           "const r = arguments[0].getBoundingClientRect();"
                           "return {x: r.left + r.width / 3, y: r.top + r.height / 2}", self.row(title))
            self.tell("Input.dispatchTouchEvent", type="touchStart", touchPoints=[box])
            self.tell("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
            return True
        return self.soon(tap)

    def keys(self, *keys):
        ActionChains(self.driver).send_keys(*keys).perform()

    def hold(self, modifier, *keys):
        ActionChains(self.driver).key_down(modifier).send_keys(*keys).key_up(modifier).perform()

    def focused(self):
        return self.run("return document.activeElement.querySelector?.('.title')?.textContent ?? document.activeElement.ariaLabel")

    def focus_row(self, title):
        return self.soon(lambda: self.run("arguments[0].focus()", self.row(title)) is None)

    def menu(self, button, item):
        """Opens a menu of the last pane and takes one of its items."""
        self.click(f'.pane.end .tools [aria-label="{button}"]')
        # Taking it closes the menu: nothing more is asked of it then.
        return self.soon(lambda: next(each for each in self.all(".panel .menu-item") if each.text == item).click() is None)

    def choose(self, label, text):
        """Chooses an option of the field with this label in the menu that is open."""
        return self.soon(lambda: self.run("""
            const field = document.querySelector(`.panel select[aria-label="${arguments[0]}"]`)
            const option = [...field.options].find(option => option.text === arguments[1])
            field.value = option.value
            field.dispatchEvent(new Event('change'))
            return true""", label, text))

    def drag(self, handle, target, below=0):
        ActionChains(self.driver).click_and_hold(handle).move_to_element_with_offset(target, 0, below) \
            .pause(0.1).release().perform()

    def screenshot(self, file):
        self.driver.save_screenshot(file)

    def heap_bytes(self):
        self.tell("HeapProfiler.collectGarbage")
        return self.tell("Runtime.getHeapUsage")["usedSize"]

    def axe(self):
        """What axe-core finds wrong with what is shown, as sentences."""
        file, = glob.glob(os.path.join(PACKAGES[0], "axe_playwright_python", "axe.min.js"))
        with open(file, encoding="utf-8") as source:
            self.run(source.read())
        results = self.driver.execute_async_script("""
            const done = arguments[arguments.length - 1]
            const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
            axe.run(document, {runOnly: tags}).then(({violations}) => done(violations), error => done([{id: String(error), nodes: []}]))""")
        return [f"{found['id']}: {json.dumps([node['html'] for node in found['nodes'][:3]])}" for found in results]


def origin(server):
    return f"http://127.0.0.1:{server.port}"


def expect_no_complaints(verdict, window, name=""):
    found = window.complaints()
    verdict.expect(found == [], f"{name}the console has {found}")
