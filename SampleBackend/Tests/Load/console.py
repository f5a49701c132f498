"""Measures the console's pages in a headless Chromium (B12, B13): console.py ROUNDS [--check] [--json]

It needs the environment of Tests/Console/run.sh: the address and the token of a running backend.
"""

import json
import os
import statistics
import sys
import time
from pathlib import Path
from urllib.request import Request, urlopen

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

sys.path.insert(0, str(Path(__file__).parents[1] / "Console"))
# pylint: disable=wrong-import-position
from browser import Browser

SETTINGS, CONDITIONS, SECTIONS = 3000, 500, 30
PROJECT = "load"
# A project of the usual size, for the time on a slow network.
SMALL_PROJECT = "phone"
SMALL_TEMPLATE = Path(__file__).parents[2] / "Sources/SampleBackend/Resources/SampleTemplate.json"

# A phone's network: milliseconds to a response's first byte, bits a second.
LATENCY, BITS = 150, 1_600_000
URL = os.environ["ACTIVECONFIG_CONSOLE_URL"]
TOKEN = os.environ["ACTIVECONFIG_ADMIN_TOKEN"]

# Runs before the page's own code. A key's time ends with the frame that shows its effect; tasks of
# over 50 ms, which the browser reports as long, are pauses even when no key waits for them.
PROBE = """
window.probe = {tasks: [], sent: [], keys: []};
new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) probe.tasks.push(entry.duration);
}).observe({type: 'longtask', buffered: true});
const send = window.fetch;
window.fetch = (path, options = {}) => {
    if (options.method !== 'GET' && !String(path).startsWith('/console/')) {
        probe.sent.push(new Blob([options.body ?? '']).size);
    }
    return send.call(window, path, options);
};
probe.painted = (then) => requestAnimationFrame(() => setTimeout(then, 0));
addEventListener('keydown', (event) => {
    const began = event.timeStamp;
    probe.painted(() => probe.keys.push(performance.now() - began));
}, true);
probe.until = (isDone, then) => {
    const look = () => (isDone() ? probe.painted(() => then(performance.now()))
        : requestAnimationFrame(look));
    look();
};
"""


def template():
    """A template of 3,000 settings and 500 conditions, of every type, with values of some length."""
    conditions = [
        {"name": f"Condition {n}", "tagColor": ("BLUE", "GREEN", "ORANGE")[n % 3],
         "expression": f"percent('seed-{n}') <= {n / 5:.1f} && app.version.>=(['1.{n}'])"}
        for n in range(CONDITIONS)]
    kinds = (
        ("STRING", lambda n: f"The value of setting {n}, as long as most are"),
        ("BOOLEAN", lambda n: str(n % 8 == 1).lower()),
        ("NUMBER", lambda n: str(n)),
        ("JSON", lambda n: json.dumps({"title": f"Number {n}", "sizes": list(range(n % 20))})))
    groups = {}
    for n in range(SETTINGS):
        kind, value = kinds[n % 4]
        section = groups.setdefault(f"Group {n % SECTIONS}", {"parameters": {}})
        section["parameters"][f"setting_{n}"] = {
            "valueType": kind, "description": f"What setting {n} is for",
            "defaultValue": {"value": value(n)},
            "conditionalValues": {
                f"Condition {n % CONDITIONS}": {"value": value(n + 1)},
                f"Condition {(n + 7) % CONDITIONS}": {"value": value(n + 2)}}}
    return {"conditions": conditions, "parameterGroups": groups}


class Console:
    """The console of a large project in a browser."""

    def __init__(self):
        self.browser = Browser()
        self.driver = self.browser.driver
        self.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": PROBE})

    def sign_in(self):
        """Signs in at the console."""
        self.driver.get(f"{URL}/console/")
        self.find("input[type=password]").send_keys(TOKEN, "\n")
        self.find("main h1[tabindex]")

    def find(self, selector, seconds=60):
        """The first element that matches and is shown."""
        def shown(driver):
            return next((e for e in driver.find_elements(By.CSS_SELECTOR, selector)
                         if e.is_displayed()), None)
        return WebDriverWait(self.driver, seconds, 0.02).until(shown, selector)

    def load(self, page, is_done, project=PROJECT):
        """Loads a page; returns the milliseconds until a JavaScript condition is true and shown."""
        self.driver.get("about:blank")
        self.driver.get(f"{URL}/console/#/{project}/{page}")
        return self.when(is_done)

    def when(self, is_done):
        """Waits for a JavaScript condition; returns the page's time at the frame that shows it."""
        return self.driver.execute_async_script(
            f"probe.until(() => {is_done}, arguments[0])")

    def settle(self):
        """Waits until the page has been quiet for longer than it waits before it asks the server."""
        time.sleep(0.9)

    def begin(self):
        """Clears the probe's records."""
        self.settle()
        self.driver.execute_script("probe.tasks = []; probe.sent = []; probe.keys = []")

    def type(self, text):
        """Types a text at 20 keys a second; returns the probe's record of it."""
        self.begin()
        for character in text:
            for kind in ("keyDown", "keyUp"):
                self.driver.execute_cdp_cmd("Input.dispatchKeyEvent", {
                    "type": kind, "key": character,
                    **({"text": character} if kind == "keyDown" else {})})
            time.sleep(0.05)
        WebDriverWait(self.driver, 60).until(
            lambda driver: driver.execute_script("return probe.keys.length") >= len(text))
        self.settle()
        return self.driver.execute_script("return probe")


def request(method, resource, body=None, project=PROJECT):
    """Sends an administrator's request about a project."""
    fields = {"Authorization": f"Bearer {TOKEN}", "If-Match": "*"}
    with urlopen(Request(f"{URL}/v1/projects/{project}/{resource}", method=method, data=body,
                         headers=fields), timeout=120):
        pass


def measure_list(console):
    """The list of settings, and the search in it."""
    shown = console.load("settings", "document.querySelector('main .setting, main .setting-row')"
                         " && /3,000 settings/.test(document.querySelector('main').textContent)")
    nodes = console.driver.execute_script("return document.querySelectorAll('*').length")
    console.find("main input[type=search]").click()
    typed = console.type("setting 29 is")
    return {
        "listMilliseconds": shown, "nodes": nodes,
        "searchKeyMedian": statistics.median(typed["keys"]), "searchKeyMost": max(typed["keys"]),
        "searchPause": max(typed["tasks"], default=0)}


# What a page has loaded until now: requests, bytes, and the longest chain of requests of which each
# began after the one before it had ended. Answers of the browser's cache are left out.
LOADED = """
    const entries = [...performance.getEntriesByType('navigation'),
        ...performance.getEntriesByType('resource')].filter(({transferSize}) => transferSize > 0)
        .sort((a, b) => a.responseEnd - b.responseEnd);
    const chains = [];
    for (const {startTime} of entries) {
        const before = chains.filter((_, index) => entries[index].responseEnd <= startTime);
        chains.push(1 + Math.max(0, ...before));
    }
    return {requests: entries.length, roundTrips: Math.max(0, ...chains),
        bytes: entries.reduce((sum, {transferSize}) => sum + transferSize, 0)};"""


def measure_network(console):
    """The first page on a phone's network, with an empty cache and with a full one."""
    command = console.driver.execute_cdp_cmd
    figures = {}
    command("Network.enable", {})
    command("Network.clearBrowserCache", {})
    for name in ("cold", "warm"):
        command("Network.emulateNetworkConditions", {
            "offline": False, "latency": LATENCY, "downloadThroughput": BITS / 8,
            "uploadThroughput": BITS / 8})
        figures[f"{name}Milliseconds"] = console.load(
            "settings", "document.querySelector('main .setting, main .setting-row')", SMALL_PROJECT)
        loaded = console.driver.execute_script(LOADED)
        figures |= {f"{name}{key[0].upper()}{key[1:]}": value for key, value in loaded.items()}
        # The pages that load when the browser is idle.
        console.settle()
        console.driver.get("about:blank")
    command("Network.emulateNetworkConditions", {
        "offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1})
    return figures


def measure_typing(console):
    """Typing of a key in the dialog of a new setting."""
    console.load("settings", "document.querySelector('main .setting, main .setting-row')")
    console.driver.execute_script(
        "document.querySelector('main [data-focus^=\"add Group 0\"]').click()")
    console.find("dialog[open]")
    began = time.monotonic()
    typed = console.type("TwelveLetter")
    # A form that stays open would open again on the next page.
    console.driver.switch_to.active_element.send_keys(Keys.ESCAPE)
    console.when("document.querySelectorAll('dialog[open]').length > 1")
    console.driver.execute_script(
        "[...document.querySelectorAll('dialog[open] button')]"
        ".find((button) => button.textContent === 'Discard').click()")
    console.when("!document.querySelector('dialog[open]')")
    return {
        "typingKeyMost": max(typed["keys"]), "typingPause": max(typed["tasks"], default=0),
        "typingSeconds": time.monotonic() - began,
        "checkBytes": max(typed["sent"], default=0)}


def measure_conditions(console):
    """The list of conditions, and the last one's way to the top."""
    shown = console.load("conditions", "document.querySelector('main .condition')")
    last = f"Condition {CONDITIONS - 1}"
    # Only the rows near the window are in the page.
    console.driver.execute_script("window.scrollTo(0, document.body.scrollHeight)")
    console.when("[...document.querySelectorAll('main .condition h2')]"
                 f".some((name) => name.textContent === '{last}')")
    moves = console.driver.execute_script("""
        const named = (label) => [...document.querySelectorAll('main button, main [role=menuitem]')]
            .find((button) => button.getAttribute('aria-label') === label);
        const top = named(`Move ${arguments[0]} to the top`);
        const began = performance.now();
        (top ?? named(`Move ${arguments[0]} up`)).click();
        return {steps: top ? 1 : arguments[1] - 1, began};""", last, CONDITIONS)
    ended = console.when("true")
    moved = ended - moves["began"]
    console.settle()
    # In the next round, the condition must be the last one again.
    request("DELETE", "draft")
    return {"conditionsMilliseconds": shown, "stepsToTop": moves["steps"],
            "stepMilliseconds": moved}


# The figures: key, text, and target or None.
ROWS = (
    ("listMilliseconds", "settings shown, ms after the page's start", 500),
    ("nodes", "elements of the settings page", None),
    ("searchKeyMedian", "a key in search, ms until shown, median", 50),
    ("searchKeyMost", "a key in search, ms until shown, most", 50),
    ("searchPause", "longest task while searching, ms", 50),
    ("typingKeyMost", "a letter of a new key, ms until shown, most", 50),
    ("typingPause", "longest task while typing and checking, ms", 50),
    ("checkBytes", "bytes sent by a live check, most", 4096),
    ("conditionsMilliseconds", "conditions shown, ms after the page's start", None),
    ("stepsToTop", "steps that take the last condition to the top", 1),
    ("stepMilliseconds", "one such step, ms until shown", None),
    ("coldMilliseconds", "first page on a phone's network, ms", 2500),
    ("coldRequests", "its requests", 15),
    ("coldRoundTrips", "its longest chain of requests", None),
    ("coldBytes", "its bytes", 250_000),
    ("warmMilliseconds", "first page again, ms", 1000),
    ("warmRequests", "its requests", None),
    ("warmRoundTrips", "its longest chain of requests", None),
    ("warmBytes", "its bytes", None),
)


def main():
    """Measures, and prints the medians."""
    rounds = int(sys.argv[1])
    body = json.dumps(template()).encode()
    request("PUT", "remoteConfig", body)
    request("PUT", "remoteConfig", SMALL_TEMPLATE.read_bytes(), SMALL_PROJECT)
    console = Console()
    try:
        console.sign_in()
        measured = [measure_list(console) | measure_typing(console) | measure_conditions(console)
                    | measure_network(console) for _ in range(rounds)]
    finally:
        console.browser.close()
    figures = {key: statistics.median(one[key] for one in measured) for key in measured[0]}
    missed = [key for key, _, target in ROWS if target is not None and figures[key] > target]
    if "--json" in sys.argv:
        print(json.dumps({"settings": SETTINGS, "conditions": CONDITIONS,
                          "templateBytes": len(body), "rounds": rounds,
                          "figures": figures, "missed": missed}))
    else:
        print(f"{SETTINGS:,} settings, {CONDITIONS} conditions, {len(body):,} bytes; "
              f"median of {rounds}")
        print(f"{'':4} {'':52} {'measured':>9}  wanted")
        for key, text, target in ROWS:
            wanted = "" if target is None else f"<= {target}"
            mark = "  MISSED" if key in missed else ""
            print(f"{'B13' if key.startswith(('cold', 'warm')) else 'B12'}  {text:52} {figures[key]:9.0f}  {wanted}{mark}")
    return 1 if missed and "--check" in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
