"""A reverse proxy in front of the service: at a path of its own, slow for some targets, and with a record of what was asked for."""

import collections
import contextlib
import http.client
import http.server
import threading
import time

HOP_BY_HOP = {"connection", "transfer-encoding", "keep-alive"}


class Proxy(http.server.ThreadingHTTPServer):
    """Forwards requests below `base` without it; `delay` gives the seconds that a target waits before it is forwarded."""

    daemon_threads = True

    def __init__(self, port, base="", delay=lambda target: 0):
        super().__init__(("127.0.0.1", 0), Forwarding)
        self.service, self.base, self.delay = port, base, delay
        self.asked = []
        # For each target, whether each request for it had a token.
        self.tokens = collections.defaultdict(list)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def port(self):
        return self.server_port

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()


class Forwarding(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def forward(self):
        proxy = self.server
        proxy.asked.append(self.path)
        proxy.tokens[self.path].append("Authorization" in self.headers)
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))) or None
        if not self.path.startswith(proxy.base + "/"):
            self.send_response(404)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        target = self.path.removeprefix(proxy.base)
        time.sleep(proxy.delay(target))
        # The browser may have gone, and the service may end.
        with contextlib.suppress(OSError, http.client.HTTPException):
            self._answer(target, body)
        self.close_connection = True

    def _answer(self, target, body):
        connection = http.client.HTTPConnection("127.0.0.1", self.server.service)
        connection.request(self.command, target, body, {
            name: value for name, value in self.headers.items() if name.lower() not in HOP_BY_HOP})
        answer = connection.getresponse()
        self.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in HOP_BY_HOP | {"date"}:
                self.send_header(name, value)
        # The end of the connection ends the body: a stream has no length.
        self.send_header("Connection", "close")
        self.end_headers()
        while piece := answer.read1(65_536):
            self.wfile.write(piece)
            self.wfile.flush()
        connection.close()

    do_GET = do_HEAD = do_POST = do_PATCH = do_PUT = do_DELETE = forward

    def log_message(self, *_):
        pass
