"""The base class of tests of whole tasks: a project of their own, and navigation of its pages."""

import copy
import json
from pathlib import Path
from uuid import uuid4

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from browser import DESKTOP
from console_case import TOKEN, URL, ConsoleCase

TEMPLATE = json.loads((
    Path(__file__).parents[2] / "Sources/SampleBackend/Resources/SampleTemplate.json"
).read_text("utf-8"))


class TaskCase(ConsoleCase):
    """A test with a published project of its own."""

    # The address of the console, and the token for signing in.
    url = URL
    token = TOKEN

    def setUp(self):
        super().setUp()
        self.project = f"test-{uuid4().hex[:12]}"
        self.publish(TEMPLATE, "The sample template", expected="*")

    # State of the server.

    def call(self, method, resource, body=None, **fields):
        """Requests a resource of the project; returns the status and the JSON."""
        return self.administer(method, f"/v1/projects/{self.project}/{resource}", body, **fields)

    def publish(self, template, description, expected=None):
        """Publishes a template over the current one, without the browser."""
        body = copy.deepcopy(template) | {"version": {"description": description}}
        status, answer = self.call("PUT", "remoteConfig", body, If_Match=expected or "*")
        self.assertEqual(status, 200, answer)

    def template(self):
        """The current template."""
        return self.call("GET", "remoteConfig")[1]

    def parameter(self, section, key):
        """A parameter of the current template."""
        return self.template()["parameterGroups"][section]["parameters"][key]

    def version(self):
        """The current version's number."""
        return self.template()["version"]["versionNumber"]

    # Navigation.

    def go(self, page, **query):
        """Goes to a page of the project, signed in."""
        place = f"/{self.project}/{page}"
        if query:
            place += "?" + "&".join(f"{name}={value}" for name, value in query.items())
        is_console = self.driver.current_url.startswith(f"{self.url}/console/")
        if not is_console:
            self.driver.get(f"{self.url}/console/")
            if self.wait_for(
                    lambda: self.find_all("input[type=password], main h1[tabindex]"), "a page"):
                if self.find_all("input[type=password]"):
                    self.enter_token(self.token)
        self.wait_for(lambda: self.find_all("main h1[tabindex]"), "the pages")
        self.driver.execute_script("location.hash = arguments[0]", place)
        self.wait_for(
            lambda: self.find_all("main h1[tabindex]")
            and self.driver.title.endswith(f"· {self.project} · ActiveConfig")
            and f"/{page}" in self.driver.current_url, page)
        return self.find("main h1")

    def button(self, text):
        """The button or link with a text or an accessible name, in the dialog if one is open."""
        def shown():
            dialogs = self.find_all("dialog[open]")
            place = dialogs[-1] if dialogs else self.driver
            return next((e for e in place.find_elements(By.CSS_SELECTOR, "button, a")
                         if e.is_displayed() and e.accessible_name == text), None)
        return self.wait_for(shown, f"the button {text!r}")

    def press(self, text):
        """Presses a button once it can be pressed."""
        button = self.wait_for(
            lambda: (b := self.button(text)).is_enabled() and b, f"{text!r} to be enabled")
        self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", button)
        button.click()

    def field(self, label):
        """The control with a label, in the dialog if one is open."""
        def shown():
            dialogs = self.find_all("dialog[open]")
            place = dialogs[-1] if dialogs else self.driver
            return next((e for e in place.find_elements(
                By.CSS_SELECTOR, "input, textarea, select")
                if e.is_displayed() and e.accessible_name == label), None)
        return self.wait_for(shown, f"the field {label!r}")

    def write(self, label, text):
        """Replaces the text of a field."""
        field = self.field(label)
        field.send_keys(Keys.CONTROL + "a", Keys.DELETE)
        if text:
            field.send_keys(text)

    def choose(self, label, text):
        """Chooses an option of a field."""
        Select(self.field(label)).select_by_visible_text(text)

    def wait_for_dialog_to_close(self):
        """Waits until no dialog is open."""
        self.wait_for(lambda: not self.find_all("dialog[open]"), "the dialog to close")

    def keep(self):
        """Keeps the dialog's edit in the draft."""
        self.press("Keep in the draft")
        self.wait_for_dialog_to_close()

    def edit_interval(self, value):
        """Makes a draft in which the refresh interval is changed."""
        self.go("settings")
        self.press("Edit AppFeatures.RefreshInterval")
        self.write("Default value", value)
        self.keep()

    # Checks of pages.

    def check_page(self, name):
        """Fails when axe finds something, or the page is wider than the window; saves pictures."""
        width = self.driver.execute_script(
            "return document.documentElement.scrollWidth - document.documentElement.clientWidth")
        self.assertLessEqual(width, 0, f"{name} is wider than the window")
        self.check_accessibility(name)
        is_phone = self.size != DESKTOP
        self.picture(f"{name}-phone" if is_phone else name)
