#!/usr/bin/env python3
"""The examples in Config/: nginx with its cache in front, Kubernetes, Compose and Prometheus.

caches.py has the clients that wait behind nginx and Varnish.
"""

import contextlib
import gzip
import http.client
import json
import os
import re
import socket
import subprocess
import tempfile

import yaml

from harness.caches import CONFIG, CachingNginx, Nginx
from harness.client import DEADLINE, Connection, get, wait_until
from harness.postgres import Postgres
from harness.server import Server, clean_environment, unused_port
from harness.verdict import Verdict, options

ROOT = os.path.dirname(CONFIG)
TOKEN = "6fe0a1b2c3d4e5f60718"
# First answers that a cache may keep for a second.
SHARED = "public, s-maxage=1"
HEALTH_CHECK = "/usr/local/share/drilldown/Config/health-check"


def write(path, titles):
    with open(path + ".new", "w") as file:
        # Rows show short texts; together they are long enough to be coded.
        json.dump([{"Title": title} | {f"Text {number}": "x" * 200 for number in range(10)} for title in titles], file)
    os.rename(path + ".new", path)


def request(port, target, method="GET", body=b"", **headers):
    with Connection(port) as connection:
        return connection.request(
            target, method, {name.replace("_", "-"): value for name, value in headers.items()}, body)


def caches(verdict, server, nginx, document):
    direct = get(server.port, "/levels/")
    first, second = get(nginx.port, "/levels/"), get(nginx.port, "/levels/")
    verdict.expect(first["X-Cache-Status"] == "MISS", f"the first answer comes from the service: {first.headers}")
    verdict.expect(second["X-Cache-Status"] == "HIT", f"the second one from the cache: {second.headers}")
    verdict.expect(
        (second.body, second["ETag"], second["Cache-Control"]) == (direct.body, direct["ETag"], SHARED),
        f"with the body, the entity tag and the Cache-Control of the service: {second.headers}")
    count = len(server.log)
    again = wait_until(lambda: get(nginx.port, "/levels/")["X-Cache-Status"] == "REVALIDATED", every=0.2)
    verdict.expect(again is not None, "a second later the cache asks the service")
    verdict.expect(
        wait_until(lambda: any(" GET /levels/ 304 0 bytes" in line for line in server.log[count:])) is not None,
        f"which confirms what the cache has with 304: {server.log[count:]}")
    known = request(nginx.port, "/levels/", If_None_Match=direct["ETag"])
    verdict.expect(known.status == 304 and not known.body, f"a client's own If-None-Match gets 304: {known.status}")
    coded = [request(nginx.port, "/levels/", Accept_Encoding="gzip") for _ in range(2)]
    own = request(server.port, "/levels/", Accept_Encoding="gzip")
    verdict.expect(
        all(answer["ETag"] == own["ETag"] != direct["ETag"] and answer["Content-Encoding"] == "gzip"
            and gzip.decompress(answer.body) == direct.body for answer in coded),
        f"the gzip form has its own entity tag, and is not coded twice: {[answer.headers for answer in coded]}")
    verdict.expect(get(nginx.port, "/levels/").body == direct.body, "and the plain form is still found")
    listed = request(nginx.port, "/levels/", Accept="application/x-plist")
    verdict.expect(listed["Content-Type"] == "application/x-plist", f"each format is cached apart: {listed.headers}")
    asset = request(nginx.port, "/assets/a.txt", Range="bytes=2-4")
    verdict.expect(asset.status == 206 and asset.body == b"cde", f"a range of an asset passes: {asset.status}")
    write(document, ["A", "B", "C"])
    verdict.expect(
        wait_until(lambda: b'"title":"C"' in get(nginx.port, "/levels/").body) is not None,
        "a change reaches the clients behind the cache")
    missing = [get(nginx.port, "/levels/none")["X-Cache-Status"] for _ in range(2)]
    verdict.expect("HIT" not in missing, f"problems are not cached: {missing}")


def edits(verdict, server, nginx, document):
    token = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    with Connection(nginx.port) as connection:
        made = connection.request("/levels/", "POST", token, b'{"Title":"New"}')
        verdict.expect(made.status == 201, f"an edit passes: {made.status} {made.body}")
        tag = connection.request("/document", headers={"Authorization": token["Authorization"]})["ETag"]
        large = json.dumps([{"Title": f"Item {number}", "Text": "x" * 1000} for number in range(3000)]).encode()
        replaced = connection.request("/document", "PUT", token | {"If-Match": tag}, large)
        verdict.expect(
            replaced.status == 200, f"and so does a document of {len(large)} bytes: {replaced.status} {replaced.body}")
    write(document, ["A", "B"])
    verdict.expect(
        wait_until(lambda: b'"count":2' in get(nginx.port, "/levels/").body) is not None, "and the next save, too")


def host_status(port, host):
    """The status of an answer to a request that names a host."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=DEADLINE)
    try:
        connection.request("GET", "/healthz", headers={"Host": host})
        return connection.getresponse().status
    finally:
        connection.close()


def behind_nginx(verdict, program, folder):
    document = os.path.join(folder, "Data.json")
    write(document, ["A", "B"])
    os.makedirs(os.path.join(folder, "assets"))
    with open(os.path.join(folder, "assets", "a.txt"), "w") as file:
        file.write("abcdef")
    with Server(
            program, document, "--access-log", "--hosts", "www.example.org", "--cache-control", SHARED,
            environment={"DRILLDOWN_EDIT_TOKEN": TOKEN}) as server:
        with CachingNginx(folder, server.port) as nginx:
            verdict.expect(nginx.check.returncode == 0, f"nginx takes the example: {nginx.check.stderr}")
            verdict.expect("warn" not in nginx.check.stderr, f"without a warning: {nginx.check.stderr}")
            hosts = {host: host_status(nginx.port, host) for host in ("localhost", "www.example.org", "example.net")}
            verdict.expect(
                hosts == {"localhost": 200, "www.example.org": 200, "example.net": 421},
                f"the service sees the client's host, and answers to those of --hosts: {hosts}")
            caches(verdict, server, nginx, document)
            edits(verdict, server, nginx, document)
            server.stop()
            stale = asked(nginx)
            verdict.expect(
                stale.status == 200 and b'"count":2' in stale.body,
                f"while the service is down the cache answers: {stale.status}")
            with loading(program, server.port):
                stale = asked(nginx)
                verdict.expect(
                    stale.status == 200 and b'"count":2' in stale.body,
                    f"and while the next one loads, and answers with 503 itself: {stale.status}")


def asked(nginx):
    """An answer for which nginx has asked the service, whose last one is no longer fresh."""
    answers = []
    wait_until(lambda: answers.append(get(nginx.port, "/levels/")) or answers[-1]["X-Cache-Status"] != "HIT")
    return answers[-1]


@contextlib.contextmanager
def loading(program, port):
    """A service whose document does not arrive: it answers 503."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        process = subprocess.Popen(
            [program, "serve", f"http://127.0.0.1:{silent.getsockname()[1]}/", "--listen", f"127.0.0.1:{port}"],
            stderr=subprocess.DEVNULL, env=clean_environment())
        try:
            if wait_until(lambda: refuses(port)) is None:
                raise RuntimeError("no service is loading")
            yield
        finally:
            process.kill()
            process.wait()


def refuses(port):
    try:
        return get(port, "/levels/").status == 503
    except OSError:
        return False


class ConfigMapVolume:
    """A ConfigMap's folder as the kubelet makes it and swaps it: a link to a folder of one version."""

    def __init__(self, folder, files):
        self.folder = folder
        self.number = 0
        os.makedirs(folder)
        self.update(files)
        for name in files:
            os.symlink(f"..data/{name}", os.path.join(folder, name))

    def update(self, files):
        self.number += 1
        new, link = f"..2026_{self.number}", os.path.join(self.folder, "..data")
        old = os.readlink(link) if os.path.islink(link) else None
        os.makedirs(os.path.join(self.folder, new))
        for name, text in files.items():
            with open(os.path.join(self.folder, new, name), "w") as file:
                file.write(text)
        os.symlink(new, link + "_tmp")
        os.rename(link + "_tmp", link)
        if old:
            for name in os.listdir(os.path.join(self.folder, old)):
                os.remove(os.path.join(self.folder, old, name))
            os.rmdir(os.path.join(self.folder, old))


def in_kubernetes(verdict, program, folder):
    with open(os.path.join(CONFIG, "kubernetes.yaml")) as file:
        objects = {value["kind"]: value for value in yaml.safe_load_all(file)}
    verdict.expect(sorted(objects) == ["ConfigMap", "Deployment", "Service"], f"three objects: {sorted(objects)}")
    pod = objects["Deployment"]["spec"]["template"]
    container = pod["spec"]["containers"][0]
    labels = pod["metadata"]["labels"].items()
    for selector in (objects["Deployment"]["spec"]["selector"]["matchLabels"], objects["Service"]["spec"]["selector"]):
        verdict.expect(selector.items() <= labels, f"the selector finds the pods: {selector}")
    ports = {port["name"]: port["containerPort"] for port in container["ports"]}
    verdict.expect(
        ports == {"http": 8080, "metrics": 9090} and objects["Service"]["spec"]["ports"][0]["targetPort"] == "http"
        and all(container[probe]["httpGet"]["port"] == "metrics"
                for probe in ("startupProbe", "livenessProbe", "readinessProbe")),
        f"requests go to the image's port, probes to that of the metrics: {ports}")
    mounted = {volume["name"] for volume in pod["spec"]["volumes"]}
    verdict.expect(
        mounted == {mount["name"] for mount in container["volumeMounts"]}
        and not any("subPath" in mount for mount in container["volumeMounts"])
        and pod["spec"]["volumes"][0]["configMap"]["name"] == objects["ConfigMap"]["metadata"]["name"],
        f"each volume is mounted whole: {mounted}")
    security = pod["spec"]["securityContext"] | container["securityContext"]
    verdict.expect(
        security["runAsUser"] == 10001 and security["runAsNonRoot"] and security["readOnlyRootFilesystem"]
        and not security["allowPrivilegeEscalation"] and security["capabilities"] == {"drop": ["ALL"]},
        f"the process has no privileges: {security}")
    files = objects["ConfigMap"]["data"]
    volume = ConfigMapVolume(os.path.join(folder, "volume"), files)
    name, *arguments = container["args"][1:]
    with Server(program, os.path.join(volume.folder, name), *arguments) as server:
        for probe in ("livenessProbe", "readinessProbe"):
            path = container[probe]["httpGet"]["path"]
            verdict.expect(get(server.port, path).status == 200, f"the probe {path} is answered")
        for number in range(2, 5):
            volume.update({key: text.replace("Item 1", f"Item {number}") for key, text in files.items()})
            verdict.expect(
                wait_until(lambda: f'"title":"Item {number}"'.encode() in get(server.port, "/levels/").body) is not None,
                f"version {number} of the ConfigMap is loaded")


def in_compose(verdict):
    with open(os.path.join(CONFIG, "compose.yaml")) as file:
        service = yaml.safe_load(file)["services"]["drilldown"]
    verdict.expect(
        service["read_only"] and service["cap_drop"] == ["ALL"] and service["security_opt"] == ["no-new-privileges:true"],
        f"Compose takes all privileges away: {service}")
    verdict.expect(service["healthcheck"]["test"] == ["CMD", HEALTH_CHECK], f"and asks for its health: {service}")
    with open(os.path.join(ROOT, "Dockerfile")) as file:
        image = file.read()
    verdict.expect(
        f'CMD ["{HEALTH_CHECK}"]' in image and "WORKDIR /srv/drilldown" in image
        and service["volumes"] == ["./documents:/srv/drilldown:ro"] and service["ports"] == ["127.0.0.1:8080:8080"],
        "as the image does, with its folder and its port")


def with_database(verdict, program, folder):
    """The servers of compose-database.yaml and kubernetes-database.yaml, on this machine's PostgreSQL, behind its nginx."""
    with open(os.path.join(CONFIG, "compose-database.yaml")) as file:
        services = yaml.safe_load(file)["services"]
    with open(os.path.join(CONFIG, "kubernetes-database.yaml")) as file:
        objects = {value["kind"]: value for value in yaml.safe_load_all(file)}
    verdict.expect(
        sorted(objects) == ["Deployment", "Job", "PodDisruptionBudget", "Service"], f"four objects: {sorted(objects)}")
    pods = {kind: objects[kind]["spec"]["template"]["spec"] for kind in ("Deployment", "Job")}
    for name, container in [("drilldown", services["drilldown"]), ("import", services["import"])]:
        verdict.expect(
            container["read_only"] and container["cap_drop"] == ["ALL"]
            and container["security_opt"] == ["no-new-privileges:true"], f"'{name}' has no privileges: {container}")
    for kind, pod in pods.items():
        security = pod["securityContext"] | pod["containers"][0]["securityContext"]
        verdict.expect(
            security["runAsUser"] == security["fsGroup"] == 10001 and security["readOnlyRootFilesystem"]
            and security["capabilities"] == {"drop": ["ALL"]}, f"the {kind} has no privileges, and reads its secrets: {security}")
    labels = objects["Deployment"]["spec"]["template"]["metadata"]["labels"].items()
    for kind, selector in {"Service": "selector", "PodDisruptionBudget": "selector"}.items():
        found = objects[kind]["spec"][selector]
        verdict.expect(found.get("matchLabels", found).items() <= labels, f"the {kind} finds the pods: {found}")
    serves = [services["drilldown"]["command"], pods["Deployment"]["containers"][0]["args"]]
    imports = [services["import"]["command"], pods["Job"]["containers"][0]["args"]]
    verdict.expect(
        services["drilldown"]["deploy"]["replicas"] == 3 == objects["Deployment"]["spec"]["replicas"], "three servers each")
    with open(os.path.join(folder, "database-password"), "w") as file:
        file.write("secret\n")
    with open(os.path.join(folder, "edit-tokens"), "w") as file:
        file.write(f"alice {TOKEN}\n")
    with Postgres() as database, contextlib.ExitStack() as running:
        def here(words):
            places = {"@database/": f"@127.0.0.1:{database.port}/", "@postgres/": f"@127.0.0.1:{database.port}/",
                      "/run/secrets": folder, "/etc/drilldown": folder, "/usr/local/share/drilldown": ROOT,
                      "0.0.0.0:9090": f"127.0.0.1:{unused_port()}"}
            for shown, own in places.items():
                words = [word.replace(shown, own) for word in words]
            return words

        for words, status in zip(imports, (0, 1)):
            result = subprocess.run(
                [program, *here(words)], capture_output=True, text=True, timeout=DEADLINE, env=clean_environment())
            verdict.expect(result.returncode == status, f"a tree is imported once: {result.stdout}{result.stderr}")
        servers = []
        for words in (serves[0], serves[0], serves[1]):
            _, source, *options = here(words)
            servers.append(running.enter_context(Server(program, source, *options)))
        lines = "".join(f"server 127.0.0.1:{server.port};" for server in servers)
        place = os.path.join(folder, "servers")
        os.mkdir(place)
        nginx = running.enter_context(
            Nginx(place, "nginx-servers.conf", {"server drilldown:8080 max_fails=1 fail_timeout=5s;": lines}))
        verdict.expect(
            nginx.check.returncode == 0 and "warn" not in nginx.check.stderr, f"nginx takes the example: {nginx.check.stderr}")
        is_one_tree(verdict, servers, nginx)


def is_one_tree(verdict, servers, nginx):
    token = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    with Connection(nginx.port) as connection:
        for number in range(4):
            made = connection.request("/levels/", "POST", token, json.dumps({"Title": f"New {number}"}).encode())
            verdict.expect(made.status == 201, f"an edit passes: {made.status} {made.body}")
    revision = made["Drilldown-Revision"]
    for server in servers:
        answer = request(server.port, "/levels/", Drilldown_Revision=revision)
        verdict.expect(
            answer.status == 200 and b'"New 3"' in answer.body, f"every server shows it: {answer.status} {answer.body}")
    changes = [json.loads(get(server.port, f"/changes?since={revision[:-1]}1").body)["changes"] for server in servers]
    verdict.expect(
        changes[0] == changes[1] == changes[2] and [change["by"] for change in changes[0]] == ["edit alice"] * 4,
        f"and the same changes: {changes}")
    servers[1].kill()
    statuses = {get(nginx.port, "/levels/").status for _ in range(12)}
    verdict.expect(statuses == {200}, f"without one of them, reads go on: {statuses}")


def with_prometheus(verdict, program, document):
    for arguments in (["config", "prometheus.yml"], ["rules", "prometheus-alerts.yml"]):
        result = subprocess.run(
            ["promtool", "check", *arguments], cwd=CONFIG, capture_output=True, text=True, timeout=DEADLINE)
        verdict.expect(result.returncode == 0, f"promtool accepts {arguments[1]}: {result.stdout}{result.stderr}")
    with open(os.path.join(CONFIG, "prometheus-alerts.yml")) as file:
        alerts = [rule for group in yaml.safe_load(file)["groups"] for rule in group["rules"]]
    with open(os.path.join(CONFIG, "grafana-dashboard.json")) as file:
        panels = json.load(file)["panels"]
    queries = [target["expr"] for panel in panels for target in panel["targets"]]
    accepted(verdict, [alert["expr"] for alert in alerts] + queries)

    def names(expressions):
        return {name for text in expressions for name in re.findall(r"\b(?:drilldown|process)_\w+", text)}

    asked, shown = names(alert["expr"] for alert in alerts), names(queries)
    verdict.expect(len(asked) >= 8 and len(alerts) == 12, f"the alerts look at metrics: {asked}")
    verdict.expect(len(shown) >= 20, f"the dashboard shows metrics: {shown}")
    asked |= shown
    folder = os.path.dirname(document)
    key, certificate = os.path.join(folder, "tls.key"), os.path.join(folder, "tls.crt")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "30",
         "-subj", "/CN=localhost", "-keyout", key, "-out", certificate], check=True, capture_output=True)
    port = unused_port()
    with Server(
            program, document, "--tls-certificate", certificate, "--tls-key", key,
            "--metrics-listen", f"127.0.0.1:{port}") as server:
        curl = ["curl", "--silent", "--insecure", f"https://127.0.0.1:{server.port}/levels/"]
        subprocess.run(curl, check=True, capture_output=True)
        server.port = port
        source = f"sqlite:{folder}/metrics.db"
        subprocess.run([program, "import", document, source], check=True, capture_output=True, env=clean_environment())
        with Server(program, source) as kept:
            of_database = get(kept.port, "/metrics").body.decode()

        def given():
            return set(re.findall(
                r"^(\w+)(?:\{| )", get(server.port, "/metrics").body.decode() + of_database, re.MULTILINE))

        # A request counts at its end, which is just after its client has the answer.
        wait_until(lambda: asked <= given())
        verdict.expect(asked <= given(), f"the service gives each of them: without {asked - given()}")


def accepted(verdict, expressions):
    """Has promtool parse each query, with the variables of Grafana replaced."""
    rules = [{"record": "a:b", "labels": {"n": str(number)}, "expr": text.replace("$__rate_interval", "5m")}
             for number, text in enumerate(expressions)]
    with tempfile.NamedTemporaryFile("w", suffix=".yml") as file:
        yaml.safe_dump({"groups": [{"name": "all", "rules": rules}]}, file)
        file.flush()
        result = subprocess.run(
            ["promtool", "check", "rules", file.name], capture_output=True, text=True, timeout=DEADLINE)
    verdict.expect(result.returncode == 0, f"promtool accepts each query: {result.stdout}{result.stderr}")


def main():
    arguments = options(__doc__)
    with Verdict("deployment") as verdict, tempfile.TemporaryDirectory() as folder:
        behind_nginx(verdict, arguments.server, folder)
        in_kubernetes(verdict, arguments.server, folder)
        in_compose(verdict)
        with_database(verdict, arguments.server, folder)
        with_prometheus(verdict, arguments.server, os.path.join(folder, "Data.json"))


if __name__ == "__main__":
    main()
