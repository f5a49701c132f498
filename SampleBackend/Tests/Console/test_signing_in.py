"""Signing in to the console and out of it."""

import json
import unittest
from urllib.parse import quote, urlsplit
from uuid import uuid4

from browser import PHONE
from console_case import TOKEN, ConsoleCase, gate
from faults import ADD, SCRIPT, Faults
from sign_in_turns import take_sign_in_turn


class SigningInTests(ConsoleCase):
    @gate
    def test_refuses_a_wrong_token_and_takes_the_right_one(self):
        self.open()
        self.enter_token("no token at all")
        self.wait_for_text("unknown, expired or revoked")
        self.assertEqual(self.driver.get_cookies(), [])
        self.enter_token(TOKEN)
        self.wait_for(
            lambda: not self.find_all("input[type=password]"), "the page after signing in")
        self.driver.refresh()
        self.wait_for_text("Admin token")
        self.assertEqual(self.find_all("input[type=password]"), [])

    @gate
    def test_takes_the_token_of_a_link_out_of_the_address(self):
        self.open(f"#token={quote(TOKEN)}")
        self.wait_for_text("Admin token")
        self.assertNotIn(TOKEN, self.driver.current_url)

    def test_says_that_the_token_of_a_link_is_wrong(self):
        self.open("#token=wrong")
        self.wait_for_text("unknown, expired or revoked")
        self.assertNotIn("wrong", self.driver.current_url)

    @gate
    def test_asks_before_a_link_replaces_who_is_signed_in(self):
        self.sign_in()
        for answer, cookie_stays in (("Stay Admin token", True), ("Sign in with the link", False)):
            cookie, = self.driver.get_cookies()
            self.driver.get("about:blank")
            self.open(f"#token={quote(TOKEN)}")
            self.wait_for_text("Sign in with this link?")
            self.assertNotIn(TOKEN, self.driver.current_url)
            self.assertEqual(self.driver.get_cookies(), [cookie])
            button, = [
                button for button in self.find_all("dialog button") if button.text == answer]
            button.click()
            self.wait_for_text("Sign out")
            self.assertEqual(self.driver.get_cookies() == [cookie], cookie_stays)

    @gate
    def test_ends_the_session_on_the_server(self):
        self.sign_in()
        cookie, = self.driver.get_cookies()
        self.driver.execute_async_script(
            "const done = arguments[0];"
            "fetch('/console/session', {method: 'DELETE'}).then(() => done());")
        self.driver.add_cookie(
            {name: cookie[name] for name in ("name", "value", "path", "httpOnly")})
        self.open()
        self.find("input[type=password]")

    @gate
    def test_signs_out_in_all_tabs(self):
        self.sign_in()
        self.sign_out_in_another_tab()
        self.wait_for_text("You signed out in another tab.")
        self.enter_token(TOKEN)
        self.wait_for_text("Sign out")

    def test_follows_another_tab_while_it_asks_about_a_link(self):
        self.sign_in()
        link = f"#token={quote(self.new_token('editor'))}"
        self.open(link)
        self.wait_for_text("Sign in with this link?")
        with self.another_tab():
            self.open(link)
            self.wait_for_text("Sign in with this link?")
            self.find("dialog button.primary").click()
            self.wait_for_text("Sign out")
        self.wait_for_text("editor", ".who")
        self.assertEqual(self.find_all("dialog[open]"), [])

    def test_takes_the_token_of_a_link_again_when_the_server_was_away(self):
        self.open()
        self.find("input[type=password]")
        faults = Faults(self.driver)
        faults.fail("POST", "/console/session")
        self.driver.execute_script("location.hash = arguments[0]", f"token={quote(TOKEN)}")
        self.wait_for_text("The server does not answer")
        faults.end()
        take_sign_in_turn(self.url)
        self.find("main button").click()
        self.wait_for_text("Sign out")

    @gate
    def test_keeps_the_pages_when_the_server_is_away_for_the_token_of_a_link(self):
        self.sign_in()
        self.wait_for(lambda: self.find_all("main h1[tabindex]"), "the pages")
        faults = Faults(self.driver)
        faults.fail("GET", "/console/session")
        self.driver.execute_script("location.hash = arguments[0]", f"token={quote(TOKEN)}")
        self.wait_for_text("The server does not answer", "dialog")
        self.assertEqual(len(self.find_all("main h1[tabindex]")), 1)
        faults.end()
        again, = [e for e in self.find_all("dialog button") if e.text == "Try again"]
        again.click()
        self.wait_for_text("Sign in with this link?", "dialog")

    def test_says_that_the_page_has_not_started(self):
        self.driver.execute_cdp_cmd("Network.enable", {})
        self.driver.execute_cdp_cmd("Network.setBlockedURLs", {"urls": ["*/frame.js"]})
        try:
            self.open()
            notice, = self.find_all(".not-started")
            self.assertEqual(notice.value_of_css_property("animation-duration"), "3s")
            self.wait_for(notice.is_displayed, "the notice")
            self.check_accessibility("not started")
        finally:
            self.driver.execute_cdp_cmd("Network.setBlockedURLs", {"urls": []})
        self.browser.take_errors()
        self.open()
        self.find("input[type=password]")

    @gate
    def test_keeps_the_token_from_scripts(self):
        self.sign_in()
        cookie, = self.driver.get_cookies()
        self.assertEqual(cookie["name"], f"activeconfig_session_{urlsplit(self.driver.current_url).port}")
        self.assertTrue(cookie["httpOnly"])
        self.assertEqual(cookie["sameSite"], "Strict")
        stored = self.driver.execute_script(
            "return JSON.stringify([document.cookie, {...localStorage}, {...sessionStorage}])")
        self.assertNotIn(TOKEN, stored)
        self.assertNotIn("activeconfig_session", stored)

    @gate
    def test_makes_no_code_of_text_and_loads_nothing_from_elsewhere(self):
        self.open()
        self.find("input[type=password]")
        refused = self.driver.execute_script(
            "const attempts = [() => { document.body.innerHTML = '<p>'; },"
            " () => document.createElement('img').setAttribute('onerror', 'window.wasRun = true'),"
            " () => { document.createElement('script').text = 'window.wasRun = true'; }];"
            "const frame = document.createElement('iframe');"
            "frame.src = 'https://elsewhere.example/'; document.body.append(frame);"
            "return attempts.map((attempt) => {"
            " try { attempt(); return false; } catch { return true; } });")
        self.assertEqual(refused, [True, True, True])
        errors = []
        self.wait_for(
            lambda: errors.extend(self.browser.take_errors())
            or any("Framing 'https://elsewhere.example/'" in error for error in errors),
            "what the browser says of the frame")
        self.assertEqual(len(errors), 4, errors)

    def test_says_where_a_token_comes_from(self):
        self.open()
        self.find("summary").click()
        self.wait_for_text("sample-backend tokens create", "main")
        self.check_accessibility("sign-in with the help")

    @gate
    def test_is_accessible(self):
        self.open()
        self.find("input[type=password]")
        self.check_accessibility("sign-in")
        self.picture("sign-in")


class LinkOrderTests(ConsoleCase):
    """Links with a token that arrive while a page is shown: each order of what can happen then."""

    # Holds the event of a navigation, which a browser sends after the address has changed.
    hold_event = """
        window.addEventListener('hashchange', (event) => {
            event.stopImmediatePropagation();
            window.heldEvent = event;
        }, {capture: true, once: true});"""

    def setUp(self):
        super().setUp()
        self.continue_session()

    def deliver_event(self):
        """Sends the held event, once the browser has sent it."""
        self.wait_for(lambda: self.driver.execute_script("return Boolean(window.heldEvent)"),
                      "the event of the address")
        self.driver.execute_script(
            "const {oldURL, newURL} = window.heldEvent;"
            "window.dispatchEvent(new HashChangeEvent('hashchange', {oldURL, newURL}));")

    def check_question(self, page):
        """Fails unless the link is asked about over a page, with no token in the address."""
        self.assertNotIn("token", self.driver.current_url)
        self.deliver_event()
        self.wait_for_text("Sign in with this link?", "dialog")
        self.wait_for_text(page, "main h1")
        self.assertNotIn("token", self.driver.current_url)
        self.driver.execute_script("history.back()")
        self.wait_for(lambda: not self.find_all("dialog[open]"), "the page alone")
        self.assertNotIn("token", self.driver.current_url)

    @gate
    def test_takes_a_link_whose_page_writes_its_query_first(self):
        self.open("#/default/settings")
        self.wait_for_text("Settings", "main h1")
        self.driver.execute_async_script("""
            const done = arguments[0];
            const {src} = document.querySelector('script[type=module]');
            import(new URL('routing/router.js', src)).then((router) => {
                window.router = router;
                done();
            });""")
        self.driver.execute_script(
            self.hold_event + "location.hash = 'token=' + arguments[0];"
            "window.router.setQuery({find: 'e'});", quote(self.new_token("editor")))
        self.check_question("Settings")
        self.assertTrue(self.driver.current_url.endswith("#/default/settings?find=e"))

    def test_takes_a_link_before_whose_event_the_page_is_drawn(self):
        self.open("#/default/conditions")
        self.wait_for_text("Conditions", "main h1")
        self.driver.execute_script(
            self.hold_event + "location.hash = 'token=' + arguments[0];"
            "document.querySelector('nav [aria-current]').click();",
            quote(self.new_token("editor")))
        self.check_question("Conditions")

    @gate
    def test_keeps_the_question_of_a_link_when_the_first_session_is_answered(self):
        rule = json.dumps(["GET", "/console/session", "hold", {"limit": 1}])
        source = f"{SCRIPT} (function () {{ {ADD} }})(...{rule});"
        script = self.driver.execute_cdp_cmd(
            "Page.addScriptToEvaluateOnNewDocument", {"source": source})
        try:
            self.open("#/default/settings")
        finally:
            self.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", script)
        faults = Faults(self.driver)
        self.wait_for(lambda: faults.held() == 1, "the question for the first session")
        take_sign_in_turn(self.url)
        self.driver.execute_script(
            "location.hash = 'token=' + arguments[0]", quote(self.new_token("editor")))
        self.wait_for_text("Sign in with this link?", "dialog")
        faults.end()
        self.find("dialog[open] button.primary").click()
        self.wait_for_text("editor", ".who")
        self.assertNotIn("token", self.driver.current_url)


class SigningInAgainTests(ConsoleCase):
    """Calls of the page whose session has ended."""

    # A call that the pages make only when they show versions.
    resource = "remoteConfig:listVersions"

    def setUp(self):
        super().setUp()
        self.continue_session()
        self.open()
        self.wait_for(lambda: self.find_all("main h1[tabindex]"), "the pages")
        self.faults = Faults(self.driver)

    def begin_call(self, method="GET", path=None, options=None):
        """Makes a call as the page does; the result is kept in the page."""
        self.driver.execute_script("""
            // The module of the page, which has its session.
            const {src} = document.querySelector('script[type=module]');
            window.outcomes ??= [];
            window.controller = new AbortController();
            const {signal} = window.controller;
            const [method, path, options] = arguments;
            import(new URL('server/api.js', src)).then(({call}) => call(method, path, {...options, signal}))
            .then(({status}) => window.outcomes.push(status),
                (error) => window.outcomes.push(error.status ?? error.name));""",
            method, path or f"/v1/projects/default/{self.resource}", options)

    def check_outcomes(self, expected):
        """Fails unless the calls so far have these results, and no sign-in is open."""
        self.wait_for(
            lambda: self.driver.execute_script("return window.outcomes") == expected,
            f"the outcomes {expected}")
        self.assertEqual(self.find_all("dialog[open]"), [])

    def open_link(self, token, page="tokens"):
        """Enters the link of a page with a token in the address bar."""
        take_sign_in_turn(self.url)
        self.driver.execute_script(
            "location.hash = arguments[0]", f"/default/{page}?token={quote(token)}")

    def sign_in_again(self):
        self.enter_token(TOKEN)
        self.wait_for(lambda: not self.find_all("dialog[open]"), "the page alone")

    @gate
    def test_asks_once_for_all_calls_of_a_session(self):
        self.driver.delete_all_cookies()
        self.faults.hold("GET", self.resource, limit=1)
        self.begin_call()
        self.wait_for(lambda: self.faults.held() == 1, "the answer to the first call")
        self.begin_call()
        self.wait_for_text("has ended", "dialog")
        self.sign_in_again()
        self.check_outcomes([200])
        self.faults.end()
        self.check_outcomes([200, 200])

    def test_asks_again_when_the_next_session_ends(self):
        for count in (1, 2):
            self.driver.delete_all_cookies()
            self.begin_call()
            self.wait_for_text("has ended", "dialog")
            self.sign_in_again()
            self.check_outcomes([200] * count)

    def test_asks_again_when_a_session_ends_that_began_in_the_form(self):
        self.faults.refuse("GET", self.resource, 401, is_held=True)
        self.begin_call()
        self.wait_for(lambda: self.faults.held() == 1, "the answer to the first call")
        self.sign_out_in_another_tab()
        self.wait_for_text("You signed out in another tab.")
        self.enter_token(TOKEN)
        self.wait_for_text("Sign out")
        self.faults.end()
        self.check_outcomes([401])
        self.driver.delete_all_cookies()
        self.begin_call()
        self.wait_for_text("has ended", "dialog")
        self.sign_in_again()
        self.check_outcomes([401, 200])

    def test_shows_the_user_of_another_tab_before_it_knows_that_the_session_has_ended(self):
        token = self.new_token("editor")
        # Before the session ends: a call of the page may notice that first.
        self.faults.hold("GET", "/console/session", limit=1)
        self.driver.delete_all_cookies()
        self.begin_call()
        self.wait_for(lambda: self.faults.held() == 1, "the question for the session")
        with self.another_tab():
            self.sign_in(token)
        self.wait_for_text("editor", ".who")

    def test_ends_with_another_tab_while_it_asks(self):
        self.driver.delete_all_cookies()
        self.begin_call()
        self.wait_for_text("has ended", "dialog")
        self.sign_in_unnoticed(TOKEN)
        self.sign_out_in_another_tab()
        self.wait_for_text("You signed out in another tab.")
        self.check_outcomes([401])

    def test_repeats_a_refused_call_once(self):
        self.faults.refuse("GET", self.resource, 401)
        self.begin_call()
        self.check_outcomes([401])
        self.assertEqual(self.faults.sent("GET", self.resource), 2)

    @gate
    def test_repeats_no_call_as_another_user(self):
        self.faults.refuse("POST", "/v1/tokens", 401, is_held=True)
        name = f"created {uuid4().hex}"
        self.begin_call("POST", "/v1/tokens", {"body": {"name": name, "role": "viewer"}})
        self.wait_for(lambda: self.faults.held() == 1, "the answer to the call")
        self.sign_in_unnoticed(self.new_token("publisher"))
        self.faults.release()
        self.wait_for_text("publisher ", ".who")
        _, answer = self.administer("GET", "/v1/tokens")
        self.assertNotIn(name, [token["name"] for token in answer["tokens"]])

    def test_asks_once_for_a_session_that_may_not_be_read(self):
        self.faults.refuse("GET", "/console/session", 403)
        self.faults.refuse("GET", self.resource, 403)
        self.begin_call()
        self.check_outcomes([403])
        self.wait_for(lambda: self.faults.sent("GET", "/console/session") == 1, "the question")
        # Calls that follow do so without another question in between.
        self.begin_call("GET", "/console/session")
        self.check_outcomes([403, 403])
        self.assertEqual(self.faults.sent("GET", "/console/session"), 2)

    def test_shows_the_page_of_a_link_for_another_token_of_the_user(self):
        name = f"renewed {uuid4().hex}"
        self.driver.delete_all_cookies()
        self.sign_in(self.new_token("editor", name))
        self.wait_for_text("editor", ".who")
        self.revoke_token(name)
        self.driver.execute_script("window.isOld = true")
        self.open_link(self.new_token("editor", name))
        self.wait_for_text("Tokens", "main h1")
        self.wait_for(lambda: not self.find_all("dialog[open]"), "the page alone")
        self.assertTrue(self.driver.execute_script("return window.isOld"), "the page was reloaded")

    def test_shows_the_page_of_a_link_whose_token_was_not_taken(self):
        self.open_link(self.new_token("editor"))
        self.wait_for_text("Sign in with this link?")
        next(e for e in self.find_all("dialog button") if e.text.startswith("Stay")).click()
        self.wait_for_text("Tokens", "main h1")
        self.wait_for_text("Admin token", ".who")

    def test_shows_the_page_of_a_link_when_the_session_ended_meanwhile(self):
        self.faults.hold("POST", "/console/session", limit=1)
        self.driver.delete_all_cookies()
        self.open_link(TOKEN)
        self.wait_for(lambda: self.faults.held() == 1, "the answer to the sign-in")
        self.driver.delete_all_cookies()
        self.begin_call()
        self.wait_for_text("has ended", "dialog")
        # The cookie of the answer that is held.
        self.sign_in_unnoticed(TOKEN)
        self.faults.end()
        self.wait_for_text("Tokens", "main h1")
        self.check_outcomes([200])

    def test_signs_in_again_with_a_link(self):
        self.driver.delete_all_cookies()
        self.begin_call()
        self.wait_for_text("has ended", "dialog")
        self.open_link("wrong")
        self.wait_for_text("unknown, expired or revoked", "dialog")
        self.open_link(TOKEN)
        self.wait_for_text("Tokens", "main h1")
        self.check_outcomes([200])
        self.assertNotIn("token=", self.driver.current_url)

    def test_signs_in_again_as_another_user_with_a_link(self):
        self.driver.delete_all_cookies()
        self.begin_call()
        self.wait_for_text("has ended", "dialog")
        self.open_link(self.new_token("editor"))
        # The pages of the other user are loaded.
        self.wait_for_text("editor ", ".who")
        self.wait_for_text("Tokens", "main h1")
        self.assertEqual(self.find_all("dialog[open]"), [])

    @gate
    def test_signs_in_with_a_link_over_an_open_form(self):
        self.driver.execute_script("location.hash = '/default/tokens'")
        self.find("button[data-focus=create-token]").click()
        self.find("dialog input[type=text]").send_keys("half of a na")
        self.driver.delete_all_cookies()
        self.begin_call()
        self.wait_for_text("has ended")
        self.open_link(TOKEN, page="settings")
        self.wait_for(lambda: len(self.find_all("dialog[open]")) == 1, "the form alone")
        field = self.find("dialog input[type=text]")
        self.assertEqual(field.get_attribute("value"), "half of a na")
        field.send_keys("me")
        next(e for e in self.find_all("dialog button") if e.text == "Cancel").click()
        self.wait_for_text("Discard your input?")
        next(e for e in self.find_all("dialog button") if e.text == "Discard").click()
        self.wait_for(lambda: not self.find_all("dialog[open]"), "the page alone")
        self.check_outcomes([200])
        self.assertTrue(self.driver.current_url.endswith("#/default/tokens"))

    def test_signs_out_no_other_session(self):
        self.sign_in_unnoticed(self.new_token("editor"))
        next(e for e in self.find_all("button") if e.text == "Sign out").click()
        # The pages of the other user are loaded.
        self.wait_for_text("editor ", ".who")
        self.assertEqual(self.find_all("dialog[open]"), [])

    def test_does_not_repeat_an_abandoned_call(self):
        self.driver.delete_all_cookies()
        self.begin_call()
        self.wait_for_text("has ended", "dialog")
        self.driver.execute_script("window.controller.abort()")
        self.sign_in_again()
        self.check_outcomes(["AbortError"])
        self.assertEqual(self.faults.sent("GET", self.resource), 1)


class SigningInOnAPhoneTests(ConsoleCase):
    size = PHONE

    @gate
    def test_fits(self):
        self.open()
        self.find("input[type=password]")
        self.assertLessEqual(
            self.driver.execute_script("return document.documentElement.scrollWidth"), PHONE[0])
        self.check_accessibility("sign-in on a phone")
        self.picture("sign-in-phone")


if __name__ == "__main__":
    unittest.main()
