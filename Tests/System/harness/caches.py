"""The proxies that Config/ sets up, in front of a service: nginx, and Varnish with its cache."""

import os
import subprocess

from harness.client import DEADLINE, get, wait_until
from harness.server import unused_port

CONFIG = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", "..", "Config"))


class Proxy:
    """A proxy in front of the service: its process and its port; leaving the `with` block ends it."""

    def answers(self):
        try:
            return get(self.port, "/healthz").status == 200
        except (ConnectionError, OSError):
            return False

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(timeout=DEADLINE)


class Nginx(Proxy):
    """Debian's nginx with an example, on a port of its own."""

    def __init__(self, folder, name, replacements):
        self.port = unused_port()
        with open(os.path.join(CONFIG, name)) as file:
            example = file.read()
        for old, new in {"listen 80;": f"listen 127.0.0.1:{self.port};", **replacements}.items():
            if old not in example:
                raise RuntimeError(f"the example has no '{old}'")
            example = example.replace(old, new)
        user = "user root;\n" if os.geteuid() == 0 else ""
        temporary = "".join(
            f"{name}_temp_path {folder}/{name};\n" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        path = os.path.join(folder, "nginx.conf")
        with open(path, "w") as file:
            file.write(
                f"{user}worker_processes 1;\nworker_rlimit_nofile 4096;\npid {folder}/pid;\n"
                f"error_log {folder}/error.log;\nevents {{ worker_connections 4096; }}\n"
                f"http {{\naccess_log off;\n{temporary}{example}}}\n")
        command = ["/usr/sbin/nginx", "-p", folder, "-c", path]
        self.check = subprocess.run([*command, "-t"], capture_output=True, text=True, timeout=DEADLINE)
        self.process = subprocess.Popen([*command, "-g", "daemon off;"], stderr=subprocess.DEVNULL)
        if wait_until(self.answers) is None:
            raise RuntimeError(f"nginx does not answer: {self.check.stderr}")


class CachingNginx(Nginx):
    """nginx with the example that has a cache."""

    def __init__(self, folder, service_port):
        super().__init__(folder, "nginx.conf", {
            "server 127.0.0.1:8080;": f"server 127.0.0.1:{service_port};",
            "/var/lib/nginx/drilldown": os.path.join(folder, "cache")})

    @staticmethod
    def is_hit(answer):
        return answer["X-Cache-Status"] == "HIT"


class Varnish(Proxy):
    """Varnish with the example, or with other rules, on a port of its own."""

    def __init__(self, folder, service_port, rules=None):
        self.port = unused_port()
        rules = rules or varnish_rules()
        if rules.count('.port = "8080";') != 1:
            raise RuntimeError("the rules do not name the port 8080 once")
        path = os.path.join(folder, "rules.vcl")
        with open(path, "w", encoding="utf-8") as file:
            file.write(rules.replace('"8080"', f'"{service_port}"'))
        with open(os.path.join(folder, "log"), "wb") as log:
            self.process = subprocess.Popen(
                ["/usr/sbin/varnishd", "-F", "-n", os.path.join(folder, "varnish"), "-j", "none", "-T", "none",
                 "-s", "malloc,16m", "-a", f"127.0.0.1:{self.port}", "-f", path], stdout=log, stderr=log)
        if wait_until(self.answers) is None:
            self.process.kill()
            with open(os.path.join(folder, "log"), encoding="utf-8") as log:
                raise RuntimeError(f"Varnish does not answer: {log.read()}")

    @staticmethod
    def is_hit(answer):
        """Whether the answer has the numbers of two requests: its own, and the one that filled the cache."""
        return len(answer["X-Varnish"].split()) == 2


class NoCache:
    """The service itself in place of a cache."""

    def __init__(self, _, service_port):
        self.port = service_port

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


def varnish_rules():
    with open(os.path.join(CONFIG, "varnish.vcl"), encoding="utf-8") as file:
        return file.read()
