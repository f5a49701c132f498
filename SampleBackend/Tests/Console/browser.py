"""A headless Chromium for the tests of the console."""

import atexit
import json
import os
import re
from contextlib import suppress
from importlib.resources import files
from pathlib import Path
from urllib.parse import urlsplit

from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException, WebDriverException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.remote.command import Command
from selenium.webdriver.remote.webelement import WebElement
from urllib3.exceptions import HTTPError

import opened

DESKTOP = (1280, 900)
PHONE = (390, 844)

# Statuses that pages expect and handle, such as 401 before signing in.
EXPECTED_STATUSES = re.compile(r"responded with a status of (400|401|403|404|409|412|429)\b")


class Element(WebElement):
    """An element that is looked up again after the page has redrawn itself.

    A person who presses a button does not notice that the page has just replaced it by an equal
    one; a test that has looked it up a moment earlier would fail.
    """

    # Finds the element again; None for an element that only this node can be.
    find_again = None

    def _execute(self, command, params=None):
        return self.repeat(lambda: WebElement._execute(self, command, params))

    def click_this(self):
        """Clicks on the node that was found, never on one that has replaced it."""
        WebElement._execute(self, Command.CLICK_ELEMENT)

    def get_attribute(self, name):
        return self.repeat(lambda: WebElement.get_attribute(self, name))

    def repeat(self, action, times=10):
        """The result of an action, which is retried while the element is stale."""
        for _ in range(times if self.find_again else 0):
            try:
                return action()
            except StaleElementReferenceException:
                self._id = self.find_again().id
        return action()


class Driver(webdriver.Chrome):
    """The driver of Chromium."""

    _web_element_cls = Element


class Browser:
    """A browser with one window."""

    # The browser of this process; None before the first test, and after a crash.
    _shared = None

    @classmethod
    def shared(cls):
        """The browser that the tests of this process use one after the other.

        With separate browsers, each class would have to start one and load the console's files.
        """
        if cls._shared is None:
            cls._shared = cls()
            atexit.register(cls._shared.close)
        return cls._shared

    @classmethod
    def cleared(cls, origin):
        """The shared browser without data of an origin; a new one if it has crashed."""
        try:
            cls.shared().forget(origin)
        except (WebDriverException, HTTPError):
            atexit.unregister(cls._shared.close)
            with suppress(WebDriverException, HTTPError):
                cls._shared.close()
            cls._shared = None
            cls.shared().forget(origin)
        return cls.shared()

    def __init__(self):
        options = webdriver.ChromeOptions()
        # With a process for each site, a page does not start one of its own.
        for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage",
                         "--disable-gpu", "--force-prefers-reduced-motion", "--process-per-site"):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        # The first one needs less processor time for the same pages; its script in /usr/bin would
        # leave it running.
        for path in ("/usr/lib/chromium/chromium-headless-shell", "/usr/bin/chromium",
                     "/usr/bin/chromium-browser"):
            if os.path.exists(path):
                options.binary_location = path
                break
        driver = "/usr/bin/chromedriver"
        service = Service(driver if os.path.exists(driver) else None)
        self.driver = Driver(options=options, service=service)
        self.driver.set_page_load_timeout(120)
        self.driver.set_script_timeout(120)
        self.set_size(DESKTOP)
        # The tab whose dialogs are recorded.
        self.recorded_tab = None

    def close(self):
        """Ends the browser."""
        self.driver.quit()

    def set_size(self, size):
        """Sets the size of the page: DESKTOP, or PHONE with its touch screen."""
        width, height = size
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": size == PHONE})

    def set_scheme(self, scheme):
        """Sets the preferred colour scheme, "light" or "dark"."""
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [
            {"name": "prefers-color-scheme", "value": scheme},
            {"name": "prefers-reduced-motion", "value": "reduce"}]})

    def forget(self, origin):
        """Leaves one tab without a history, and no cookies nor stored data of an origin."""
        kept, *others = self.driver.window_handles
        for tab in others:
            self.driver.switch_to.window(tab)
            self.driver.close()
        if others:
            self.driver.switch_to.window(kept)
        if opened.IS_RECORDED and self.recorded_tab != kept:
            self.driver.execute_cdp_cmd(
                "Page.addScriptToEvaluateOnNewDocument", {"source": opened.RECORDER})
            self.recorded_tab = kept
        self.driver.get("about:blank")
        # A tab keeps 50 entries: one more would replace the oldest.
        self.driver.execute_cdp_cmd("Page.resetNavigationHistory", {})
        self.driver.execute_cdp_cmd("Network.clearBrowserCookies", {})
        self.driver.execute_cdp_cmd(
            "Storage.clearDataForOrigin", {"origin": origin, "storageTypes": "all"})
        self.take_errors()

    def take_errors(self):
        """The errors in the browser's console since the last call, as texts."""
        entries = self.driver.get_log("browser")
        if opened.IS_RECORDED:
            for entry in entries:
                opened.add_entry(entry["message"])
        return [entry["message"] for entry in entries if is_error(entry)]

    def violations(self, rules=None):
        """The violations of rules, by default of all, that axe finds on the page, as texts."""
        if not self.driver.execute_script("return Boolean(window.axe)"):
            script = files("axe_core_python").joinpath("axe.min.js").read_text("utf-8")
            self.driver.execute_script(script)
        if opened.IS_RECORDED and not rules:
            opened.add_page(self.driver.execute_script(opened.PAGE))
        result = self.driver.execute_async_script(
            "const [rules, done] = arguments;"
            "const options = {resultTypes: ['violations'], ...(rules && {runOnly: rules})};"
            "axe.run(document, options).then(done, (error) =>"
            " done({violations: [{id: 'axe', impact: '', help: String(error), nodes: []}]}));",
            rules)
        return [describe(violation) for violation in result["violations"]]

    def save_picture(self, path):
        """Saves a screenshot of the window."""
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        self.driver.save_screenshot(str(path))


def is_error(entry):
    """True if an entry of the browser's console is an error of a page."""
    if entry["source"] == "network":
        path = urlsplit(entry["message"].split(" ", 1)[0]).path
        is_call = path.startswith("/v1/") or path == "/console/session"
        return not (is_call and EXPECTED_STATUSES.search(entry["message"]))
    return entry["level"] in ("SEVERE", "WARNING") or entry["source"] == "security"


def describe(violation):
    """A violation as a text."""
    nodes = [f"    {json.dumps(node['target'])}: {node.get('failureSummary', '')}\n"
             f"        {node['html'][:300]}" for node in violation["nodes"]]
    head = f"{violation['id']} ({violation['impact']}): {violation['help']}"
    return "\n".join([head] + nodes)
