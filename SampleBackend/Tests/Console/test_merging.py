"""Dialogs that are open while the underlying draft is merged with another browser's edits."""

import unittest

from console_case import gate
from faults import Faults
from task_case import TEMPLATE, TaskCase

NAMES = [condition["name"] for condition in TEMPLATE["conditions"]]


class MergingTests(TaskCase):
    def keep_unsaved(self):
        """Makes an edit that is not saved before `merge`."""
        self.edit_interval("45")
        self.wait_for_text("1 change", ".draft-bar")
        self.faults = Faults(self.driver)
        self.faults.fail("PATCH", "/draft$")
        self.press("Edit AppFeatures.RefreshInterval")
        self.write("Default value", "46")
        self.keep()
        self.wait_for_text("Not saved on the server", ".draft-bar")

    def merge(self, change):
        """Another browser changes the draft; the page merges the change with its edit."""
        self.change_draft(change)
        before = self.faults.sent("GET", "/draft")
        self.faults.end()
        self.wait_for(lambda: self.interval() == "46", "the merged draft")
        self.assertGreater(self.faults.sent("GET", "/draft"), before)
        self.wait_for(
            lambda: "Not saved" not in self.find_all(".draft-bar")[0].text, "the save to end")

    def merge_condition(self):
        """Merges with a draft that has another first condition."""
        self.merge(lambda template: template["conditions"].insert(
            0, {"name": "Theirs", "expression": "user.id == '0'"}))

    def draft(self):
        """The template of the draft on the server, once it is saved."""
        self.wait_for(
            lambda: "Saving" not in self.find(".draft-bar").text, "the draft to be saved")
        return self.call("GET", "draft")[1]["template"]

    def conditions(self):
        """Names and expressions of the draft's conditions."""
        return [(c["name"], c["expression"]) for c in self.draft()["conditions"]]

    @gate
    def test_edits_the_condition_that_was_chosen(self):
        self.keep_unsaved()
        self.go("conditions")
        self.press("Edit User 2")
        self.write("Name", "Second")
        self.merge_condition()
        self.write("Expression", "user.id == '22'")
        self.wait_for_text("The server accepts this", "dialog")
        self.keep()
        expected = [("Theirs", "user.id == '0'")] + [
            (c["name"], c["expression"]) for c in TEMPLATE["conditions"]]
        expected[2] = ("Second", "user.id == '22'")
        self.wait_for(lambda: self.conditions() == expected, expected)
        groups = self.draft()["parameterGroups"]
        values = groups["SampleViewConfiguration"]["parameters"]["LabelText"]["conditionalValues"]
        self.assertEqual(list(values), ["User 1", "Second", "User 3"])

    def test_moves_the_condition_that_was_chosen(self):
        self.keep_unsaved()
        self.go("conditions")
        self.press("Move User 3 …")
        self.merge_condition()
        self.press("Above User 1")
        self.wait_for_dialog_to_close()
        expected = ["Theirs", "User 3", "User 1", "User 2", *NAMES[3:]]
        self.wait_for(
            lambda: [name for name, _ in self.conditions()] == expected, expected)
        self.assertEqual(
            self.driver.switch_to.active_element.accessible_name, "Move User 3 …")

    def test_says_that_the_condition_was_deleted(self):
        self.keep_unsaved()
        self.go("conditions")
        self.press("Move User 3 …")
        self.merge(lambda template: [
            template["conditions"].pop(0),
            *[p.get("conditionalValues", {}).pop("User 1", None)
              for group in template["parameterGroups"].values()
              for p in group["parameters"].values()]])
        self.press("Above User 1")
        self.wait_for(lambda: "Above User 1" not in [
            e.accessible_name for e in self.find_all("dialog button")], "the name to go")
        self.press("To the top")
        self.wait_for_dialog_to_close()
        expected = ["User 3", "User 2", *NAMES[3:]]
        self.wait_for(
            lambda: [name for name, _ in self.conditions()] == expected, expected)

    def test_moves_a_setting_and_keeps_what_was_changed_elsewhere(self):
        self.keep_unsaved()
        self.press("More for AppFeatures.SomeFeature")
        self.press("Move to another section …")

        def change(template):
            label = template["parameterGroups"]["SampleViewConfiguration"]["parameters"]["LabelText"]
            label["defaultValue"]["value"] = "Theirs"
        self.merge(change)
        self.press("Move")
        self.wait_for_dialog_to_close()
        self.wait_for(lambda: "SomeFeature" in self.draft()["parameterGroups"][
            "SampleViewConfiguration"]["parameters"], "the move")
        draft = self.draft()
        self.assertIn("Theirs", str(draft))
        self.assertNotIn("SomeFeature", draft["parameterGroups"]["AppFeatures"]["parameters"])

    def test_imports_into_the_draft_as_it_is_now(self):
        self.edit_interval("45")
        self.wait_for_text("1 change", ".draft-bar")
        self.go("transfer")
        self.write("Or its content", '{"parameters": {"new": {"defaultValue": {"value": "1"}}}}')
        self.press("Read the file")
        self.button("Add what is new to the draft")

        def change(template):
            template["parameterGroups"]["AppFeatures"]["description"] = "Theirs"
        self.change_draft(change)
        self.wait_for_text("2 changes", ".draft-bar")
        self.press("Add what is new to the draft")
        self.wait_for_text("3 changes", ".draft-bar")
        draft = self.draft()
        self.assertEqual(draft["parameterGroups"]["AppFeatures"]["description"], "Theirs")
        self.assertIn("new", draft["parameters"])


if __name__ == "__main__":
    unittest.main()
