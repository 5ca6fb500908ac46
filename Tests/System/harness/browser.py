"""A web page in a real browser: served from an origin of its own, and watched for the text that it shows."""

import http.server
import os
import signal
import subprocess
import tempfile
import threading

from harness.screen import Screen

BROWSER = "chromium-headless-shell"

# The page itself stays as it is: a frame around it, of the same origin, reports what it shows and each change of that.
FRAME = """<!doctype html>
<iframe src="/page.html"></iframe>
<script>
const frame = document.querySelector('iframe')
frame.addEventListener('load', () => {
  const page = frame.contentDocument.documentElement
  const report = () => fetch('/shown', {method: 'POST', body: page.innerText})
  new MutationObserver(report).observe(page, {childList: true, characterData: true, subtree: true})
  report()
})
</script>
"""


class PageServer(http.server.ThreadingHTTPServer):
    """Serves one page, and takes in what the frame around it reports."""

    daemon_threads = True

    def __init__(self, page, screen):
        super().__init__(("127.0.0.1", 0), PageHandler)
        self.screen = screen
        self.bodies = {"/": FRAME, "/page.html": page}


class PageHandler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = self.server.bodies.get(self.path)
        self.send_response(404 if body is None else 200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write((body or "").encode())

    def do_POST(self):
        self.server.screen.show(self.rfile.read(int(self.headers["Content-Length"])).decode())
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


class Browser:
    """Shows a page as one of `origin` (`http://HOST:PORT`); `hosts` maps further HOST:PORT to ports of this machine."""

    def __init__(self, page, origin, hosts):
        self.screen = Screen()
        self.pages = PageServer(page, self.screen)
        threading.Thread(target=self.pages.serve_forever, daemon=True).start()
        hosts = hosts | {origin.removeprefix("http://"): self.pages.server_port}
        rules = ",".join(f"MAP {host} 127.0.0.1:{port}" for host, port in hosts.items())
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        # A session of its own, since the command is a script that starts many processes. The sandbox does not work
        # for root and in most containers; the page is our own.
        self.process = subprocess.Popen(
            [BROWSER, "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--remote-debugging-port=0",
             f"--user-data-dir={self.profile.name}", f"--host-resolver-rules={rules}", origin + "/"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.pages.shutdown()
        self.pages.server_close()
        self.profile.cleanup()
