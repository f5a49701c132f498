"""Timers of a page that fire on a test's command, so that no test waits for a clock or races with it."""

# Replaces the page's timers of some milliseconds; other timers are not affected.
SCRIPT = """
const held = window.heldTimers = new Map();
const lengths = arguments[0];
const {setTimeout: start, clearTimeout: stop} = window;
window.setTimeout = (run, time, ...rest) => {
    if (!lengths.includes(time)) return start(run, time, ...rest);
    const number = start(() => {}, 0);
    held.set(number, () => run(...rest));
    return number;
};
window.clearTimeout = (number) => {
    held.delete(number);
    stop(number);
};
"""

END = """
const timers = [...window.heldTimers.values()];
window.heldTimers.clear();
for (const run of timers) run();
return timers.length;
"""


class HeldTimers:
    """Holds the timers of some milliseconds that the open page starts, until it is reloaded."""

    def __init__(self, driver, *milliseconds):
        self.driver = driver
        driver.execute_script(SCRIPT, milliseconds)

    def end(self):
        """Fires the timers that run now; returns their number."""
        return self.driver.execute_script(END)
