"""Reviewing and publishing a draft while another browser changes it."""

import copy
import unittest
from pathlib import Path

from console_case import gate
from faults import Faults
from selenium.webdriver.common.keys import Keys
from task_case import TEMPLATE, TaskCase


def set_label(value):
    """A change of a template: the default value of the label."""
    def change(template):
        label = template["parameterGroups"]["SampleViewConfiguration"]["parameters"]["LabelText"]
        label["defaultValue"]["value"] = value
    return change


class ChangingDraftTests(TaskCase):
    def review_interval(self):
        """Opens the review of a draft with one change."""
        self.edit_interval("45")
        self.go("review")
        self.wait_for_changes("AppFeatures.RefreshInterval")
        self.wait_for(lambda: "Checking" not in self.find("main").text, "the check")

    def wait_for_changes(self, *names):
        """Waits until the review shows changes of just these settings."""
        self.wait_for(
            lambda: sorted(e.text for e in self.find_all(".diff .key")) == sorted(names), names)

    def test_shows_what_another_browser_changes(self):
        self.review_interval()
        self.write("Description of this version", "Entered before")
        self.change_draft(set_label("Elsewhere"))
        self.wait_for_changes("SampleViewConfiguration.LabelText", "AppFeatures.RefreshInterval")
        self.assertEqual(
            self.field("Description of this version").get_attribute("value"), "Entered before")
        self.press("Publish")
        self.wait_for_text("Published as version 2.", "main")
        self.assertEqual(self.template()["version"]["description"], "Entered before")
        label = self.parameter("SampleViewConfiguration", "LabelText")
        self.assertEqual(label["defaultValue"], {"value": "Elsewhere"})

    @gate
    def test_ends_when_the_draft_is_discarded_elsewhere(self):
        self.review_interval()
        self.assertEqual(self.call("DELETE", "draft")[0], 200)
        self.wait_for_text("There is no draft", "main")

    @gate
    def test_publishes_nothing_that_is_not_shown(self):
        self.review_interval()
        self.change_draft(set_label("Elsewhere"))
        self.wait_for_text("2 changes", ".draft-bar")
        self.wait_for_changes("SampleViewConfiguration.LabelText", "AppFeatures.RefreshInterval")
        faults = Faults(self.driver)
        faults.hold("PATCH", "/draft$")
        self.press("Revert SampleViewConfiguration.LabelText")
        self.wait_for(faults.held, "the save")
        self.wait_for_text("You can publish when the changed draft is saved", "form")
        self.assertFalse(self.button("Publish").is_enabled())
        self.field("Description of this version").send_keys(Keys.CONTROL, Keys.ENTER)
        self.assertEqual(self.version(), "1")
        faults.end()
        self.wait_for_changes("AppFeatures.RefreshInterval")
        self.press("Publish")
        self.wait_for_text("Published as version 2.", "main")
        self.assertNotIn("Elsewhere", str(self.template()))

    def test_waits_for_the_changes_of_an_edit_that_is_being_saved(self):
        self.edit_interval("45")
        self.wait_for_text("1 change", ".draft-bar")
        faults = Faults(self.driver)
        faults.hold("PATCH", "/draft$")
        self.press("Edit SampleViewConfiguration.LabelText")
        self.write("Default value", "Mine")
        self.keep()
        self.wait_for(faults.held, "the save")
        self.go("review")
        self.wait_for_text("Comparing", "main")
        faults.end()
        self.wait_for_changes("SampleViewConfiguration.LabelText", "AppFeatures.RefreshInterval")

    @gate
    def test_says_why_a_draft_is_not_saved_and_saves_it_again(self):
        self.edit_interval("45")
        self.wait_for_text("1 change", ".draft-bar")
        faults = Faults(self.driver)
        faults.refuse("PATCH", "/draft$", 403)
        self.press("Edit SampleViewConfiguration.LabelText")
        self.write("Default value", "Mine")
        self.keep()
        self.go("review")
        self.wait_for_text("The server says no.", "main")
        self.assertNotIn("Comparing", self.find("main").text)
        self.check_page("review-of-a-refused-draft")
        with self.downloads() as folder:
            self.press("Export the draft")
            self.wait_for(Path(folder, f"{self.project}-draft.json").exists, "the file")
        faults.end()
        self.find("main [data-focus=retry-review]").click()
        self.wait_for_changes("SampleViewConfiguration.LabelText", "AppFeatures.RefreshInterval")

    def test_keeps_what_another_browser_changes_during_the_publish(self):
        self.review_interval()
        faults = Faults(self.driver)
        faults.hold("PUT", "/remoteConfig$")
        self.press("Publish")
        self.wait_for(faults.held, "the publish")
        self.change_draft(set_label("Elsewhere"))
        self.wait_for_text("2 changes", ".draft-bar")
        faults.end()
        self.wait_for_text("Published as version 2. What the draft changes now is not in it.", "main")
        self.wait_for_text("1 change since version 2", ".draft-bar")
        self.wait_for_changes("SampleViewConfiguration.LabelText")
        self.check_page("review-after-publish")
        status, draft = self.call("GET", "draft")
        self.assertEqual((status, draft["baseVersion"]), (200, "2"))
        self.assertEqual([e["key"] for e in draft["changes"]["parameters"]], ["LabelText"])
        self.press("Publish")
        self.wait_for_text("Published as version 3.", "main")

    def test_shows_a_draft_without_its_base_against_the_current_version(self):
        self.edit_interval("45")
        self.wait_for_text("1 change", ".draft-bar")
        # The server keeps the newest 300 versions.
        template = copy.deepcopy(TEMPLATE)
        set_label("Theirs")(template)
        for _ in range(300):
            self.publish(template, "Theirs")
        self.driver.refresh()
        self.go("review")
        self.wait_for_text("Version 1, which this draft began with, is no longer kept", "main")
        self.wait_for_text("so the changes are unknown", ".draft-bar")
        self.check_page("review-base-gone")
        self.press("Compare with the current version")
        self.wait_for_changes("SampleViewConfiguration.LabelText", "AppFeatures.RefreshInterval")
        self.press("Revert SampleViewConfiguration.LabelText")
        self.wait_for_changes("AppFeatures.RefreshInterval")
        self.press("Publish")
        self.wait_for_text("Published as version 302.", "main")
        label = self.parameter("SampleViewConfiguration", "LabelText")
        self.assertEqual(label["defaultValue"], {"value": "Theirs"})


if __name__ == "__main__":
    unittest.main()
