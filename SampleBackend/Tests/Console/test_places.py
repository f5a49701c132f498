"""Addresses: sign-in links, projects, and versions published meanwhile."""

import unittest
from urllib.parse import quote
from uuid import uuid4

from console_case import TOKEN, URL, gate
from faults import Faults
from sign_in_turns import take_sign_in_turn
from task_case import TEMPLATE, TaskCase, new_project, with_interval


class SignInLinkTests(TaskCase):
    def test_works_in_a_tab_with_the_console(self):
        self.go("history")
        cookie = self.driver.get_cookies()
        take_sign_in_turn(URL)
        self.driver.get(f"{URL}/console/#token={quote(TOKEN)}")
        self.wait_for_text("Sign in with this link?", "dialog")
        self.assertNotIn(TOKEN, self.driver.current_url)
        self.press("Sign in with the link")
        self.wait_for_text("The sample template", "main")
        self.wait_for(lambda: self.driver.get_cookies() != cookie, "the new session")
        self.assertIn(f"/{self.project}/history", self.driver.current_url)

    def test_works_with_a_page(self):
        self.open(f"#/{self.project}/user?id=3&token={quote(TOKEN)}")
        self.wait_for_text("Try as a user", "main h1")
        self.assertEqual(self.driver.current_url, f"{URL}/console/#/{self.project}/user?id=3")

    @gate
    def test_keeps_who_is_signed_in_when_the_token_is_wrong(self):
        self.go("history")
        take_sign_in_turn(URL)
        self.driver.get(f"{URL}/console/#token=wrong")
        self.press("Sign in with the link")
        self.wait_for_text("unknown, expired or revoked", "dialog")
        self.press("OK")
        self.wait_for_dialog_to_close()
        self.assertEqual(self.find("main h1").text, "History")

    def test_leaves_the_page_as_it_is_when_the_token_is_wrong(self):
        self.go("transfer")
        self.write("Or its content", "{ unfinished")
        take_sign_in_turn(URL)
        self.driver.get(f"{URL}/console/#token=wrong")
        self.press("Sign in with the link")
        self.press("OK")
        self.wait_for_dialog_to_close()
        self.assertEqual(
            self.field("Or its content").get_attribute("value"), "{ unfinished")

    def test_does_not_stay_in_the_history_of_an_open_form(self):
        self.go("settings")
        self.press("Edit AppFeatures.RefreshInterval")
        self.write("Description", "x")
        self.driver.execute_script("location.hash = arguments[0]", f"token={quote(TOKEN)}")
        self.press("Keep editing")
        self.assertNotIn(TOKEN, self.driver.current_url)
        history = self.driver.execute_cdp_cmd("Page.getNavigationHistory", {})
        self.assertNotIn(TOKEN, str(history))


class ProjectTests(TaskCase):
    def chosen(self):
        """The project that the header shows."""
        return self.field("Project").get_attribute("value")

    def test_opens_the_last_project_else_the_default_one(self):
        self.continue_session()
        self.open()
        self.wait_for_text("Settings", "main h1")
        self.assertEqual(self.chosen(), "default")
        self.go("settings")
        self.open()
        self.wait_for_text("Settings", "main h1")
        self.assertEqual(self.chosen(), self.project)

    @gate
    def test_says_that_a_project_is_unknown(self):
        self.continue_session()
        name = f"unknown-{uuid4().hex[:8]}"
        self.open(f"#/{name}/live")
        self.wait_for_text(f"There is no project {name}", "main h1")
        self.check_page("unknown-project")
        self.press(self.project)
        self.wait_for_text("Settings", "main h1")
        self.assertEqual(self.chosen(), self.project)

    def test_shows_nothing_of_a_project_before_it_is_published(self):
        self.continue_session()
        name = f"created-{uuid4().hex[:8]}"
        self.create_project(name)
        self.open(f"#/{name}/live")
        self.wait_for_text("is published yet", "main")
        self.assertNotIn("No app is connected", self.find("main").text)
        self.check_page("unpublished-live")
        self.project = name
        self.go("history")
        self.wait_for_text("is published yet", "main")
        self.publish(TEMPLATE, "First", expected="*")
        self.wait_for_text("First", "main")

    @gate
    def test_follows_what_is_published(self):
        self.go("settings")
        button = self.button("Edit AppFeatures.RefreshInterval")
        self.driver.execute_script("arguments[0].focus()", button)
        self.publish(with_interval("77"), "Later")
        self.wait_for_text("77", "main")
        self.assertEqual(
            self.driver.switch_to.active_element.accessible_name,
            "Edit AppFeatures.RefreshInterval")
        self.assertEqual(self.find_all(".draft-bar"), [])

    def listed(self):
        """The words of the first column of the history."""
        return [e.text.split() for e in self.find_all("tbody th")]

    def test_follows_what_is_published_on_the_other_pages(self):
        self.go("history")
        self.wait_for(lambda: self.listed() == [["1", "Current"]], "the first version")
        self.publish(TEMPLATE, "Second")
        self.wait_for(lambda: self.listed() == [["2", "Current"], ["1"]], "the second version")
        self.go("user", id="7")
        self.wait_for_text("60.0", "main")
        self.publish(with_interval("77"), "Third")
        self.wait_for_text("77", "main")
        self.go("transfer")
        self.wait_for_text("of the current version, 3,", "[aria-labelledby=export]")
        self.write("Or its content", "{ unfinished")
        self.publish(TEMPLATE, "Fourth")
        self.wait_for_text("of the current version, 4,", "[aria-labelledby=export]")
        self.assertEqual(
            self.field("Or its content").get_attribute("value"), "{ unfinished")

    def test_a_slow_project_does_not_replace_the_one_that_was_chosen_after_it(self):
        first = self.project
        self.project = new_project()
        self.publish(TEMPLATE, "Another project", expected="*")
        self.go("settings")
        faults = Faults(self.driver)
        faults.hold("GET", f"/{first}/remoteConfig$")
        self.driver.execute_script("location.hash = arguments[0]", f"/{first}/settings")
        self.wait_for(faults.held, "the slow project")
        self.driver.execute_script("location.hash = arguments[0]", f"/{self.project}/history")
        self.wait_for_text("Another project", "main")
        faults.end(is_lost=True)
        self.assertEqual(self.find("main h1").text, "History")
        self.assertEqual(self.find_all("main > .message.error"), [])
        self.assertEqual(self.chosen(), self.project)

    @gate
    def test_does_not_change_the_page_under_a_form(self):
        self.go("settings")
        self.press("Edit AppFeatures.RefreshInterval")
        self.write("Description", "Mine")
        self.publish(TEMPLATE, "Theirs")
        self.wait_for_text("was published", ".draft-bar")
        self.assertEqual(self.field("Description").get_attribute("value"), "Mine")


if __name__ == "__main__":
    unittest.main()
