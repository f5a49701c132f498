"""A backend whose people sign in at a provider, and a browser without pages."""

import http.cookiejar
import json
import os
import signal
import socket
import ssl
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

from provider import CLIENT_ID, CLIENT_SECRET, Client

TOKEN = "a-token-of-the-tests-0123456789abcdef"


class SignInBackend:
    """A backend in a folder of its own; `rules` of --oidc-roles can be replaced."""

    def __init__(self, issuer, rules, *options, token=TOKEN):
        self.folder = tempfile.TemporaryDirectory()
        self.log = Path(self.folder.name, "log")
        self.roles = Path(self.folder.name, "roles.json")
        self.roles.write_text(json.dumps({"rules": rules}), "utf-8")
        secret = Path(self.folder.name, "secret")
        secret.write_text(CLIENT_SECRET + "\n", "utf-8")
        # The redirect URI has the port, so it must be known before the start.
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        with open(self.log, "a", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                [os.environ["ACTIVECONFIG_BACKEND"], "serve", "--port", str(port), "--dev",
                 "--store", f"sqlite:{self.folder.name}/backend.sqlite", "--log-level", "trace",
                 # All sign-ins of the tests come from one address.
                 "--rate-limit", "0",
                 "--oidc-issuer", issuer, "--oidc-client-id", CLIENT_ID,
                 "--oidc-client-secret-file", str(secret), "--oidc-roles", str(self.roles),
                 "--public-url", self.url, *options],
                stdout=subprocess.PIPE, stderr=log, text=True,
                env=os.environ | {"ACTIVECONFIG_ADMIN_TOKEN": token})
        for line in self.process.stdout:
            if line.startswith("listening on "):
                return
        raise RuntimeError(self.log.read_text("utf-8"))

    @property
    def client(self):
        """This backend as the provider knows it."""
        return Client(self.url + "/console/openid/callback")

    def replace_rules(self, text):
        """Replaces the rules, and returns when the log says that they were read, or could not be."""
        before = self.reloads()
        self.roles.write_text(text, "utf-8")
        self.process.send_signal(signal.SIGHUP)
        limit = time.monotonic() + 30
        while self.reloads() == before:
            if time.monotonic() > limit:
                raise TimeoutError("the rules were not read again")
            time.sleep(0.02)

    def reloads(self):
        return self.log.read_text("utf-8").count("rules for sign-ins")

    def close(self):
        self.process.terminate()
        self.process.wait()
        self.process.stdout.close()
        self.folder.cleanup()


class Answer:
    """A response, also one with an error."""

    def __init__(self, response):
        self.status = response.status
        self.fields = response.headers
        self.text = response.read().decode()

    @property
    def json(self):
        return json.loads(self.text)


class Browser(urllib.request.HTTPRedirectHandler):
    """Keeps cookies, and follows no redirect by itself."""

    def __init__(self, url, authority=None):
        self.url = url
        self.cookies = http.cookiejar.CookieJar()
        self.opener = urllib.request.build_opener(
            urllib.request.HTTPCookieProcessor(self.cookies), self,
            urllib.request.HTTPSHandler(context=ssl.create_default_context(cafile=authority)))

    def redirect_request(self, *_):
        return None

    def get(self, address, method="GET", **fields):
        """The response to one request; an address may be a path of the backend."""
        url = self.url + address if address.startswith("/") else address
        names = {name.replace("_", "-"): value for name, value in fields.items()}
        try:
            return Answer(self.opener.open(urllib.request.Request(url, method=method, headers=names)))
        except urllib.error.HTTPError as error:
            return Answer(error)

    def begin(self):
        """Begins a sign-in, and returns the provider's redirect to the backend."""
        begun = self.get("/console/openid/sign-in")
        assert begun.status == 303, begun.text
        return self.get(begun.fields["Location"]).fields["Location"]

    def sign_in(self):
        """Signs in, and returns the failure; None when the session has begun."""
        return self.follow(self.begin())

    def follow(self, callback):
        """Opens the redirect of the provider, and returns the failure."""
        finished = self.get(callback)
        assert finished.status == 303, finished.text
        if finished.fields["Location"] == "/console/?signed-in":
            return None
        assert finished.fields["Location"] == "/console/", finished.fields["Location"]
        return self.get("/console/openid").json["failure"]

    @property
    def session(self):
        """The response with the session."""
        return self.get("/console/session")
