"""Windows of the other engines: Firefox, by its own protocol (Marionette) and by WebDriver BiDi, and WebKitGTK, by its driver.

Debian has no geckodriver, which translates WebDriver's commands to those of Marionette: `Marionette` translates the commands
that the tests use. The size of the page is set by BiDi, because the window has a least width.
"""

import glob
import json
import os
import pathlib
import socket
import subprocess
import tempfile

from harness.client import DEADLINE, wait_until
from harness.web_client import WIDE, Window

import websocket
from selenium import webdriver
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.remote.command import Command
from selenium.webdriver.webkitgtk.options import Options as WebKitGTKOptions
from selenium.webdriver.webkitgtk.service import Service as WebKitGTKService

# The name of a command, and those of its parameters that Marionette calls by another name.
COMMANDS = {
    Command.NEW_SESSION: "NewSession", Command.GET: "Navigate", Command.GO_BACK: "Back", Command.GO_FORWARD: "Forward",
    Command.REFRESH: "Refresh", Command.GET_CURRENT_URL: "GetCurrentURL", Command.GET_TITLE: "GetTitle",
    Command.FIND_ELEMENT: "FindElement", Command.FIND_ELEMENTS: "FindElements", Command.CLICK_ELEMENT: "ElementClick",
    Command.CLEAR_ELEMENT: "ElementClear", Command.SEND_KEYS_TO_ELEMENT: "ElementSendKeys", Command.GET_ELEMENT_TEXT: "GetElementText",
    Command.W3C_EXECUTE_SCRIPT: "ExecuteScript", Command.W3C_EXECUTE_SCRIPT_ASYNC: "ExecuteAsyncScript",
    Command.W3C_ACTIONS: "PerformActions", Command.W3C_CLEAR_ACTIONS: "ReleaseActions", Command.SCREENSHOT: "TakeScreenshot",
    Command.SET_TIMEOUTS: "SetTimeouts", Command.W3C_GET_CURRENT_WINDOW_HANDLE: "GetWindowHandle"}
# Results that are not within a member `value`.
WHOLE = {Command.NEW_SESSION, Command.FIND_ELEMENTS}


class Marionette:
    """The connection of a driver to Firefox: each message is its length, a colon and a JSON array."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=DEADLINE * 4)
        self.stream = self.socket.makefile("rb")
        self.number = 0
        self._receive()

    def _receive(self):
        length = b""
        while (byte := self.stream.read(1)) != b":":
            if not byte:
                raise WebDriverException("Firefox has ended")
            length += byte
        return json.loads(self.stream.read(int(length)))

    def execute(self, command, params=None):
        params = {name: value for name, value in (params or {}).items() if name != "sessionId"}
        if command == Command.NEW_SESSION:
            params = {"webSocketUrl": True}
        if command == Command.SCREENSHOT:
            params["full"] = False
        self.number += 1
        message = json.dumps([0, self.number, f"WebDriver:{COMMANDS[command]}", params]).encode()
        self.socket.sendall(b"%d:%s" % (len(message), message))
        _, number, error, result = self._receive()
        assert number == self.number
        if error:
            raise WebDriverException(f"{error['error']}: {error['message']}")
        return {"value": result if command in WHOLE or "value" not in (result or {}) else result["value"]}

    def close(self):
        self.socket.close()


class EngineWindow(Window):
    """A window whose page can have any size, without Chromium's own protocol."""

    def complaints(self):
        """Neither driver reports the errors of scripts."""
        return []


class Firefox(EngineWindow):
    def __init__(self, origin, size=WIDE):
        self.origin = origin
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        pathlib.Path(self.profile.name, "user.js").write_text("\n".join(f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in {
            "marionette.port": 0, "devtools.jsonview.enabled": False, "ui.prefersReducedMotion": 1, "intl.accept_languages": "en-US", "datareporting.policy.dataSubmissionEnabled": False,
            "app.normandy.enabled": False, "browser.shell.checkDefaultBrowser": False, "browser.startup.page": 0,
            "network.captive-portal-service.enabled": False, "extensions.update.enabled": False}.items()))
        self.process = subprocess.Popen(
            ["/usr/lib/firefox-esr/firefox-esr", "--headless", "--marionette", "--remote-debugging-port=0", "--profile", self.profile.name],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=os.environ | {"HOME": self.profile.name, "LANG": "C.UTF-8"})
        port = pathlib.Path(self.profile.name, "MarionetteActivePort")
        wait_until(lambda: port.exists() and port.read_text().strip(), DEADLINE * 4)
        self.connection = Marionette(int(port.read_text()))
        self.driver = webdriver.Remote(command_executor=self.connection, options=webdriver.FirefoxOptions())
        self.driver.set_script_timeout(DEADLINE)
        self.bidi = websocket.create_connection(self.driver.capabilities["webSocketUrl"], timeout=DEADLINE, suppress_origin=True)
        self.sent = 0
        self.resize(size)

    def resize(self, size):
        self.size = size
        context, = self._ask("browsingContext.getTree")["contexts"]
        self._ask("browsingContext.setViewport", context=context["context"], viewport={"width": size[0], "height": size[1]})

    def _ask(self, method, **params):
        self.sent += 1
        self.bidi.send(json.dumps({"id": self.sent, "method": method, "params": params}))
        while True:
            answer = json.loads(self.bidi.recv())
            if answer.get("id") == self.sent:
                return answer["result"]

    def __exit__(self, *_):
        self.bidi.close()
        self.connection.close()
        self.process.terminate()
        self.process.wait()
        self.profile.cleanup()


class WebKit(EngineWindow):
    """The window's bar has a least width: at 390 the page has 447 pixels, which is the layout of phones too."""

    def __init__(self, origin, size=WIDE):
        self.origin = origin
        self.display = subprocess.Popen(["Xvfb", "-displayfd", "1", "-screen", "0", "2700x1700x24", "-nolisten", "tcp"],
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        display = ":" + self.display.stdout.readline().decode().strip()
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        options = WebKitGTKOptions()
        options.binary_location, = glob.glob("/usr/lib/*/webkit2gtk-4.1/MiniBrowser")
        options.add_argument("--automation")
        # The sandbox does not work for root and in most containers; the page is our own.
        environment = os.environ | {"DISPLAY": display, "HOME": self.profile.name, "LANG": "C.UTF-8", "NO_AT_BRIDGE": "1",
                                    "WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS": "1", "GDK_BACKEND": "x11"}
        self.driver = webdriver.WebKitGTK(options=options, service=WebKitGTKService("/usr/bin/WebKitWebDriver", env=environment))
        self.driver.set_script_timeout(DEADLINE)
        self.driver.get("about:blank")
        self.resize(size)

    def resize(self, size):
        self.size = size
        for _ in range(2):
            width, height = self.run("return [innerWidth, innerHeight]")
            window = self.driver.get_window_size()
            self.driver.set_window_size(window["width"] + size[0] - width, window["height"] + size[1] - height)
            self.soon(lambda: abs(self.run("return innerWidth") - max(size[0], 447)) < 4)

    def __exit__(self, *_):
        try:
            self.driver.quit()
        finally:
            self.display.terminate()
            self.display.wait()
            self.profile.cleanup()


class Chromium(Window):
    def resize(self, size):
        self.size = size
        self.tell("Emulation.setDeviceMetricsOverride", width=size[0], height=size[1], deviceScaleFactor=1, mobile=False)


ENGINES = {"chromium": Chromium, "firefox": Firefox, "webkit": WebKit}
