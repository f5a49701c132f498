"""The base class of tests of whole tasks: a separate project, and navigation of its pages."""

import copy
import json
import tempfile
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

from selenium.common.exceptions import (
    ElementClickInterceptedException, StaleElementReferenceException)
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from browser import DESKTOP
from console_case import ConsoleCase

TEMPLATE = json.loads((
    Path(__file__).parents[2] / "Sources/SampleBackend/Resources/SampleTemplate.json"
).read_text("utf-8"))


def new_project():
    """A project's name that no other test has; without digits, for which tests look on the pages."""
    return f"test-{uuid4().hex[:12]}".translate(str.maketrans("0123456789", "ghijklmnop"))


def with_interval(value, template=None):
    """A copy of a template, by default the sample, with another refresh interval."""
    result = copy.deepcopy(template or TEMPLATE)
    parameters = result["parameterGroups"]["AppFeatures"]["parameters"]
    parameters["RefreshInterval"]["defaultValue"] = {"value": value}
    return result


# Scrolls on in a virtualized list, where only the rows near the window are in the document.
SCROLL = """
    if (!document.querySelector('.rows')) return;
    const isEnd = scrollY + innerHeight >= document.documentElement.scrollHeight - 2;
    window.scrollTo(0, isEnd ? 0 : scrollY + innerHeight / 2);"""

# Scrolls to an element, and notes whether a click reaches it, in the window: the element may be
# replaced before the click, or by it. False if it is disabled.
AIM = """
    const [element] = arguments;
    if (element.disabled) return false;
    element.scrollIntoView({block: 'center'});
    window.isMissed = true;
    element.addEventListener('click', () => {
        window.isMissed = false;
    }, {capture: true, once: true});
    return true;"""

# True once a page of a project is shown.
IS_SHOWN = """
    const [project, page] = arguments;
    return document.querySelector('main h1[tabindex]') !== null
        && document.title.endsWith(`· ${project} · ActiveConfig`)
        && location.href.includes(`/${page}`);"""

# The visible elements that may have a name, first those that have it as their text or label: the
# driver asks the browser for one name at a time.
CANDIDATES = """
    const [selector, name] = arguments;
    const dialogs = document.querySelectorAll('dialog[open]');
    const place = dialogs[dialogs.length - 1] ?? document;
    const bare = (text) => (text ?? '').replace(/\\s+/g, '');
    const textsOf = (element) => [
        element.textContent, ...['aria-label', 'title', 'placeholder'].map(
            (attribute) => element.getAttribute(attribute)),
        ...[...element.labels ?? []].map((label) => label.textContent),
        (element.getAttribute('aria-labelledby') ?? '').split(' ').map(
            (id) => document.getElementById(id)?.textContent).join('')];
    const isShown = (element) => {
        const {width, height} = element.getBoundingClientRect();
        return width > 0 && height > 0
            && element.checkVisibility({opacityProperty: true, visibilityProperty: true});
    };
    const found = [...place.querySelectorAll(selector)].map((element) => {
        const texts = textsOf(element).map(bare);
        return {element, isExact: texts.includes(bare(name)),
            isNear: texts.some((text) => text.includes(bare(name)))};
    }).filter(({element, isNear}) => isNear && isShown(element));
    return [true, false].flatMap((isExact) => found
        .filter((each) => each.isExact === isExact).map(({element}) => element));"""


class TaskCase(ConsoleCase):
    """A test with a separate published project."""

    def setUp(self):
        super().setUp()
        self.project = new_project()
        # The number of drafts of a token is limited.
        self.addCleanup(self.call, "DELETE", "draft")
        self.publish(TEMPLATE, "The sample template", expected="*")

    # State of the server.

    def call(self, method, resource, body=None, **fields):
        """Requests a resource of the project; returns the status and the JSON."""
        return self.administer(method, f"/v1/projects/{self.project}/{resource}", body, **fields)

    def publish(self, template, description, expected=None):
        """Publishes a template over the current one, without the browser."""
        body = template | {"version": {"description": description}}
        status, answer = self.call("PUT", "remoteConfig", body, If_Match=expected or "*")
        self.assertEqual(status, 200, answer)

    def change_draft(self, change):
        """Another browser of the same user changes the draft; `change` edits its template."""
        status, draft = self.call("GET", "draft")
        self.assertEqual(status, 200, draft)
        change(draft["template"])
        status, answer = self.call("PUT", "draft", {
            name: draft[name] for name in ("baseVersion", "template")}, If_Match="*")
        self.assertEqual(status, 200, answer)

    def interval(self, **fields):
        """The default refresh interval of the draft on the server."""
        status, draft = self.call("GET", "draft", **fields)
        if status != 200:
            return None
        groups = draft["template"]["parameterGroups"]
        return groups["AppFeatures"]["parameters"]["RefreshInterval"]["defaultValue"]["value"]

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
        if self.driver.current_url.startswith(f"{self.url}/console/"):
            self.driver.execute_script("location.hash = arguments[0]", place)
        else:
            if not self.driver.execute_cdp_cmd("Network.getCookies", {"urls": [self.url]})["cookies"]:
                self.continue_session()
            self.driver.get(f"{self.url}/console/#{place}")
        self.wait_for(
            lambda: self.driver.execute_script(IS_SHOWN, self.project, page), f"the page {page}")

    def named(self, selector, name):
        """The shown element with an accessible name, in the dialog if one is open; or None."""
        return next((e for e in self.driver.execute_script(CANDIDATES, selector, name)
                     if e.accessible_name == name), None)

    def button(self, text):
        """The button or link with a text or an accessible name, in the dialog if one is open."""
        def shown():
            found = self.named("button, a", text)
            if not found and not self.find_all("dialog[open]"):
                self.driver.execute_script(SCROLL)
            return found
        return self.wait_for_element(shown, f"the button {text!r}")

    def press(self, text):
        """Presses a button once it is enabled."""
        button = self.button(text)
        self.wait_for(lambda: self.hits(button), f"{text!r} to be enabled and hit")

    def hits(self, button):
        """Clicks on a button; false when it is disabled, replaced, or has moved from the click."""
        if not button.repeat(lambda: self.driver.execute_script(AIM, button)):
            return False
        try:
            button.click_this()
        except (ElementClickInterceptedException, StaleElementReferenceException):
            # The page has scrolled or redrawn itself since: nothing was clicked.
            return False
        # Undefined when the action has loaded a page anew.
        return not self.driver.execute_script("return window.isMissed")

    def field(self, label):
        """The control with a label, in the dialog if one is open."""
        return self.wait_for_element(
            lambda: self.named("input, textarea, select", label), f"the field {label!r}")

    def write(self, label, text):
        """Replaces the text of a field."""
        field = self.field(label)
        field.send_keys(Keys.CONTROL + "a", Keys.DELETE, Keys.NULL, text)

    def choose(self, label, text):
        """Chooses an option of a select, or of a combobox."""
        field = self.field(label)
        if field.get_dom_attribute("role") != "combobox":
            Select(field).select_by_visible_text(text)
            return
        field.click()
        field.send_keys(Keys.CONTROL + "a")
        field.send_keys(text)
        self.wait_for(lambda: next(
            (e for e in self.find_all("[role=option]") if e.is_displayed() and e.text == text),
            None), f"the option {text!r}").click()

    def wait_for_dialog_to_close(self):
        """Waits until no dialog is open."""
        self.wait_for(lambda: not self.find_all("dialog[open]"), "the dialog to close")

    def keep(self):
        """Keeps the dialog's edit in the draft."""
        self.press("Keep in the draft")
        self.wait_for_dialog_to_close()

    def open_interval(self):
        """Opens the form of the refresh interval."""
        self.go("settings")
        self.press("Edit AppFeatures.RefreshInterval")

    def switch(self, name, to="on"):
        """Switches the default value of a Boolean with conditional values."""
        self.field(name).click()
        self.press(f"Only the default value: {to}")

    def edit_interval(self, value):
        """Creates a draft with another refresh interval."""
        self.open_interval()
        self.write("Default value", value)
        self.keep()

    def check_interval(self, value):
        """Enters a refresh interval in its form, and holds the answer of the check."""
        self.open_interval()
        self.hold_answers("validateOnly")
        self.write("Default value", value)
        self.wait_for_held_answer()

    def type_country(self):
        """Types a country into the form of a new condition, which the rule has not added yet."""
        self.go("conditions")
        self.press("Add condition")
        self.write("Name", "Japan")
        self.press("Add rule")
        self.choose("Field", "Country")
        self.field("Another value").send_keys("Japan")

    @contextmanager
    def downloads(self):
        """Lets the browser download files to a temporary folder; yields its path."""
        with tempfile.TemporaryDirectory() as folder:
            self.driver.execute_cdp_cmd(
                "Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": folder})
            yield Path(folder)

    def fill_storage(self, name):
        """Fills `sessionStorage` or `localStorage`."""
        self.driver.execute_script(
            "const storage = window[arguments[0]];"
            "for (let text = 'x'.repeat(1 << 20); text; text = text.slice(text.length / 2 + 1))"
            " for (let number = 0; ; number += 1) {"
            "  try { storage.setItem(`full ${text.length} ${number}`, text); }"
            "  catch { break; } }", name)

    # Delayed responses of the server to the open page.

    def hold_answers(self, part):
        """Holds responses to requests whose path or body contains a text; counts these requests."""
        self.driver.execute_script("""
            const [part] = arguments;
            const fetchNow = window.fetch;
            window.heldAnswers = [];
            window.heldRequests = 0;
            window.holdsAnswers = true;
            window.fetch = async (path, options) => {
                const isHeld = `${path} ${options?.body ?? ''}`.includes(part);
                if (isHeld) window.heldRequests += 1;
                const answer = await fetchNow(path, options);
                if (isHeld && window.holdsAnswers) await new Promise((resolve) => window.heldAnswers.push(resolve));
                return answer;
            };""", part)

    def replace_answer(self, path, body):
        """Answers the open page's requests of a path with a JSON body."""
        self.driver.execute_script("""
            const [path, body] = arguments;
            const fetchNow = window.fetch;
            window.fetch = (address, options) => String(address) === path
                ? Promise.resolve(Response.json(body)) : fetchNow(address, options);""", path, body)

    def wait_for_held_answer(self):
        """Waits until a response is held."""
        self.wait_for(lambda: self.driver.execute_script("return heldAnswers.length"), "an answer")

    def release_answers(self):
        """Holds no more responses, and waits until the page has processed the held ones."""
        self.driver.execute_async_script("""
            const [done] = arguments;
            // The answer to a request that is under way would be held for ever.
            window.holdsAnswers = false;
            window.heldAnswers.splice(0).forEach((release) => release());
            // The page reads the answers before a later one arrives.
            fetch('/console/').then((answer) => answer.text()).then(() => done());""")

    # Checks of pages.

    def check_page(self, name):
        """Fails if axe finds a violation, or the page is wider than the window; saves screenshots."""
        width = self.driver.execute_script(
            "return document.documentElement.scrollWidth - document.documentElement.clientWidth")
        self.assertLessEqual(width, 0, f"{name} is wider than the window")
        self.check_accessibility(name)
        is_phone = self.size != DESKTOP
        self.picture(f"{name}-phone" if is_phone else name)

    def check_targets(self, place):
        """Fails if a touch 20 px off the center of a control misses it."""
        missed = self.driver.execute_script("""
            const place = document.querySelector('dialog[open], [role=menu]') ?? document;
            const missed = (element) => {
                element.scrollIntoView({block: 'center'});
                const {left, top, width, height} = (element.closest('label') ?? element)
                    .getBoundingClientRect();
                const [x, y] = [left + width / 2, top + height / 2];
                return [[-20, 0], [20, 0], [0, -20], [0, 20]]
                    .map(([right, down]) => document.elementFromPoint(x + right, y + down))
                    .find((hit) => !element.contains(hit)
                        && hit?.closest('label')?.control !== element);
            };
            const selector = 'button, a.button, nav a, input, select, summary, textarea';
            return [...place.querySelectorAll(selector)]
                .filter((element) => element.checkVisibility({visibilityProperty: true}))
                .map((element) => [element, missed(element)]).filter(([, hit]) => hit)
                .map((pair) => pair.map((element) => element.outerHTML.slice(0, 200)));""")
        self.assertEqual(missed, [], place)
