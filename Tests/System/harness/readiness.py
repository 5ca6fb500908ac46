"""What a server says of its document: the version it serves, and whether it is up to date."""

from harness.client import get
from harness.documents import version_of


def document_of(port):
    return f"http://127.0.0.1:{port}/document"


def served(server):
    return version_of(get(server.port, "/levels/"))


def ready(server):
    return get(server.port, "/readyz").json()


def is_stale(server):
    answer = ready(server)
    return answer["status"] == "stale" and len(answer.get("lastError", "").split()) > 3


def is_ok(server):
    return ready(server)["status"] == "ok"
