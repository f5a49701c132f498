"""Faults of the network between a page and the server."""

# Replaces the page's `fetch`. A rule applies to the requests of a method whose path and query match
# a regular expression, at most `limit` times.
SCRIPT = """
window.faults ??= {rules: [], sent: [], fetch: window.fetch.bind(window)};
const {faults} = window;
window.fetch = async (path, options = {}) => {
    const {method = 'GET'} = options;
    faults.sent.push(`${method} ${path}`);
    const rule = faults.rules.find((each) => each.method === method && each.limit > 0
        && new RegExp(each.pattern).test(path));
    if (!rule) return faults.fetch(path, options);
    rule.limit -= 1;
    const broken = new TypeError('Failed to fetch');
    const hold = () => {
        rule.held += 1;
        return Promise.race([rule.released, new Promise((_, reject) => {
            options.signal?.addEventListener('abort', () => reject(options.signal.reason));
        })]);
    };
    if (rule.kind === 'fail') throw broken;
    if (rule.kind === 'refuse') {
        if (rule.isHeld) await hold();
        const error = {code: rule.status, status: '', message: 'The server says no.'};
        return new Response(JSON.stringify({error}), {status: rule.status});
    }
    const answer = await faults.fetch(path, options).catch((error) => error);
    if (rule.kind === 'lose') throw broken;
    await hold();
    if (rule.isLost || answer instanceof Error) throw broken;
    return answer;
};
"""

ADD = """
const [method, pattern, kind, options] = arguments;
const rule = {method, pattern, kind, limit: Infinity, held: 0, ...options};
if (rule.limit === null) rule.limit = Infinity;
rule.released = new Promise((resolve) => { rule.release = resolve; });
window.faults.rules.push(rule);
"""

RELEASE = """
for (const rule of window.faults.rules.splice(0)) {
    rule.isLost = arguments[0];
    rule.release();
}
"""

# The page has handled the answers when the tasks that were queued with them are done.
END = RELEASE + """
const done = arguments[1];
setTimeout(() => requestAnimationFrame(() => setTimeout(done, 100)), 100);
"""


class Faults:
    """Makes requests of the open page fail, until it is reloaded."""

    def __init__(self, driver):
        self.driver = driver
        driver.execute_script(SCRIPT)

    def fail(self, method, pattern, limit=None):
        """The server cannot be reached."""
        self._add(method, pattern, "fail", limit=limit)

    def lose(self, method, pattern, limit=None):
        """The server executes the request, and its response is lost."""
        self._add(method, pattern, "lose", limit=limit)

    def refuse(self, method, pattern, status, is_held=False):
        """The response is an error with a status; with `is_held`, it is held until `end`."""
        self._add(method, pattern, "refuse", status=status, isHeld=is_held)

    def hold(self, method, pattern, limit=None):
        """The server executes the request, and its response is held until `end`."""
        self._add(method, pattern, "hold", limit=limit)

    def held(self):
        """Number of responses that are held."""
        return self.driver.execute_script(
            "return window.faults.rules.reduce((sum, rule) => sum + rule.held, 0)")

    def sent(self, method, part):
        """Number of requests with a method and a text in their path and query."""
        return self.driver.execute_script(
            "return window.faults.sent.filter((each) => each.startsWith(arguments[0] + ' ')"
            " && each.includes(arguments[1])).length", method, part)

    def release(self):
        """Ends all faults without waiting for the page, which may be reloading."""
        self.driver.execute_script(RELEASE, False)

    def end(self, is_lost=False):
        """Ends all faults; held responses arrive, or are lost with `is_lost`."""
        self.driver.execute_async_script(END, is_lost)

    def _add(self, method, pattern, kind, **options):
        self.driver.execute_script(ADD, method, pattern, kind, options)
