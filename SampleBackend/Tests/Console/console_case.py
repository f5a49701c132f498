"""The base class of all tests of the console."""

import json
import os
import time
import unittest
from contextlib import contextmanager
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen
from uuid import uuid4

from selenium.common.exceptions import NoSuchElementException, StaleElementReferenceException
from selenium.webdriver.common.by import By

from browser import DESKTOP, Browser
from sign_in_turns import take_sign_in_turn

URL = os.environ["ACTIVECONFIG_CONSOLE_URL"]
TOKEN = os.environ["ACTIVECONFIG_ADMIN_TOKEN"]
PICTURES = Path(os.environ.get("ACTIVECONFIG_CONSOLE_PICTURES", "console-pictures"))

# Screenshots take time, so they are only taken on demand.
TAKES_PICTURES = bool(os.environ.get("ACTIVECONFIG_CONSOLE_TAKES_PICTURES"))

# Time limit of a test's waits, in seconds.
PATIENCE = 60

# The elements that may show a text, each with the innermost of it that has the text. The driver says
# which text of an element is visible, which is slow for an element with many descendants.
HAVING_TEXT = """
    const [selector, text] = arguments;
    const bare = (text) => text.replace(/\\s+/g, '').toLowerCase();
    const has = (element) => bare(element.textContent).includes(bare(text));
    const innermost = (element) => {
        const child = [...element.children].find(has);
        return child ? innermost(child) : element;
    };
    return [...document.querySelectorAll(selector)].filter(has)
        .map((element) => [element, innermost(element)]);"""

# The cookies of sessions that the tests of this process share, by address and token.
_sessions = {}


def gate(test):
    """Marks a test that `run.sh --gate` runs, in the class that defines it."""
    test.is_of_gate = True
    return test


def send(method, url, body=None, **fields):
    """Sends a request without the browser; returns the status, the fields and the JSON."""
    request = Request(
        url, method=method, data=None if body is None else json.dumps(body).encode(),
        headers={name.replace("_", "-"): value for name, value in fields.items()})
    try:
        with urlopen(request, timeout=PATIENCE) as answer:
            return answer.status, answer.headers, json.loads(answer.read() or b"null")
    except HTTPError as error:
        with error:
            return error.code, error.headers, json.loads(error.read() or b"null")


def new_session(url, token):
    """The cookie of a new session, as NAME=VALUE."""
    end = time.monotonic() + PATIENCE
    while True:
        take_sign_in_turn(url)
        status, fields, answer = send(
            "POST", f"{url}/console/session", {"token": token}, Content_Type="application/json")
        # The server limits sessions of a token, and sign-ins of an address.
        if status != 429 or time.monotonic() > end:
            break
        time.sleep(int(fields["Retry-After"]))
    assert status == 200, answer
    return fields["Set-Cookie"].split(";")[0]


def session(url, token):
    """The cookie of a session, which is new if a test has ended the previous one."""
    cookie = _sessions.get((url, token))
    if not cookie or send("GET", f"{url}/console/session", Cookie=cookie)[0] != 200:
        cookie = _sessions[url, token] = new_session(url, token)
    return cookie


class ConsoleCase(unittest.TestCase):
    """Base class with a signed-out browser.

    It fails on each error in the browser's console, such as a violation of the
    Content-Security-Policy; a test that expects some takes them by self.browser.take_errors().
    """

    # The size of the page; a subclass may set another one.
    size = DESKTOP

    # The address of the console, and the token of its user.
    url = URL
    token = TOKEN

    # True for a class whose tests check many pages: they start first.
    is_long = False

    # The address to which requests without the browser go.
    server = URL

    def setUp(self):
        self.browser = Browser.cleared(URL)
        self.driver = self.browser.driver
        self.browser.set_size(self.size)
        self.browser.set_scheme("light")

    def tearDown(self):
        if self.is_failed():
            self.browser.save_picture(PICTURES / "failed" / f"{self.id()}.png")
        errors = self.browser.take_errors()
        self.assertEqual(errors, [], "the browser's console has errors")

    def is_failed(self):
        """True if the test has failed already."""
        outcome = getattr(self, "_outcome", None)
        result = getattr(outcome, "result", None)
        failures = [*result.failures, *result.errors] if result else []
        return any(test is self for test, _ in failures) or not getattr(outcome, "success", True)

    def open(self, path=""):
        """Opens a page of the console: open("#/default/settings")."""
        if "token=" in path:
            take_sign_in_turn(URL)
        # Changing only the fragment would not load the page.
        self.driver.get("about:blank")
        self.driver.get(f"{URL}/console/{path}")

    def sign_in(self, token=TOKEN):
        """Signs in, and waits for the page after the sign-in page."""
        self.open()
        self.enter_token(token)
        self.wait_for(lambda: not self.find_all("input[type=password]"), "the page after signing in")

    def continue_session(self):
        """Gives the browser a session, as if the user had signed in before the test."""
        name, value = session(self.url, self.token).split("=", 1)
        self.driver.execute_cdp_cmd("Network.setCookie", {
            "url": self.url, "name": name, "value": value, "httpOnly": True, "sameSite": "Strict"})

    def sign_in_unnoticed(self, token):
        """Replaces the session of the browser, like a tab that does not notify the others."""
        take_sign_in_turn(self.url)
        status = self.driver.execute_async_script(
            "const done = arguments[1];"
            "fetch('/console/session', {method: 'POST', body: JSON.stringify({token: arguments[0]}),"
            " headers: {'Content-Type': 'application/json'}}).then(({status}) => done(status));",
            token)
        self.assertEqual(status, 200)

    @contextmanager
    def another_tab(self):
        """A second tab, which is closed at the end."""
        first = self.driver.current_window_handle
        self.driver.switch_to.new_window("tab")
        try:
            yield
        finally:
            self.driver.close()
            self.driver.switch_to.window(first)

    def sign_out_in_another_tab(self):
        with self.another_tab():
            self.open()
            self.wait_for_text("Sign out")
            next(e for e in self.find_all("button") if e.text == "Sign out").click()
            self.wait_for_text("You are signed out")

    def enter_token(self, token):
        """Submits the sign-in form."""
        take_sign_in_turn(self.url)
        field = self.find("input[type=password]")
        field.clear()
        field.send_keys(token)
        self.find("button[type=submit]").click()

    def find(self, selector):
        """The first element that matches, once it is shown."""
        def shown():
            return next((e for e in self.find_all(selector) if e.is_displayed()), None)
        return self.wait_for_element(shown, selector)

    def find_all(self, selector):
        """All elements that match now."""
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def wait_for(self, condition, what):
        """Waits until a condition returns a true value, and returns that."""
        end = time.monotonic() + PATIENCE
        pause = 0.02
        while True:
            try:
                if value := condition():
                    return value
            except (NoSuchElementException, StaleElementReferenceException):
                pass
            if time.monotonic() > end:
                self.fail(f"waited {PATIENCE} s for {what}")
            time.sleep(pause)
            # Each poll takes processor time from the page.
            pause = min(1.2 * pause, 0.2)

    def wait_for_element(self, condition, what):
        """Waits until a condition returns an element, which it looks up again if necessary."""
        element = self.wait_for(condition, what)
        element.find_again = lambda: self.wait_for(condition, what)
        return element

    def wait_for_text(self, text, selector="body"):
        """Waits until an element contains a text, and returns the element."""
        def showing():
            found = self.driver.execute_script(HAVING_TEXT, selector, text)
            return next((e for e, inner in found if text in inner.text or text in e.text), None)
        return self.wait_for_element(showing, f"{text!r} in {selector}")

    def violations(self, page):
        """The violations that axe finds on the page, in light or dark; `page` is its name."""
        found = []
        # The scheme changes colours only.
        for scheme, rules in (("light", None), ("dark", ["color-contrast"])):
            self.browser.set_scheme(scheme)
            found += [f"{page}, {scheme}: {text}" for text in self.browser.violations(rules)]
        self.browser.set_scheme("light")
        return found

    def check_accessibility(self, page):
        """Fails if axe finds a violation on the page, in light or dark; `page` is its name."""
        found = self.violations(page)
        self.assertEqual(found, [], "\n".join(found))

    def picture(self, name):
        """Saves screenshots in light and dark, if requested: NAME-light.png, NAME-dark.png."""
        if not TAKES_PICTURES:
            return
        for scheme in ("dark", "light"):
            self.browser.set_scheme(scheme)
            self.browser.save_picture(PICTURES / f"{name}-{scheme}.png")

    def new_token(self, role, name=None):
        """A new token of another administrator."""
        status, answer = self.administer(
            "POST", "/v1/tokens", {"name": name or f"{role} {uuid4().hex[:8]}", "role": role})
        self.assertEqual(status, 200, answer)
        return answer["token"]

    def revoke_token(self, name):
        """Revokes the token with a name."""
        found, = [each for each in self.administer("GET", "/v1/tokens")[1]["tokens"]
                  if each["name"] == name]
        status, answer = self.administer("DELETE", f"/v1/tokens/{found['id']}")
        self.assertEqual(status, 200, answer)

    def create_project(self, name):
        """Creates an empty project without the browser."""
        status, answer = self.administer("POST", "/v1/projects", {"project": name})
        self.assertEqual(status, 201, answer)

    def administer(self, method, path, body=None, **fields):
        """Sends an administrator's request without the browser; returns the status and the JSON."""
        status, _, answer = send(
            method, self.server + path, body, **{"Authorization": f"Bearer {TOKEN}"} | fields)
        return status, answer
