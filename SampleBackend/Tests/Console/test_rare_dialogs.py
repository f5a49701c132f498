"""Dialogs that open only when something fails or is missing."""

import unittest

from console_case import gate
from faults import Faults
from task_case import TaskCase, with_interval


class FailureTests(TaskCase):
    @gate
    def test_reads_a_new_version_that_could_not_be_read(self):
        self.go("settings")
        faults = Faults(self.driver)
        faults.fail("GET", "/remoteConfig$")
        self.publish(with_interval("77"), "Later")
        self.press("Show the new version")
        self.wait_for_text("Loading the new version failed", "dialog")
        self.check_accessibility("loading the new version failed")
        faults.end()
        # The page must not discover the version on its own.
        faults.fail("GET", ":listVersions")
        self.press("Try again")
        self.wait_for_dialog_to_close()
        self.wait_for_text("77", "main")

    @gate
    def test_says_that_no_session_was_ended(self):
        self.go("settings")
        faults = Faults(self.driver)
        faults.fail("DELETE", "/console/session")
        self.press("Sign out")
        self.wait_for_text("Not signed out", "dialog")
        self.press("OK")
        self.wait_for_dialog_to_close()
        self.assertEqual(self.find("main h1").text, "Settings")
        faults.end()
        self.press("Sign out")
        self.wait_for_text("You are signed out.")

    @gate
    def test_signs_out_with_the_loss_that_was_accepted(self):
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
        with self.downloads() as folder:
            self.press("Download the edits")
            self.wait_for((folder / f"{self.project}-draft.json").exists, "the file")
        self.press("Lose them and sign out")
        self.wait_for_text("You are signed out.")
        self.assertIsNone(self.interval())

    @gate
    def test_shows_a_link_that_cannot_be_copied(self):
        self.go("settings")
        self.driver.execute_script(
            "navigator.clipboard.writeText = () => Promise.reject(new Error('denied'));"
            "document.execCommand = () => false;")
        self.press("More for AppFeatures.RefreshInterval")
        self.press("Copy link")
        self.wait_for_text("Link to AppFeatures.RefreshInterval", "dialog h2")
        link = self.field("Address").get_attribute("value")
        self.press("Close")
        self.wait_for_dialog_to_close()
        self.driver.get("about:blank")
        self.driver.get(link)
        self.wait_for(
            lambda: self.driver.switch_to.active_element.accessible_name
            == "Edit AppFeatures.RefreshInterval", "the setting")


class MissingTests(TaskCase):
    @gate
    def test_says_that_there_is_no_condition_to_set_a_value_for(self):
        self.publish({"parameters": {"alone": {"defaultValue": {"value": "1"}}}}, "No condition")
        self.go("settings")
        self.field("Select Default.alone").click()
        self.press("Set for a condition …")
        self.wait_for_text("There are no conditions yet.", "dialog")
        self.press("Close")
        self.wait_for_dialog_to_close()
        self.assertEqual(self.call("GET", "draft")[0], 204)


class SectionTests(TaskCase):
    @gate
    def test_deletes_a_section_with_its_settings(self):
        self.go("settings")
        self.press("Delete the section AppFeatures")
        self.wait_for_text("Its 2 settings will be deleted with it.", "dialog")
        self.press("Delete the section")
        self.wait_for_dialog_to_close()
        self.wait_for(lambda: self.call("GET", "draft")[0] == 200, "the draft")
        groups = self.call("GET", "draft")[1]["template"]["parameterGroups"]
        self.assertEqual(list(groups), ["SampleViewConfiguration"])


if __name__ == "__main__":
    unittest.main()
