"""Drafts that the server does not have yet are sent or kept, wherever the user navigates."""

import copy
import unittest

from console_case import gate
from faults import Faults
from task_case import TEMPLATE, TaskCase

# The requests that save a draft; those that only check one have another query.
SAVE = "/draft([?]baseVersion=|$)"


class UnsavedDraftTests(TaskCase):
    def edit(self, name, value):
        """Changes the default value of a setting in its form."""
        self.press(f"Edit {name}")
        self.write("Default value", value)
        self.keep()

    def saved(self):
        """The default values of the draft on the server; none without a draft."""
        status, draft = self.call("GET", "draft")
        if status != 200:
            return None
        groups = draft["template"]["parameterGroups"]
        return (groups["AppFeatures"]["parameters"]["RefreshInterval"]["defaultValue"]["value"],
                groups["SampleViewConfiguration"]["parameters"]["LabelText"]["defaultValue"]["value"])

    def open_project(self, name):
        self.driver.execute_script("location.hash = arguments[0]", f"/{name}/settings")
        self.wait_for(lambda: self.driver.title.endswith(f"· {name} · ActiveConfig"), name)

    def asks_before_the_page_ends(self):
        """True if the browser would ask."""
        return self.driver.execute_script(
            "return !window.dispatchEvent(new Event('beforeunload', {cancelable: true}))")

    @gate
    def test_sends_what_was_edited_before_another_project_was_opened(self):
        self.go("settings")
        faults = Faults(self.driver)
        faults.hold("PATCH", SAVE, limit=1)
        self.edit("AppFeatures.RefreshInterval", "45")
        self.wait_for(faults.held, "the first save")
        self.edit("SampleViewConfiguration.LabelText", "Mine")
        self.open_project("default")
        faults.end()
        self.wait_for(lambda: self.saved() == ("45", "Mine"), "both edits")

    def replace_project(self):
        """Another user deletes the project, and creates one of its name."""
        self.call("PATCH", "details", {"archived": True})
        path = f"/v1/projects/{self.project}"
        self.assertEqual(self.administer("DELETE", f"{path}?confirm={self.project}")[0], 200)
        self.assertEqual(self.administer(
            "POST", "/v1/projects", {"project": self.project})[0], 201)

    def test_drops_the_draft_of_a_deleted_project(self):
        self.go("settings")
        faults = Faults(self.driver)
        faults.fail("PATCH", SAVE)
        self.edit("AppFeatures.RefreshInterval", "45")
        self.wait_for_text("Not saved on the server", ".draft-bar")
        self.replace_project()
        self.wait_for_text("Your draft of the deleted one ended with it: "
                           "RefreshInterval 45", ".draft-bar")
        self.wait_for_text("There is nothing here yet", "main")
        self.check_page("draft-dropped")
        faults.end()
        self.press("OK")
        self.wait_for(lambda: not self.find_all(".draft-bar"), "the note to go")
        self.driver.refresh()
        self.wait_for_text("There is nothing here yet", "main")
        self.assertIsNone(self.saved())
        self.go("history")
        self.wait_for_text("is published yet", "main")
        self.go("projects", find=self.project)
        row = self.wait_for(lambda: next(
            (each for each in self.find_all("tbody tr") if self.project in each.text), None),
            "the project")
        self.assertEqual(row.find_element("css selector", "td.number").text, "–")
        # The first publish replaces the empty version 2.
        self.go("settings")
        self.press("Start with the sample")
        self.wait_for_text("since version 2", ".draft-bar")
        self.go("review")
        self.press("Publish")
        self.wait_for_text("Published as version 3", "main")

    def test_drops_the_draft_of_a_project_that_is_deleted_behind_an_open_form(self):
        self.go("settings")
        self.edit("AppFeatures.RefreshInterval", "45")
        self.wait_for_text("1 change", ".draft-bar")
        self.press("Edit AppFeatures.SomeFeature")
        self.replace_project()
        self.write("Description", "Theirs is gone")
        self.press("Keep in the draft")
        self.wait_for_text("Your draft of the deleted one ended with it", ".draft-bar")
        self.wait_for_text("There is nothing here yet", "main")

    @gate
    def test_asks_before_a_project_is_left_whose_edits_the_tab_has_no_room_for(self):
        self.go("settings")
        faults = Faults(self.driver)
        faults.fail("PATCH", SAVE)
        faults.fail("PUT", "/draft")
        self.fill_storage("sessionStorage")
        self.edit("AppFeatures.RefreshInterval", "45")
        self.wait_for_text("the browser has no space to keep them", ".draft-bar")
        place = self.driver.current_url
        self.driver.execute_script("location.hash = '/default/settings'")
        self.press("Stay here")
        self.wait_for_dialog_to_close()
        self.assertEqual(self.driver.current_url, place)
        self.assertEqual(self.field("Project").get_attribute("value"), self.project)
        self.driver.execute_script("location.hash = '/default/settings'")
        self.press("Open the other project")
        self.wait_for(lambda: "· default ·" in self.driver.title, "the other project")
        self.assertTrue(self.asks_before_the_page_ends())
        faults.end()
        self.wait_for(self.saved, "the draft")
        self.wait_for(lambda: not self.asks_before_the_page_ends(), "the save to end")

    def put_draft(self, change):
        """Another browser of the same user begins a draft of the sample."""
        template = copy.deepcopy(TEMPLATE)
        change(template["parameterGroups"])
        status, answer = self.call(
            "PUT", "draft", {"baseVersion": "1", "template": template}, If_None_Match="*")
        self.assertEqual(status, 200, answer)

    @gate
    def test_keeps_what_another_browser_began_before_a_reload(self):
        self.go("settings")
        faults = Faults(self.driver)
        faults.fail("PATCH", SAVE)
        self.edit("AppFeatures.RefreshInterval", "45")
        self.wait_for_text("Not saved on the server", ".draft-bar")

        def change(groups):
            label = groups["SampleViewConfiguration"]["parameters"]["LabelText"]
            label["defaultValue"]["value"] = "Theirs"
        self.put_draft(change)
        self.driver.refresh()
        self.wait_for_text("2 changes", ".draft-bar")
        self.assertNotIn("changed the same", self.find(".draft-bar").text)
        self.assertEqual(self.saved(), ("45", "Theirs"))


if __name__ == "__main__":
    unittest.main()
