"""Signing in to the console at an OpenID provider."""

import os
import sys
import unittest
from pathlib import Path

from console_case import TOKEN, ConsoleCase, gate
from task_case import IS_SHOWN, TaskCase

sys.path.append(str(Path(__file__).parents[1] / "OpenIDConnect"))
from provider import Provider
from sign_in_backend import SignInBackend


class ProviderTests(TaskCase):
    def setUp(self):
        ConsoleCase.setUp(self)
        self.project = "default"
        self.provider = Provider()
        self.addCleanup(self.provider.close)
        pages = os.environ.get("CONSOLE_TEST_PAGES")
        self.backend = SignInBackend(
            self.provider.issuer, [{"domain": "shop.example", "role": "publisher"}],
            *(["--console-pages", pages] if pages else []), token=TOKEN)
        self.addCleanup(self.backend.close)
        self.provider.client = self.backend.client
        self.url = self.backend.url
        self.browser.forget(self.url)
        self.link = f"Sign in at {self.provider.issuer.removeprefix('http://')}"

    def open_page(self, page):
        """Opens a page without a session, and signs in at the provider."""
        self.driver.get(f"{self.url}/console/#/default/{page}")
        self.press(self.link)
        self.wait_for_text("ada@shop.example", ".account")
        self.wait_for(
            lambda: self.driver.execute_script(IS_SHOWN, self.project, page), f"the page {page}")

    @gate
    def test_returns_to_the_page_and_signs_out_at_the_provider(self):
        self.open_page("conditions")
        self.assertEqual(self.driver.current_url, f"{self.url}/console/#/default/conditions")
        self.press("Sign out")
        self.wait_for(lambda: self.provider.ended, "the end of the session at the provider")
        self.button(self.link)
        self.check_accessibility("sign-in with a provider")

    @gate
    def test_keeps_an_open_form_when_the_session_has_ended(self):
        self.open_page("settings")
        self.open_interval()
        first = self.driver.current_window_handle
        self.driver.delete_all_cookies()
        self.write("Default value", "45")
        self.wait_for_text("has ended", "dialog")
        self.press(f"{self.link}, in a new tab")
        self.wait_for(lambda: len(self.driver.window_handles) == 2, "the other tab")
        other, = {*self.driver.window_handles} - {first}
        self.driver.switch_to.window(other)
        self.wait_for_text("Sign out")
        self.driver.close()
        self.driver.switch_to.window(first)
        self.wait_for(lambda: len(self.find_all("dialog[open]")) == 1, "the form alone")
        self.assertEqual(self.field("Default value").get_property("value"), "45")
        self.keep()
        self.wait_for_text("1 change", ".draft-bar")

    @gate
    def test_says_why_the_provider_signs_nobody_in_and_takes_tokens(self):
        self.provider.error = "access_denied"
        self.driver.get(f"{self.url}/console/")
        self.press(self.link)
        self.wait_for_text('"access_denied": "Not today"', ".sign-in")
        self.enter_token(TOKEN)
        self.wait_for_text("Admin token", ".account")


if __name__ == "__main__":
    unittest.main()
