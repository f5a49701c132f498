"""Undo and redo of the steps of a draft."""

import unittest

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from browser import PHONE
from console_case import gate
from faults import Faults
from task_case import TaskCase, with_interval

SWITCH = "SampleViewConfiguration.ButtonEnabled"


class StepTests(TaskCase):
    def is_on(self):
        """The state of the switch."""
        return self.find(f'[aria-label="{SWITCH}"]').get_property("checked")

    def flip(self):
        """Switches the setting in the list; returns its state before."""
        self.go("settings")
        before = self.is_on()
        self.driver.execute_script("arguments[0].click()", self.find(f'[aria-label="{SWITCH}"]'))
        self.press(f"Only the default value: {'off' if before else 'on'}")
        self.wait_for_text("1 change", ".draft-bar")
        return before

    def keys(self, *keys):
        """Presses a combination of keys where the focus is."""
        actions = ActionChains(self.driver)
        for key in keys[:-1]:
            actions.key_down(key)
        actions.send_keys(keys[-1])
        for key in keys[:-1]:
            actions.key_up(key)
        actions.perform()

    def test_undoes_and_redoes_by_keys_also_after_a_reload(self):
        before = self.flip()
        self.driver.refresh()
        self.wait_for_text("1 change", ".draft-bar")
        self.find(f'[aria-label="{SWITCH}"]')
        self.keys(Keys.CONTROL, "z")
        self.wait_for(lambda: self.is_on() == before, "the undone step")
        self.wait_for(lambda: not self.find_all(".draft-bar"), "the draft to end")
        self.check_page("undone")
        self.keys(Keys.CONTROL, Keys.SHIFT, "z")
        self.wait_for(lambda: self.is_on() != before, "the redone step")
        self.wait_for_text("1 change", ".draft-bar")

    def test_undoes_by_a_button_with_the_name_of_the_step(self):
        before = self.flip()
        value = "false" if before else "true"
        self.press(f"Undo: ButtonEnabled {value}")
        self.wait_for(lambda: self.is_on() == before, "the undone step")
        self.assertEqual(self.driver.switch_to.active_element.accessible_name, "Nothing to undo")
        self.press(f"Redo: ButtonEnabled {value}")
        self.wait_for_text("1 change", ".draft-bar")
        self.check_page("redone")

    def test_undoes_the_named_step_while_a_description_is_typed(self):
        for value in ("45", "46"):
            self.edit_interval(value)
        self.wait_for(lambda: self.interval() == "46", "the saved draft")
        self.go("review")
        self.write("Description of this version", "Why")
        self.press("Undo: RefreshInterval 46")
        self.wait_for(lambda: self.interval() == "45", "the undone step")
        self.assertEqual(self.field("Description of this version").get_attribute("value"), "Why")
        self.press("Publish")
        self.wait_for_text("Published as version 2", "main")
        version = self.call("GET", "remoteConfig")[1]["version"]
        self.assertEqual(version["description"], "Why")

    @gate
    def test_asks_before_it_removes_many_settings(self):
        self.go("settings")
        self.press("Delete the section SampleViewConfiguration")
        self.press("Delete the section")
        self.wait_for_dialog_to_close()
        # What comes back is not asked about.
        self.find("[data-focus=undo-step]").click()
        self.wait_for(lambda: not self.find_all(".draft-bar"), "the draft to end")
        self.keys(Keys.CONTROL, Keys.SHIFT, "z")
        self.wait_for_text("from your draft", "dialog")
        self.check_page("step-removes")
        self.press("Cancel")
        self.wait_for_dialog_to_close()
        self.assertFalse(self.find_all(".draft-bar"))
        self.find("[data-focus=redo-step]").click()
        self.wait_for_text("from your draft", "dialog")
        self.press("Redo")
        self.wait_for_text("4 changes since version 1", ".draft-bar")

    def test_leaves_the_keys_to_text_fields(self):
        before = self.flip()
        self.write("Find", "button")
        self.field("Find").send_keys(Keys.CONTROL + "z")
        self.press("Edit " + SWITCH)
        self.keys(Keys.CONTROL, "z")
        self.press("Cancel")
        self.wait_for_dialog_to_close()
        self.assertNotEqual(self.is_on(), before)

    def test_keeps_what_another_browser_has_changed(self):
        before = self.flip()

        def change(template):
            features = template["parameterGroups"]["AppFeatures"]["parameters"]
            features["RefreshInterval"]["defaultValue"]["value"] = "77"
        self.change_draft(change)
        self.wait_for_text("2 changes", ".draft-bar")
        self.keys(Keys.CONTROL, "z")
        self.wait_for(lambda: self.is_on() == before, "the undone step")
        self.wait_for_text("1 change", ".draft-bar")
        self.assertEqual(self.interval(), "77")

    def test_brings_back_a_discarded_draft(self):
        self.edit_interval("45")
        self.wait_for_text("1 change", ".draft-bar")
        self.press("Discard …")
        self.press("Discard the draft")
        self.wait_for(lambda: not self.find_all(".draft-bar"), "the draft to end")
        self.press("Undo: discard the draft")
        self.wait_for_text("1 change", ".draft-bar")
        self.wait_for(lambda: self.interval() == "45", "the saved draft")

    @gate
    def test_asks_before_it_tries_again_without_the_version_of_the_draft(self):
        self.edit_interval("45")
        self.wait_for_text("1 change", ".draft-bar")
        faults = Faults(self.driver)
        self.press("Discard …")
        self.press("Discard the draft")
        self.wait_for(lambda: not self.find_all(".draft-bar"), "the draft to end")
        self.publish(with_interval("77"), "Theirs")
        self.wait_for_text("77", "main")
        # The page can read that version for another reason, too.
        faults.fail("GET", "versionNumber=1")
        self.press("Undo: discard the draft")
        self.wait_for_text("Not undone", "dialog")
        faults.end()
        self.browser.take_errors()
        self.press("Try again")
        self.wait_for_text("1 change", ".draft-bar")

    def test_undoes_nothing_that_is_published(self):
        self.edit_interval("45")
        self.go("review")
        self.press("Publish")
        self.wait_for_text("Published as version 2", "main")
        self.assertIsNone(self.named("button", "Nothing to undo"))
        self.keys(Keys.CONTROL, "z")
        self.wait_for_text("No draft", ".step-bar")


class StepsOnAPhoneTests(TaskCase):
    size = PHONE

    def test_fit(self):
        self.edit_interval("45")
        self.wait_for_text("1 change", ".draft-bar")
        self.check_page("steps")
        self.check_targets("steps")


if __name__ == "__main__":
    unittest.main()
