"""Owner, tags and archiving of settings."""

import copy
import unittest

from selenium.webdriver.common.keys import Keys

from browser import PHONE
from console_case import gate
from task_case import TEMPLATE, TaskCase

LABEL = "SampleViewConfiguration.LabelText"


def noted_template():
    """The sample with an archived setting, and one with an owner and tags."""
    template = copy.deepcopy(TEMPLATE)
    groups = template["parameterGroups"]
    groups["SampleViewConfiguration"]["parameters"]["LabelText"] |= {
        "archived": True, "tags": ["launch"]}
    groups["AppFeatures"]["parameters"]["RefreshInterval"] |= {
        "owner": "Team Home", "tags": ["launch", "network"], "permanent": "Saves batteries"}
    return template


class ArchivingCase(TaskCase):
    def keys(self):
        """The keys of the rows."""
        return [e.text for e in self.find_all(".setting h3")]

    def wait_for_keys(self, *keys):
        """Waits until these rows are shown."""
        self.wait_for(lambda: self.keys() == list(keys), keys)


class ArchivingTests(ArchivingCase):
    @gate
    def test_keeps_owner_tags_and_archiving_in_the_form(self):
        self.publish(noted_template(), "With notes")
        self.go("settings")
        self.press("Edit AppFeatures.SomeFeature")
        self.find("dialog summary").click()
        self.check_page("setting-notes")
        self.write("Owner", "Ada")
        self.press("Add the tag network")
        self.assertEqual(self.driver.switch_to.active_element.accessible_name, "Tags")
        self.driver.switch_to.active_element.send_keys(", network, beta")
        self.write("Permanent, because", "Shows that tags exist")
        self.field("Archived").click()
        self.keep()
        self.go("review")
        self.wait_for_text("Yes: nobody gets it", "main")
        self.press("Publish")
        self.wait_for_text("Published as version", "main")
        parameter = self.parameter("AppFeatures", "SomeFeature")
        self.assertEqual(parameter.pop("owner"), "Ada")
        self.assertEqual(parameter.pop("tags"), ["network", "beta"])
        self.assertEqual(parameter.pop("permanent"), "Shows that tags exist")
        self.assertIs(parameter.pop("archived"), True)
        self.assertEqual(
            parameter, TEMPLATE["parameterGroups"]["AppFeatures"]["parameters"]["SomeFeature"])

    @gate
    def test_hides_archived_settings_until_they_are_asked_for(self):
        self.publish(noted_template(), "With notes")
        self.go("settings")
        self.wait_for(lambda: len(self.keys()) == 4, "all but the archived one")
        self.field("Show 1 archived setting").click()
        self.wait_for(lambda: len(self.keys()) == 5, "all settings")
        self.wait_for_text("Archived", ".setting.archived .setting-value")
        self.check_page("settings-archived")
        self.choose("Tag", "launch")
        self.wait_for_keys("LabelText", "RefreshInterval")
        self.choose("Owner", "Team Home")
        self.wait_for_keys("RefreshInterval")
        self.press("Clear")
        self.wait_for(lambda: len(self.keys()) == 4, "all but the archived one")

    def test_shows_an_archived_setting_to_which_a_link_leads(self):
        self.publish(noted_template(), "With notes")
        self.go("settings", at="parameterGroups.SampleViewConfiguration.parameters.LabelText")
        self.wait_for_text("LabelText", ".setting.found")

    def test_archives_and_restores_by_the_menu(self):
        self.go("settings")
        self.press(f"More for {LABEL}")
        self.press("Archive")
        self.wait_for(lambda: "LabelText" not in self.keys(), "the row to be gone")
        # The row had the focus.
        self.assertEqual(self.driver.switch_to.active_element.accessible_name, "Find")
        self.go("review")
        self.press("Publish")
        self.wait_for_text("Published as version 2", "main")
        self.assertIs(self.parameter("SampleViewConfiguration", "LabelText")["archived"], True)
        self.go("settings")
        self.field("Show 1 archived setting").send_keys(Keys.SPACE)
        self.press(f"More for {LABEL}")
        self.press("Restore")
        self.wait_for(lambda: not self.find_all(".setting.archived"), "the setting to be restored")
        self.go("review")
        self.press("Publish")
        self.wait_for_text("Published as version 3", "main")
        self.assertNotIn("archived", self.parameter("SampleViewConfiguration", "LabelText"))

    def test_tells_that_a_user_does_not_get_it(self):
        self.publish(noted_template(), "With notes")
        self.call("PUT", "users/7/overrides", {"SampleViewConfiguration": {"LabelText": "mine"}})
        self.go("user", id="7")
        self.wait_for_text("The value has no effect until the setting is restored.", "main")
        self.wait_for_text("Archived: nobody gets it", "main")
        self.check_page("user-archived")


class PhoneTests(ArchivingCase):
    size = PHONE

    def test_has_the_word_and_the_fields_on_a_phone(self):
        self.publish(noted_template(), "With notes")
        self.go("settings")
        self.field("Show 1 archived setting").click()
        self.wait_for_text("Archived", ".setting.archived .setting-value")
        self.check_page("settings-archived")
        self.check_targets("the page")
        self.press(f"Edit {LABEL}")
        self.wait_for(lambda: self.field("Archived").is_selected(), "the setting to be archived")
        self.check_page("setting-notes")
        self.check_targets("the dialog")


if __name__ == "__main__":
    unittest.main()
