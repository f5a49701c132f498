"""The pages, dialogs and menus that the tests of the gate open and use.

The calls that open one are extracted from the code, and the browser reports the call that opened
one, so no list has to be maintained: a new dialog that no test of the gate opens is a failure.
"""

import os
import re
from pathlib import Path

PAGES = Path(__file__).parents[2] / "Sources/Console/Pages"

# Set by the run of the gate.
IS_RECORDED = bool(os.environ.get("ACTIVECONFIG_CONSOLE_RECORDS"))

# Places opened and used by this process's tests since the last `take`, in the form of `missing`.
_seen = set()

# Reports the calls on the stack when a dialog or a popover opens, and again when it is used: when the
# last of a dialog's buttons, its action, is pressed, or an item of a menu or a list.
RECORDER = r"""
(() => {
    const places = new WeakMap();
    const report = (kind, calls) => console.debug(['opened.py', kind, ...calls].join(' '));
    const watch = (prototype, name) => {
        const show = prototype[name];
        prototype[name] = function (...rest) {
            const calls = [...new Error().stack.matchAll(/\/([\w-]+\.js:\d+):/g)].map(([, at]) => at);
            places.set(this, calls);
            report('opened', calls);
            return show.apply(this, rest);
        };
    };
    watch(HTMLDialogElement.prototype, 'showModal');
    watch(HTMLElement.prototype, 'showPopover');
    addEventListener('click', ({target}) => {
        const place = target.closest?.('dialog, [popover]');
        if (!places.has(place)) return;
        const actions = place.querySelector(':scope > .dialog-actions')?.children ?? [];
        // Where nothing but closing it is offered, any button or link of the dialog.
        if (actions.length > 1 ? actions[actions.length - 1].contains(target)
            : target.closest('button, a, [role=option]')) report('used', places.get(place));
    }, true);
})();
"""

# The path of the current page; before signing in, its class.
PAGE = r"""
    return document.querySelector('main.sign-in') ? 'sign-in'
        : location.hash.split('?')[0].split('/')[2] ?? '';"""

# A call that opens a dialog, a menu or a list of choices.
CALL = re.compile(r"(?<![\w.#])(?<!function )(?:openDialog|ask)\(|\.showPopover\(")


def add_entry(message):
    """Takes an entry of the browser's console."""
    if match := re.search(r'"opened\.py (opened|used) ([^"]*)"', message):
        kind, calls = match.groups()
        _seen.update(f"{kind} {call}" for call in calls.split())


def add_page(path):
    """Takes the path of a page on which axe has run."""
    _seen.add(f"checked {path}")


def take():
    """The places opened, used and checked since the last call."""
    seen = sorted(_seen)
    _seen.clear()
    return seen


def calls():
    """The calls of the code that open something, as FILE:LINE, with their text."""
    found = {}
    for file in sorted(PAGES.rglob("*.js")):
        for number, line in enumerate(file.read_text("utf-8").splitlines(), 1):
            is_code = not line.lstrip().startswith(("*", "//", "/*"))
            if is_code and CALL.search(line):
                found[f"{file.name}:{number}"] = line.strip()
    return found


def paths():
    """The paths of the pages, and that of the sign-in."""
    text = (PAGES / "frame/pages.js").read_text("utf-8")
    return {"sign-in", *re.findall(r"\{path: '([\w-]+)'", text)}


def missing(seen):
    """The places that no test has opened, used or checked, with a sentence for each."""
    folder = PAGES.relative_to(Path(__file__).parents[3])
    return [
        *((folder, f"no test with @gate lets axe check the page {path}") for path in sorted(paths())
          if f"checked {path}" not in seen),
        *((folder / place, f"no test with @gate {verb} this: {text}")
          for place, text in calls().items() for kind, verb in (("opened", "opens"), ("used", "uses"))
          if f"{kind} {place}" not in seen)]
