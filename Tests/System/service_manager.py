#!/usr/bin/env python3
"""Listens everywhere it may, and tells a service manager how it is.

Addresses of both families, Unix domain sockets, and sockets that were handed over; the notifications of a start, reloads
and a stop; the watchdog, while each kind of thread hangs; and requests that come before the first document is loaded.
"""

# Slips: drilldown

import os
import plistlib
import signal
import socket
import stat
import subprocess
import tempfile
import threading
import time

from harness.client import Connection, get, wait_until
from harness.server import thread_states, unused_port
from harness.service import Frozen, HeldOrigin, Receiver, Service
from harness.verdict import Verdict, options

# Half a second: a thread of a busy machine may be late by some tenths.
WATCHDOG = 0.5


def document(*titles):
    return plistlib.dumps({"Rows": [{"Title": title} for title in titles]})


def save(path, content):
    with open(path + ".new", "wb") as file:
        file.write(content)
    os.rename(path + ".new", path)


def curl(*arguments):
    ended = subprocess.run(["curl", "--silent", "--globoff", *arguments], capture_output=True, text=True, timeout=60)
    return ended.stdout


def refused(verdict, service, sentence, what):
    verdict.expect(service.ends() == 1, f"{what}: the exit status is 1")
    verdict.expect(service.logs(sentence), f"{what}: it says so: {service.log}")


# MARK: Unix domain sockets


def unix_socket(verdict, program, path, folder):
    place = os.path.join(folder, "socket")

    def mode():
        return stat.S_IMODE(os.lstat(place).st_mode)

    def is_served():
        return '"status":"ok"' in curl("--unix-socket", place, "http://localhost/readyz")

    for mask in ("0000", "0077"):
        shell = ["sh", "-c", f'umask {mask}; exec "$@"', "sh"]
        with Service(program, path, "--listen", f"unix:{place}", prefix=shell) as service:
            verdict.expect(service.logs(f" at unix:{place}"), f"the socket is told: {service.log}")
            verdict.expect(mode() == 0o660, f"with umask {mask} the mode is {mode():o}")
            verdict.expect(is_served(), f"with umask {mask} it serves")
    verdict.expect(not os.path.lexists(place), "the socket is removed at the stop")

    with Service(program, path, "--listen", f"unix:{place}") as service:
        service.logs(" at unix:")
        with Service(program, path, "--listen", f"unix:{place}") as other:
            refused(
                verdict, other,
                f"the socket '{place}' is in use by another program; choose another path, or stop that program.",
                "a socket in use")
        verdict.expect(is_served(), "the first one goes on")
        service.kill()
    verdict.expect(os.path.lexists(place), "a killed process leaves its socket")
    with Service(program, path, "--listen", f"unix:{place}", "--access-log") as service:
        verdict.expect(service.logs(f" at unix:{place}"), f"the next one takes it over: {service.log}")
        verdict.expect(is_served(), "and serves")
        verdict.expect(service.logs("drilldown: unix GET /readyz 200"), f"its clients are 'unix': {service.log}")
    verdict.expect(not os.path.lexists(place), "and removes it")


# MARK: Several addresses


def several(verdict, program, path, folder):
    place, metrics = os.path.join(folder, "one of several"), unused_port()
    ports = [unused_port(), unused_port()]
    with Service(
            program, path, "--listen", f"127.0.0.1:{ports[0]}", "--listen", f"[::1]:{ports[1]}", "--listen",
            f"unix:{place}", "--metrics-listen", f"127.1:{metrics}", "--access-log", "--trusted-proxies",
            "127.0.0.1") as service:
        verdict.expect(
            service.logs(
                f" at http://127.0.0.1:{ports[0]}/, http://[::1]:{ports[1]}/ and unix:{place}; "
                f"metrics and probes at http://127.1:{metrics}/"), f"the start names every address: {service.log}")
        for answer in (curl(f"http://127.0.0.1:{ports[0]}/readyz"), curl(f"http://[::1]:{ports[1]}/readyz"),
                       curl("--unix-socket", place, "http://localhost/readyz"),
                       curl(f"http://127.0.0.1:{metrics}/readyz")):
            verdict.expect('"status":"ok"' in answer, f"each address serves: {answer}")
        verdict.expect(get(ports[0], "/metrics").status == 404, "/metrics is not at the public address")
        verdict.expect(get(metrics, "/metrics").status == 200, "but at its own")
        verdict.expect(get(metrics, "/levels/").status == 404, "where no level is")
        with Connection(ports[0]) as connection:
            answer = connection.request("/levels/", "GET", {"X-Forwarded-For": "203.0.113.9, 192.0.2.1"})
        identifier = answer["drilldown-request"]
        verdict.expect(identifier and len(identifier) == 32, f"an answer names its request: {identifier}")
        verdict.expect(service.logs("drilldown: 192.0.2.1 GET /levels/ 200"), f"the log has the client: {service.log}")
        verdict.expect(service.logs(identifier), "and the same identifier")
        for number in (signal.SIGUSR1, signal.SIGUSR2):
            service.signal(number)
        verdict.expect(get(ports[0], "/readyz").status == 200, "SIGUSR1 and SIGUSR2 are ignored")
        verdict.expect(
            wait_until(lambda: "R" not in thread_states(service.pid)) is not None, "it sleeps while nothing happens")
        verdict.expect(service.stop() == 0, "it stops")
        verdict.expect(not os.path.lexists(place), "and removes its socket")
        verdict.expect(curl(f"http://[::1]:{ports[1]}/readyz") == "", "and each address refuses")

    # The service's own address checks no host.
    with Service(program, path, "--listen", f"unix:{place}", "--metrics-listen", f"127.0.0.1:{metrics}") as service:
        verdict.expect(service.logs("; metrics and probes at "), f"it serves: {service.log}")
        with Connection(metrics) as connection:
            answer = connection.request("/metrics", headers={"Host": "evil.example"})
        verdict.expect(answer.status == 421, f"the metrics have no host of another name: {answer.status}")


# MARK: Draining


def drains(verdict, program, path):
    for second, least, most in ((False, 1.9, 8), (True, 0, 1.9)):
        port = unused_port()
        with Service(program, path, "--listen", f"127.0.0.1:{port}", "--drain", "2") as service:
            service.logs(" at http")
            began = time.monotonic()
            service.signal(signal.SIGTERM)
            verdict.expect(service.logs("draining"), f"draining is logged: {service.log}")
            answer = get(port, "/readyz")
            verdict.expect(
                answer.status == 503 and b'"/problems/draining"' in answer.body, f"/readyz says so: {answer.body}")
            verdict.expect(get(port, "/levels/").status == 200, "a new connection is served")
            if second:
                service.signal(signal.SIGINT)
            verdict.expect(service.ends() == 0, "it exits with 0")
            took = time.monotonic() - began
            verdict.expect(least <= took <= most, f"the stop took {took:.1f} s")


# MARK: Sockets that were handed over


def handed_over(verdict, program, path, folder):
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    # In place of the address of the option.
    with Service(program, path, "--listen", "127.0.0.1:1", handed=listener) as service:
        verdict.expect(service.logs(f" at http://127.0.0.1:{port}/"), f"it serves on the socket: {service.log}")
        verdict.expect(get(port, "/readyz").status == 200, "a handed-over socket serves")
        verdict.expect(
            service.logs("--listen: 127.0.0.1:1 is not used, because the service manager handed over the sockets"),
            f"and the log says that --listen does not: {service.log}")
        verdict.expect(service.stop() == 0, "it stops")
    with Connection(port) as connection:
        connection.send("/readyz")
        with Service(program, path, handed=listener):
            answer = connection.receive()
            verdict.expect(answer.status == 200, f"a client that comes during a restart waits: {answer.status}")
    listener.close()

    place = os.path.join(folder, "handed")
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(place)
    listener.listen()
    with Service(program, path, handed=listener) as service:
        verdict.expect(service.logs(f" at unix:{place}"), f"it serves on a Unix domain socket: {service.log}")
        verdict.expect(
            '"status":"ok"' in curl("--unix-socket", place, "http://localhost/readyz"), "which serves its clients")
    verdict.expect(os.path.lexists(place), "and which it does not remove")

    # The shell passes one descriptor only, so the second one is not open.
    with Service(program, path, handed=listener, environment={"LISTEN_FDS": "2", "LISTEN_FDNAMES": "a:b"}) as service:
        refused(verdict, service, "the socket 'b' of the service manager is not ", "a second socket")
    port = unused_port()
    with Service(
            program, path, "--listen", f"127.0.0.1:{port}",
            environment={"LISTEN_FDS": "1", "LISTEN_PID": "1"}) as service:
        verdict.expect(
            service.logs(f" at http://127.0.0.1:{port}/"), f"sockets of another process are ignored: {service.log}")


def activated(verdict, program, path, folder):
    port = unused_port()
    command = ["systemd-socket-activate", f"--listen=127.0.0.1:{port}"]
    with Service(program, path, prefix=command) as service:
        service.logs("Listening on")
        verdict.expect(get(port, "/readyz").status == 200, "systemd-socket-activate: the first client is served")
        verdict.expect(service.logs(f" at http://127.0.0.1:{port}/"), f"and the log tells the address: {service.log}")
    place = os.path.join(folder, "activated")
    with Service(program, path, prefix=["systemd-socket-activate", f"--listen={place}"]) as service:
        service.logs("Listening on")
        verdict.expect(
            '"status":"ok"' in curl("--unix-socket", place, "http://localhost/readyz"),
            "systemd-socket-activate: a Unix domain socket serves")


# MARK: Notifications


def notifications(verdict, program, folder, address):
    path = os.path.join(folder, "Notified.plist")
    save(path, document("A", "B"))
    receiver = Receiver(address)
    with Service(program, path, "--listen", "127.0.0.1:0", environment=receiver.environment()) as service:
        ready = receiver.next_with("READY")
        verdict.expect(
            ready and ready["STATUS"].startswith(f"Serving {path}: 2 items, revision "), f"it says READY: {ready}")
        verdict.expect(
            receiver.messages[0] == {"STATUS": f"Loading {path}."}, f"before that it loads: {receiver.messages}")
        verdict.expect(service.logs(" at http://"), "the log says that it serves")

        before = time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000
        service.signal(signal.SIGHUP)
        reloading = receiver.next_with("RELOADING")
        ready = receiver.next_with("READY")
        after = time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000
        verdict.expect(
            reloading and ready and before <= int(reloading["MONOTONIC_USEC"]) <= after,
            f"it says RELOADING with the time, then READY: {receiver.messages}")

        began = time.monotonic()
        for titles in ("ABC", "ABCD"):
            save(path, document(*titles))
            verdict.expect(
                receiver.next(lambda message, count=len(titles): f": {count} items, " in message.get("STATUS", "")),
                f"a change is told as STATUS: {receiver.messages}")
        verdict.expect(time.monotonic() - began >= 1, "the second of them a second after the first")
        save(path, b"<plist>")
        service.signal(signal.SIGHUP)
        ready = receiver.next_with("READY")
        verdict.expect(
            ready and "4 items" in ready["STATUS"] and f" A newer version is refused: {path}:" in ready["STATUS"],
            f"a refused reload is told as STATUS: {ready}")

        service.signal(signal.SIGTERM)
        verdict.expect(receiver.next_with("STOPPING"), f"it says STOPPING: {receiver.messages}")
        verdict.expect(service.ends() == 0, "and stops")
    verdict.expect(not any("WATCHDOG" in message for message in receiver.messages), "there is no watchdog unasked")

    save(path, document("A"))
    lost = {"NOTIFY_SOCKET": os.path.join(folder, "no manager")}
    with Service(program, path, "--listen", "127.0.0.1:0", environment=lost) as service:
        verdict.expect(service.logs("1 item, at http"), f"it serves without the manager's socket: {service.log}")
        verdict.expect(service.stop() == 0, "and stops")
        told = [line for line in service.log if "the service manager cannot be notified: sendto failed: " in line]
        verdict.expect(len(told) == 1, f"the log says once that the manager is not notified: {service.log}")


def two_reloads(verdict, program, folder):
    """Two signals during one load: the service is ready once both reloads have ended, and says so once."""
    origin = HeldOrigin(document("A"))
    origin.released.set()
    receiver = Receiver(os.path.join(folder, "reloads"))
    with Service(
            program, origin.url, "--listen", "127.0.0.1:0", "--refresh", "3600",
            environment=receiver.environment()) as service:
        verdict.expect(receiver.next_with("READY"), f"it is ready: {receiver.messages}")
        origin.released.clear()
        for _ in range(2):
            service.signal(signal.SIGHUP)
            verdict.expect(receiver.next_with("RELOADING"), f"a reload is announced: {receiver.messages}")
            verdict.expect(wait_until(lambda: origin.requests >= 2) is not None, "the document is asked for again")
        first, origin.released = origin.released, threading.Event()
        first.set()
        verdict.expect(wait_until(lambda: origin.requests >= 3) is not None, "the second reload follows the first")
        verdict.expect(
            receiver.next_with("READY", within=0.5) is None, f"it is not ready between the two: {receiver.messages}")
        origin.released.set()
        verdict.expect(receiver.next_with("READY"), f"it is ready again: {receiver.messages}")
        verdict.expect(service.stop() == 0, "it stops")
        verdict.expect(receiver.next_with("STOPPING"), f"and says so: {receiver.messages}")
    told = [name for message in receiver.messages for name in ("READY", "RELOADING", "STOPPING") if name in message]
    verdict.expect(
        told == ["READY", "RELOADING", "RELOADING", "READY", "STOPPING"], f"one READY follows two reloads: {told}")


def watchdog(verdict, program, path, folder):
    receiver = Receiver(os.path.join(folder, "watchdog"))
    microseconds = str(int(WATCHDOG * 1e6))
    environment = receiver.environment(WATCHDOG_USEC=microseconds)

    def is_fed(within=60):
        return receiver.next_with("WATCHDOG", within) is not None

    def hungers(what):
        # A round that was complete before may still be told.
        is_fed(WATCHDOG)
        verdict.expect(not is_fed(4 * WATCHDOG), f"the watchdog is not fed while {what} does not run")

    with Service(program, path, "--listen", "127.0.0.1:0", "--threads", "2", environment=environment) as service:
        verdict.expect(receiver.next_with("READY"), "it is ready")
        for _ in range(3):
            verdict.expect(is_fed(), "the watchdog is fed")
        service.signal(signal.SIGSTOP)
        hungers("the process")
        service.signal(signal.SIGCONT)
        verdict.expect(is_fed(), "the watchdog is fed again")
        names = service.threads()
        workers = [thread for thread, name in names.items() if name.startswith("MHD-worker")]
        stores = [thread for thread, name in names.items() if name == "store"]
        verdict.expect(len(workers) == 2 and len(stores) == 1, f"the threads are known: {names}")
        for what, thread in [("the main thread", service.pid), *(("a serving thread", one) for one in workers),
                             *(("the store's thread", one) for one in stores)]:
            with Frozen(thread):
                hungers(what)
            verdict.expect(is_fed(), f"the watchdog is fed again after {what} has gone on")
        verdict.expect(not service.logs(" GET ", within=0), "the log has nothing of it")

    other = Receiver(os.path.join(folder, "other"))
    environment = other.environment(WATCHDOG_USEC=microseconds, WATCHDOG_PID="1")
    with Service(program, path, "--listen", "127.0.0.1:0", environment=environment):
        verdict.expect(other.next_with("READY"), "it is ready")
        verdict.expect(
            other.next_with("WATCHDOG", 4 * WATCHDOG) is None, "a watchdog of another process is not fed")


# MARK: Before the first load


def first_load(verdict, program, folder):
    origin = HeldOrigin(document("A", "B"))
    receiver = Receiver("@" + os.path.join(folder, "loading"))
    port = unused_port()
    address = f"127.0.0.1:{port}"
    with Service(
            program, origin.url, "--listen", address, "--refresh", "3600",
            environment=receiver.environment()) as service:
        verdict.expect(origin.is_asked(), "the document is asked for")
        verdict.expect(
            service.logs(f"loading {origin.url} for http://{address}/; until it is loaded, requests are answered"),
            f"a long load is logged: {service.log}")
        verdict.expect(receiver.next_with("EXTEND_TIMEOUT_USEC"), f"the manager gives time: {receiver.messages}")
        verdict.expect(get(port, "/healthz").json() == {"status": "alive"}, "the service is alive")
        for target in ("/readyz", "/levels/", "/", "/nothing"):
            answer = get(port, target)
            verdict.expect(
                answer.status == 503 and answer["Retry-After"] == "1"
                and answer["Content-Type"] == "application/problem+json"
                and answer.json()["type"] == "/problems/not-ready", f"{target} is not ready: {answer.status}")
        with Service(program, origin.url, "--listen", address) as other:
            refused(verdict, other, f"port {port} on 127.0.0.1 is in use by another program;", "a port in use")
        service.signal(signal.SIGHUP)
        verdict.expect(get(port, "/healthz").status == 200, "SIGHUP does not end it")
        verdict.expect(not service.logs("serving", within=0), f"it does not say that it serves: {service.log}")
        origin.released.set()
        verdict.expect(service.logs(f"serving {origin.url}, 2 items, at http://{address}/"), "then it serves")
        verdict.expect(get(port, "/readyz").status == 200, "it is ready")
        order = [receiver.next(lambda message: "READY" in message or "RELOADING" in message) for _ in range(3)]
        verdict.expect(
            [message and ("READY" in message) for message in order] == [True, False, True],
            f"SIGHUP is followed after the first load: {receiver.messages}")

    origin = HeldOrigin(b"", status="404 Not Found")
    with Service(program, origin.url, "--listen", "127.0.0.1:0", environment=receiver.environment()) as service:
        verdict.expect(origin.is_asked(), "the document is asked for")
        service.signal(signal.SIGTERM)
        verdict.expect(service.ends() == 0, "SIGTERM during the first load ends it with status 0")
        verdict.expect(receiver.next_with("STOPPING"), "and the manager knows")
    place = os.path.join(folder, "early")
    with Service(program, origin.url, "--listen", f"unix:{place}") as service:
        verdict.expect(service.logs("loading "), f"a long load is logged: {service.log}")
        origin.released.set()
        refused(verdict, service, "404", "a refused first document")
        verdict.expect(not os.path.lexists(place), "and the socket is removed")


def main():
    arguments = options(__doc__)
    with Verdict("service_manager") as verdict, tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "Data.plist")
        save(path, document("A", "B"))
        unix_socket(verdict, arguments.server, path, folder)
        save(path, document("A", "B"))
        several(verdict, arguments.server, path, folder)
        drains(verdict, arguments.server, path)
        handed_over(verdict, arguments.server, path, folder)
        activated(verdict, arguments.server, path, folder)
        notifications(verdict, arguments.server, folder, os.path.join(folder, "notify"))
        two_reloads(verdict, arguments.server, folder)
        watchdog(verdict, arguments.server, path, folder)
        first_load(verdict, arguments.server, folder)


if __name__ == "__main__":
    main()
