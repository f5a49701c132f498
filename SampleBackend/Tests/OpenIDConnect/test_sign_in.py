"""Signing in at a provider: what an attacker, an administrator and a failing provider can do."""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from provider import CLIENT_SECRET, Provider
from sign_in_backend import TOKEN, Browser, SignInBackend

RULES = [
    {"email": "ada@shop.example", "role": "publisher"},
    {"group": "editors", "projects": {"default": "editor"}},
]


class SignInTests(unittest.TestCase):
    def setUp(self):
        self.provider = Provider()
        self.addCleanup(self.provider.close)
        self.backend = SignInBackend(self.provider.issuer, RULES)
        self.addCleanup(self.backend.close)
        self.provider.client = self.backend.client
        self.browser = Browser(self.backend.url)

    def test_signs_in_and_out_here_and_at_the_provider(self):
        self.assertIsNone(self.browser.sign_in())
        session = self.browser.session.json
        self.assertEqual((session["name"], session["role"]), ("ada@shop.example", "publisher"))
        audit = self.browser.get("/v1/projects/default/audit").json["entries"]
        entry, = [entry for entry in audit if entry["subject"] == "Console session of ada@shop.example"]
        self.assertEqual(entry["actor"], "ada@shop.example")
        self.assertEqual(entry["detail"], f"publisher, subject 1 of {self.provider.issuer}")
        ended = self.browser.get("/console/session", "DELETE", X_CSRF_Token=session["csrfToken"])
        self.assertEqual(ended.status, 200)
        self.assertEqual(self.browser.session.status, 204)
        back = self.browser.get(ended.json["endSession"])
        self.assertEqual(back.fields["Location"], self.backend.url + "/console/")
        self.assertEqual(self.provider.ended, [{
            "client_id": "activeconfig", "post_logout_redirect_uri": self.backend.url + "/console/"}])

    def test_refuses_a_wrong_state(self):
        callback = self.browser.begin()
        state = parse_qs(urlsplit(callback).query)["state"][0]
        self.assertIn("(state)", self.browser.follow(callback.replace(state, "x" * len(state))))
        self.assertEqual(self.browser.session.status, 204)

    def test_refuses_an_answer_in_another_browser(self):
        callback = self.browser.begin()
        victim = Browser(self.backend.url)
        self.assertIn("This browser has not begun", victim.follow(callback))
        self.assertEqual(victim.session.status, 204)

    def test_refuses_a_replayed_answer_and_code(self):
        begun = self.browser.begin()
        kept = list(self.browser.cookies)
        self.assertIsNone(self.browser.follow(begun))
        replay = Browser(self.backend.url)
        for cookie in kept:
            replay.cookies.set_cookie(cookie)
        self.assertIn("used before", replay.follow(begun))
        other = Browser(self.backend.url)
        query = parse_qs(urlsplit(other.begin()).query)
        code = parse_qs(urlsplit(begun).query)["code"][0]
        failure = other.follow(f"/console/openid/callback?state={query['state'][0]}&code={code}")
        self.assertIn("invalid_grant", failure)
        for attacker in (replay, other):
            self.assertEqual(attacker.session.status, 204)

    def test_refuses_tokens_for_others(self):
        for changes, reason in (
                ({"aud": "other"}, "(aud)"), ({"azp": "other"}, "(azp)"), ({"iss": "https://x"}, "(iss)"),
                ({"nonce": "other"}, "(nonce)"), ({"exp": 1}, "(exp)"), ({"iat": 1}, "(iat)")):
            self.provider.changes = changes
            self.assertIn(reason, self.browser.sign_in())
            self.assertEqual(self.browser.session.status, 204)

    def test_refuses_people_without_a_rule(self):
        for person in ({"sub": "2", "email": "ada@shop.example"},
                       {"sub": "2", "email": "ada@shop.example", "email_verified": False},
                       {"sub": "2", "email": "eve@shop.example", "email_verified": True},
                       {"sub": "2", "groups": ["viewers"]}):
            self.provider.person = person
            self.assertIn("no rule of this server allows it", self.browser.sign_in())
        self.provider.error = "access_denied"
        self.assertIn('"access_denied": "Not today"', self.browser.sign_in())

    def test_begins_only_at_the_public_url(self):
        elsewhere = Browser(self.backend.url.replace("127.0.0.1", "localhost"))
        begun = elsewhere.get("/console/openid/sign-in")
        self.assertEqual((begun.status, begun.fields["Location"]), (303, "/console/"))
        self.assertIn(f"only at {self.backend.url}/console/", elsewhere.get("/console/openid").json["failure"])
        foreign = self.browser.get("/console/openid/sign-in", Sec_Fetch_Site="cross-site")
        self.assertEqual(foreign.status, 403)

    def test_takes_a_new_key_of_the_provider(self):
        self.assertIsNone(self.browser.sign_in())
        self.provider.rotate()
        self.assertIsNone(Browser(self.backend.url).sign_in())

    def test_ends_the_rights_of_a_removed_rule_at_the_next_request(self):
        self.provider.person = {"sub": "2", "groups": ["editors", "others"]}
        self.assertIsNone(self.browser.sign_in())
        path = "/v1/projects/default/remoteConfig"
        self.assertEqual(self.browser.session.json["projects"], {"default": "editor"})
        self.assertEqual(self.browser.get(path).status, 200)
        # A mistake changes nothing, and is named with its place.
        self.backend.replace_rules('{"rules": [{"group": "editors", "role": "king"}]}')
        self.assertIn("rules[0].role: give one of", self.backend.log.read_text("utf-8"))
        self.assertEqual(self.browser.get(path).status, 200)
        self.backend.replace_rules(json.dumps({"rules": RULES[:1]}))
        self.assertEqual(self.browser.get(path).status, 401)
        self.assertIn("no rule of this server allows it", self.browser.sign_in())
        token = {"Authorization": f"Bearer {TOKEN}"}
        self.assertEqual(Browser(self.backend.url).get(path, **token).status, 200)

    def test_ends_older_sessions_with_rights_that_the_provider_has_taken(self):
        path = "/v1/projects/default/remoteConfig"
        self.provider.person = {"sub": "2", "groups": ["editors"]}
        self.assertIsNone(self.browser.sign_in())
        same = Browser(self.backend.url)
        self.assertIsNone(same.sign_in())
        # The same person elsewhere, with the same rights, ends nothing.
        self.assertEqual(self.browser.get(path).status, 200)
        self.provider.person = {"sub": "2", "groups": ["others"]}
        self.assertIn("no rule of this server allows it", Browser(self.backend.url).sign_in())
        for browser in (self.browser, same):
            self.assertEqual(browser.get(path).status, 401)
        # Another subject is another person.
        self.provider.person = {"sub": "3", "groups": ["editors"]}
        self.assertIsNone(self.browser.sign_in())
        self.provider.person = {"sub": "2", "groups": ["others"]}
        self.assertIn("no rule", same.sign_in())
        self.assertEqual(self.browser.get(path).status, 200)

    def test_logs_no_secret(self):
        callback = self.browser.begin()
        self.assertIsNone(self.browser.follow(callback))
        log = self.backend.log.read_text("utf-8")
        query = parse_qs(urlsplit(callback).query)
        for secret in (CLIENT_SECRET, query["code"][0], query["state"][0]):
            self.assertNotIn(secret, log)


class RefusedOptionsTests(unittest.TestCase):
    def refusal(self, rules='{"rules": []}', secret=CLIENT_SECRET, **changes):
        """The message with which `serve` refuses options."""
        with tempfile.TemporaryDirectory() as folder:
            options = {
                "oidc_issuer": "https://login.example", "oidc_client_id": "activeconfig",
                "oidc_client_secret_file": f"{folder}/secret", "oidc_roles": f"{folder}/roles.json",
                "public_url": "http://localhost:8080"} | changes
            Path(folder, "secret").write_text(secret, "utf-8")
            Path(folder, "roles.json").write_text(rules, "utf-8")
            process = subprocess.run(
                [os.environ["ACTIVECONFIG_BACKEND"], "serve", "--port", "0", "--store", "memory",
                 *(text for name, value in options.items() if value is not None
                   for text in ("--" + name.replace("_", "-"), value))],
                capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual(process.returncode, 64, process.stderr)
            return process.stderr

    def test_names_what_is_wrong(self):
        self.assertIn("needs all of", self.refusal(public_url=None))
        self.assertIn("rules[0]: give exactly one", self.refusal(rules='{"rules": [{}]}'))
        self.assertIn("Line 2, column 1", self.refusal(rules='{"rules":\n'))
        self.assertIn("cannot be read", self.refusal(oidc_roles="/nowhere"))
        self.assertIn("cannot be read", self.refusal(oidc_ca_file="/nowhere"))
        self.assertIn("cannot be read", self.refusal(oidc_client_secret_file="/nowhere"))
        self.assertIn("at least 16", self.refusal(secret="short"))
        self.assertIn("--allowed-host", self.refusal(public_url="https://config.example"))
        self.assertIn("has a path", self.refusal(public_url="http://localhost/console"))
        self.assertIn("https://", self.refusal(oidc_issuer="http://login.example"))


class PrivateAuthorityTests(unittest.TestCase):
    def test_trusts_the_authorities_of_its_file_alone(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        certificate, key = (str(Path(folder.name, name)) for name in ("certificate.pem", "key.pem"))
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
             "-nodes", "-days", "30", "-subj", "/CN=localhost", "-addext",
             "subjectAltName=DNS:localhost", "-keyout", key, "-out", certificate],
            check=True, capture_output=True)
        provider = Provider((certificate, key))
        self.addCleanup(provider.close)
        for options, failure in (([], "does not answer"), (["--oidc-ca-file", certificate], None)):
            with self.subTest(options=options):
                backend = SignInBackend(provider.issuer, RULES, *options)
                self.addCleanup(backend.close)
                provider.client = backend.client
                browser = Browser(backend.url, authority=certificate)
                if failure:
                    browser.get("/console/openid/sign-in")
                    self.assertIn(failure, browser.get("/console/openid").json["failure"])
                else:
                    self.assertIsNone(browser.sign_in())


class FailingProviderTests(unittest.TestCase):
    def test_says_that_the_provider_does_not_answer_and_takes_tokens(self):
        provider = Provider()
        provider.close()
        backend = SignInBackend(provider.issuer, RULES)
        self.addCleanup(backend.close)
        browser = Browser(backend.url)
        begun = browser.get("/console/openid/sign-in")
        self.assertEqual((begun.status, begun.fields["Location"]), (303, "/console/"))
        self.assertIn("does not answer", browser.get("/console/openid").json["failure"])
        # Shown once.
        self.assertNotIn("failure", browser.get("/console/openid").json)
        token = {"Authorization": f"Bearer {TOKEN}"}
        self.assertEqual(browser.get("/v1/projects", **token).status, 200)


if __name__ == "__main__":
    unittest.main()
