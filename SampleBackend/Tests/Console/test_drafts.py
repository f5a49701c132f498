"""Drafts: stored by the server, the same in all tabs, and never silently lost or overwritten."""

import json
import unittest
from uuid import uuid4

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from browser import Browser
from console_case import TOKEN, gate
from faults import Faults
from held_timers import HeldTimers
from own_server_case import OwnServerCase
from task_case import TaskCase


class DraftTests(TaskCase):
    def edit_label(self, value):
        self.go("settings")
        self.press("Edit SampleViewConfiguration.LabelText")
        self.write("Default value", value)
        self.keep()

    def new_tab(self):
        """Opens the console in another tab of the same browser; returns both handles."""
        first = self.driver.current_window_handle
        self.driver.switch_to.new_window("tab")
        self.addCleanup(self.close_tabs)
        self.driver.get(f"{self.url}/console/#/{self.project}/settings")
        self.wait_for(lambda: self.find_all("main h1[tabindex]"), "the pages")
        return first, self.driver.current_window_handle

    def close_tabs(self):
        """Closes all tabs but one."""
        kept, *others = self.driver.window_handles
        for tab in others:
            self.driver.switch_to.window(tab)
            self.driver.close()
        self.driver.switch_to.window(kept)

    def test_shows_the_draft_in_a_second_tab_and_in_another_browser(self):
        self.edit_interval("45")
        self.wait_for_text("1 change", ".draft-bar")
        self.assertEqual(self.interval(), "45")
        first, second = self.new_tab()
        self.wait_for_text("1 change", ".draft-bar")
        self.edit_label("From the second tab")
        self.wait_for_text("2 changes", ".draft-bar")
        self.driver.switch_to.window(first)
        self.wait_for_text("2 changes", ".draft-bar")
        other = Browser()
        self.addCleanup(other.close)
        mine, self.driver = self.driver, other.driver
        self.go("review")
        self.wait_for_text("From the second tab", ".diff")
        self.driver = mine

    @gate
    def test_loses_nothing_when_the_tab_closes(self):
        self.edit_interval("45")
        self.wait_for_text("1 change", ".draft-bar")
        first, second = self.new_tab()
        self.driver.switch_to.window(first)
        self.driver.close()
        self.driver.switch_to.window(second)
        self.wait_for_text("1 change", ".draft-bar")

    @gate
    def test_merges_the_edits_of_two_tabs_that_edit_at_once(self):
        self.edit_interval("45")
        self.wait_for_text("1 change", ".draft-bar")
        # While a form is open in the first tab, the second one edits as well.
        self.press("Edit SampleViewConfiguration.LabelText")
        self.write("Default value", "From the first tab")
        first, second = self.new_tab()
        self.edit_interval("7")
        self.wait_for(lambda: self.interval() == "7", "the edit of the second tab")
        self.driver.switch_to.window(first)
        self.keep()
        self.wait_for_text("2 changes", ".draft-bar")
        status, draft = self.call("GET", "draft")
        self.assertIn("From the first tab", json.dumps(draft["template"]))
        self.assertEqual(self.interval(), "7")

    def test_says_which_edit_of_another_tab_it_replaced(self):
        self.go("settings")
        self.press("Edit AppFeatures.RefreshInterval")
        self.write("Default value", "45")
        first, second = self.new_tab()
        self.edit_interval("7")
        self.wait_for(lambda: self.interval() == "7", "the edit of the second tab")
        self.driver.switch_to.window(first)
        self.keep()
        self.wait_for_text("Another tab or person changed the same", ".draft-bar")
        self.wait_for_text("RefreshInterval, default value (“7”)", ".draft-bar")
        self.wait_for(lambda: self.interval() == "45", "the edit of the first tab")
        self.check_page("draft-overwritten")
        self.find("[data-focus=undo-step]").click()
        self.wait_for(lambda: self.interval() == "7", "the edit of the second tab again")

    def test_shows_a_value_whose_condition_does_not_exist(self):
        self.edit_interval("45")
        self.wait_for_text("1 change", ".draft-bar")

        def change(template):
            label = template["parameterGroups"]["SampleViewConfiguration"]["parameters"]["LabelText"]
            label["conditionalValues"]["Gone"] = {"value": "Theirs"}
        self.change_draft(change)
        self.wait_for_text("2 changes", ".draft-bar")
        self.press("Edit SampleViewConfiguration.LabelText")
        self.wait_for_text("There is no such condition", "dialog")
        self.assertEqual(self.field("Value for Gone").get_attribute("value"), "Theirs")
        self.press("Remove the value for Gone")
        self.keep()
        self.wait_for_text("1 change", ".draft-bar")
        self.assertNotIn("Gone", str(self.call("GET", "draft")[1]["template"]))

    def test_goes_on_saving_after_it_could_not_read_what_another_browser_saved(self):
        self.edit_interval("45")
        self.wait_for_text("1 change", ".draft-bar")
        self.press("Edit SampleViewConfiguration.LabelText")
        self.write("Default value", "Mine")
        self.change_draft(lambda template: template["conditions"].pop(0))
        faults = Faults(self.driver)
        faults.fail("GET", "/draft$")
        self.keep()
        self.wait_for_text("Not saved on the server: The server does not answer", ".draft-bar")
        faults.end()
        self.wait_for(lambda: "Mine" in str(self.call("GET", "draft")[1]), "the merged draft")
        self.wait_for(
            lambda: "Not saved" not in self.find(".draft-bar").text, "the problem to end")
        names = [c["name"] for c in self.call("GET", "draft")[1]["template"]["conditions"]]
        self.assertNotIn("User 1", names)
        self.assertEqual(self.interval(), "45")

    def check_press(self, down, up):
        """Presses a button, and releases it once the server has saved the draft."""
        self.go("settings")
        self.press("Edit AppFeatures.RefreshInterval")
        self.write("Default value", "45")
        self.wait_for_text("The server accepts this", "dialog")
        # The time that the page waits for the end of a press.
        HeldTimers(self.driver, 5000)
        self.hold_answers("/draft")
        self.keep()
        self.wait_for_held_answer()
        button = self.button("Discard …")
        self.driver.execute_script("arguments[0].focus()", button)
        down(ActionChains(self.driver).move_to_element(button)).perform()
        self.release_answers()
        up(ActionChains(self.driver)).perform()
        self.wait_for_text("Discard the draft?", "dialog")

    def test_a_button_under_the_mouse_keeps_its_click_when_the_draft_is_saved_meanwhile(self):
        self.check_press(ActionChains.click_and_hold, ActionChains.release)

    def test_a_button_under_the_space_key_keeps_its_click_when_the_draft_is_saved_meanwhile(self):
        self.check_press(lambda actions: actions.key_down(Keys.SPACE),
                         lambda actions: actions.key_up(Keys.SPACE))

    def test_discards_a_draft_of_an_archived_project(self):
        self.edit_interval("45")
        self.wait_for_text("1 change", ".draft-bar")
        self.assertEqual(self.call("PATCH", "details", {"archived": True})[0], 200)
        self.addCleanup(self.call, "PATCH", "details", {"archived": False})
        self.driver.refresh()
        self.wait_for_text("This project is archived: the draft can be discarded", ".draft-bar")
        self.go("review")
        self.wait_for_text("What changes", "main")
        self.assertFalse(self.field("Description of this version").is_enabled())
        self.assertEqual([e for e in self.find_all("main button") if e.text == "Revert"], [])
        self.check_page("draft-archived")
        self.press("Discard …")
        self.press("Discard the draft")
        self.wait_for(lambda: self.call("GET", "draft")[0] == 204, "the end of the draft")
        self.wait_for_text("No draft", ".step-bar")

    def test_does_not_send_a_refused_draft_again_before_the_next_edit(self):
        self.go("settings")
        faults = Faults(self.driver)
        faults.refuse("PATCH", "/draft[?]baseVersion", 403)
        self.press("Edit AppFeatures.RefreshInterval")
        self.write("Default value", "45")
        self.keep()
        self.wait_for_text("The server says no. The server refused it", ".draft-bar")
        self.check_page("draft-refused")
        checks = faults.sent("GET", ":listVersions")
        self.wait_for(
            lambda: faults.sent("GET", ":listVersions") >= checks + 2, "two checks of the page")
        self.assertEqual(faults.sent("PATCH", "/draft?baseVersion"), 1)
        self.edit_label("Mine")
        self.wait_for(
            lambda: faults.sent("PATCH", "/draft?baseVersion") == 2, "another attempt")
        faults.end()
        self.press("Try again")
        self.wait_for_text("2 changes", ".draft-bar")
        self.assertEqual(self.interval(), "45")

    def test_says_that_the_server_still_has_a_discarded_draft(self):
        self.edit_interval("45")
        self.wait_for_text("1 change", ".draft-bar")
        faults = Faults(self.driver)
        faults.fail("DELETE", "/draft$")
        self.press("Discard …")
        self.press("Discard the draft")
        self.wait_for_text("discarded in this tab only", ".draft-bar")
        self.wait_for_text("The server still has it", ".draft-bar")
        self.check_page("draft-discarding")
        self.assertEqual(self.interval(), "45")
        faults.end()
        self.wait_for(lambda: not self.find_all(".draft-bar"), "the draft to end")
        self.assertIsNone(self.interval())

    def test_asks_before_a_sign_out_loses_what_the_tab_has_no_room_for(self):
        self.go("settings")
        faults = Faults(self.driver)
        faults.fail("PATCH", "/draft")
        faults.fail("PUT", "/draft")
        self.fill_storage("sessionStorage")
        self.press("Edit AppFeatures.RefreshInterval")
        self.write("Default value", "45")
        self.keep()
        self.wait_for_text("the browser has no space to keep them", ".draft-bar")
        self.press("Sign out")
        self.wait_for_text("Signing out loses them", "dialog")
        self.press("Cancel")
        self.wait_for_dialog_to_close()
        faults.end()
        self.wait_for_text("1 change", ".draft-bar")

    def test_keeps_the_unsaved_draft_of_another_user_over_a_sign_out(self):
        self.go("settings")
        key = "activeconfig.draft.somebody.default"
        self.driver.execute_script("sessionStorage.setItem(arguments[0], '{}')", key)
        self.press("Sign out")
        self.wait_for_text("You are signed out.")
        self.assertEqual(
            self.driver.execute_script("return sessionStorage.getItem(arguments[0])", key), "{}")

    @gate
    def test_ends_the_draft_in_all_tabs(self):
        self.edit_interval("45")
        self.wait_for_text("1 change", ".draft-bar")
        first, second = self.new_tab()
        self.wait_for_text("1 change", ".draft-bar")
        self.press("Discard …")
        self.press("Discard the draft")
        self.wait_for(lambda: not self.find_all(".draft-bar"), "the draft to end")
        self.driver.switch_to.window(first)
        self.wait_for(lambda: not self.find_all(".draft-bar"), "the draft to end here")
        self.assertIsNone(self.interval())

    def begin_draft_to_renew(self):
        """Starts a draft of a new administrator; returns the name."""
        name = f"renewed {uuid4().hex}"
        self.token = self.new_token("editor", name)
        self.edit_interval("45")
        self.wait_for_text("1 change", ".draft-bar")
        return name

    def check_renewed_draft(self, token):
        self.wait_for(
            lambda: self.call("GET", "draft", Authorization=f"Bearer {token}")[0] == 200,
            "the draft of the new token")
        self.wait_for(lambda: not self.find_all("dialog[open]"), "the page alone")
        self.wait_for_text("1 change", ".draft-bar")

    @gate
    def test_keeps_the_draft_of_a_user_with_another_token(self):
        name = self.begin_draft_to_renew()
        self.revoke_token(name)
        self.wait_for_text("has ended", "dialog")
        renewed = self.new_token("editor", name)
        self.enter_token(renewed)
        self.check_renewed_draft(renewed)

    @gate
    def test_keeps_the_draft_of_a_user_after_another_one_and_a_reload(self):
        name = self.begin_draft_to_renew()
        self.revoke_token(name)
        self.wait_for_text("has ended", "dialog")
        self.enter_token(self.new_token("editor"))
        self.wait_for_text("editor ", ".account")
        self.press("Sign out")
        self.wait_for_text("Sign in with", "main")
        renewed = self.new_token("editor", name)
        self.enter_token(renewed)
        self.check_renewed_draft(renewed)

    def test_keeps_the_draft_of_a_user_who_signs_in_elsewhere_with_another_token(self):
        name = self.begin_draft_to_renew()
        # A background tab does not contact the server, so it is first notified about the session.
        with self.another_tab():
            self.revoke_token(name)
            renewed = self.new_token("editor", name)
            self.sign_in(renewed)
        self.check_renewed_draft(renewed)

    def test_keeps_a_save_that_is_answered_after_another_token_took_over(self):
        name = self.begin_draft_to_renew()
        faults = Faults(self.driver)
        faults.hold("PATCH", "draft$", limit=1)
        self.edit_interval("50")
        self.wait_for(lambda: faults.held() == 1, "the save")
        with self.another_tab():
            self.revoke_token(name)
            renewed = self.new_token("editor", name)
            self.sign_in(renewed)
        self.wait_for(
            lambda: faults.sent("GET", "/console/session") >= 1, "the question for the session")
        # The response to that arrives before the response to this.
        self.driver.execute_async_script(
            "const done = arguments[0]; fetch('/console/session').then(() => setTimeout(done, 100));")
        faults.end()
        self.wait_for(
            lambda: self.interval(Authorization=f"Bearer {renewed}") == "50",
            "the draft of the new token")

    def leave_a_draft_to_an_editor(self):
        """Starts a draft, signs out, and signs in as another user."""
        self.edit_interval("45")
        self.wait_for_text("1 change", ".draft-bar")
        self.press("Sign out")
        self.wait_for_text("You are signed out")
        self.enter_token(self.new_token("editor"))
        self.go("settings")
        self.wait_for_text("editor", ".account")

    @gate
    def test_another_user_does_not_see_the_draft(self):
        self.leave_a_draft_to_an_editor()
        self.assertEqual(self.find_all(".draft-bar"), [])

    def test_does_not_show_the_draft_of_another_session_as_that_of_the_tab(self):
        self.leave_a_draft_to_an_editor()
        self.sign_in_unnoticed(TOKEN)
        self.wait_for_text("publisher", ".account")
        self.wait_for_text("1 change", ".draft-bar")
        kept = self.driver.execute_script("return Object.keys(sessionStorage)")
        self.assertEqual([key for key in kept if key.startswith("activeconfig.draft.")], [])
        self.browser.take_errors()


class ServerAwayTests(OwnServerCase):
    @gate
    def test_keeps_the_draft_in_the_tab_while_the_server_does_not_answer(self):
        self.go("settings")
        self.press("Edit AppFeatures.RefreshInterval")
        self.write("Default value", "45")
        self.backend.kill()
        self.keep()
        self.wait_for_text("Not saved on the server", ".draft-bar")
        self.check_page("draft-unsaved")
        self.start_again()
        self.wait_for_text("1 change", ".draft-bar")
        self.assertNotIn("Not saved", self.find(".draft-bar").text)
        self.driver.refresh()
        self.wait_for_text("1 change", ".draft-bar")
        self.browser.take_errors()


if __name__ == "__main__":
    unittest.main()
