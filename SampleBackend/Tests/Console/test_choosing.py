"""Publishing some of a draft's changes: the others stay in the draft."""

import json
import unittest

from selenium.webdriver.common.keys import Keys

from console_case import gate
from faults import Faults
from large_project import large_template
from task_case import TEMPLATE, with_interval
from test_review import ReviewCase


def change_several(template):
    """Changes an interval, a label, and a condition, and adds a value for a new condition."""
    groups = template["parameterGroups"]
    groups["AppFeatures"]["parameters"]["RefreshInterval"]["defaultValue"] = {"value": "45"}
    label = groups["SampleViewConfiguration"]["parameters"]["LabelText"]
    label["defaultValue"] = {"value": "Half-finished"}
    template["conditions"][1]["tagColor"] = "PINK"
    template["conditions"].append({"name": "Apple", "expression": "device.os == 'ios'"})
    groups["SampleViewConfiguration"]["parameters"]["ButtonEnabled"].setdefault(
        "conditionalValues", {})["Apple"] = {"value": "true"}


class ChoosingCase(ReviewCase):
    """Base class with a draft of five changes."""

    def setUp(self):
        super().setUp()
        self.publish(TEMPLATE, "The sample template", expected="*")

    def box(self, label):
        """The box that chooses a change."""
        return self.field(f"Publish {label}")

    def toggle(self, label):
        """Presses the box of a change."""
        self.wait_for(lambda: self.hits(self.box(label)), label)

    def chosen(self):
        """The chosen changes."""
        return [e.accessible_name.removeprefix("Publish ") for e in self.find_all(".choose")
                if e.is_selected()]

    def choose_interval_alone(self):
        """Opens the review of five changes, and chooses the interval alone."""
        self.start_draft(change_several)
        self.wait_for_text("All 5 changes are chosen.", "main")
        self.press("Choose none")
        self.assertFalse(self.button("Publish 0 of 5 changes").is_enabled())
        self.toggle("AppFeatures.RefreshInterval")
        self.wait_for_text("1 of 5 changes is chosen. The others stay in your draft.", "main")
        self.assertEqual(self.chosen(), ["AppFeatures.RefreshInterval"])

    def check_rest(self, version):
        """Fails unless the interval is published, and the draft has the other changes over it."""
        self.assertEqual(self.version(), version)
        self.assertEqual(
            self.parameter("AppFeatures", "RefreshInterval")["defaultValue"]["value"], "45")
        self.assertNotIn("Half-finished", str(self.template()))
        self.assertNotIn("Apple", str(self.template()))
        self.wait_for(lambda: (self.call("GET", "draft")[1] or {}).get("baseVersion") == version,
                      "the rest as the draft")
        changes = self.call("GET", "draft")[1]["changes"]
        self.assertEqual([[e.get("key") or e["name"] for e in changes[kind]] for kind in (
            "parameters", "conditions", "groups")],
            [["ButtonEnabled", "LabelText"], [TEMPLATE["conditions"][1]["name"], "Apple"], []])


class ChoosingTests(ChoosingCase):
    @gate
    def test_publishes_one_change_and_keeps_the_rest(self):
        self.choose_interval_alone()
        self.check_page("review-choice")
        self.wait_for_text("Compared with version 2", "[aria-labelledby=impact]")
        self.write("Also preview these users", "1")
        self.press("Preview")
        # The label and the button change for the user with the whole draft.
        self.wait_for_text("1 setting", ".previewed-users")
        self.write("Description of this version", "Look sooner")
        self.press("Publish 1 of 5 changes")
        self.wait_for_text(
            "Published as version 3. What the draft changes now is not in it.", "main")
        self.check_rest("3")
        self.assertEqual(self.template()["version"]["description"], "Look sooner")
        self.assertEqual(self.field("Description of this version").get_attribute("value"), "")
        # A second press would publish nothing.
        self.assertEqual(self.chosen(), [])
        self.assertFalse(self.button("Publish 0 of 4 changes").is_enabled())
        self.press("Choose all")
        self.press("Publish")
        self.wait_for_text("Published as version 4.", "main")
        self.assertIn("Half-finished", str(self.template()))
        self.wait_for(lambda: self.call("GET", "draft")[0] == 204, "the end of the draft")

    def test_brings_along_what_a_change_needs(self):
        self.start_draft(change_several)
        self.press("Choose none")
        self.toggle("SampleViewConfiguration.ButtonEnabled")
        self.wait_for_text("2 of 5 changes are chosen. The others stay in your draft. "
                           "Along with it: the condition Apple.", "[role=status]")
        self.assertEqual(self.chosen(), ["SampleViewConfiguration.ButtonEnabled", "Apple"])
        self.box("Apple").send_keys(Keys.SPACE)
        self.wait_for_text("Along with it: SampleViewConfiguration.ButtonEnabled.", "[role=status]")
        self.assertEqual(self.chosen(), [])
        self.assertEqual(
            self.driver.switch_to.active_element.accessible_name, "Publish Apple")
        self.wait_for_text("Choose at least one change.", ".publish-card")

    def test_undoes_the_publish_and_the_steps_of_the_rest(self):
        self.edit_interval("45")
        self.press("Edit SampleViewConfiguration.LabelText")
        self.write("Default value", "Half-finished")
        self.keep()
        self.go("review")
        self.toggle("SampleViewConfiguration.LabelText")
        self.press("Publish 1 of 2 changes")
        self.wait_for_text("Published as version 3", "main")
        self.press("Undo: LabelText Half-finished")
        self.wait_for_text("There is no draft", "main")
        self.press("Undo")
        self.wait_for_text("The changes of version 3 were taken back, as version 4.", "main")
        self.assertEqual(
            self.parameter("AppFeatures", "RefreshInterval")["defaultValue"]["value"], "60.0")

    def test_keeps_the_choice_while_another_version_is_merged(self):
        self.choose_interval_alone()
        theirs = with_interval("60.0")
        theirs["parameterGroups"]["AppFeatures"]["description"] = "Theirs"
        self.publish(theirs, "Theirs")
        self.press("Publish 1 of 5 changes")
        self.press("Take this into the draft")
        self.wait_for_text("1 of 5 changes is chosen", "main")
        self.press("Publish 1 of 5 changes")
        self.wait_for_text("Published as version 4", "main")
        self.check_rest("4")
        self.assertEqual(
            self.template()["parameterGroups"]["AppFeatures"]["description"], "Theirs")

    @gate
    def test_knows_the_rest_after_the_page_was_closed_during_the_publish(self):
        self.choose_interval_alone()
        faults = Faults(self.driver)
        faults.hold("PUT", "/remoteConfig$", limit=1)
        self.press("Publish 1 of 5 changes")
        self.wait_for(lambda: faults.held() == 1, "the publish")
        self.driver.refresh()
        self.wait_for_text("Published as version 3", "main")
        self.wait_for_text("4 changes since version 3", ".draft-bar")
        self.check_rest("3")

    def test_follows_the_choice_of_another_tab(self):
        self.choose_interval_alone()
        first = self.driver.current_window_handle
        self.driver.switch_to.new_window("tab")
        self.driver.get(f"{self.url}/console/#/{self.project}/review")
        self.wait_for_text("All 5 changes are chosen.", "main")
        second = self.driver.current_window_handle
        self.driver.switch_to.window(first)
        self.press("Publish 1 of 5 changes")
        self.wait_for_text("Published as version 3", "main")
        self.driver.switch_to.window(second)
        self.wait_for_text("4 changes since version 3", ".draft-bar")
        self.wait_for_text("All 4 changes are chosen.", "main")
        self.check_rest("3")

    def test_says_on_the_merge_page_that_a_lost_publish_was_undone(self):
        self.choose_interval_alone()
        faults = Faults(self.driver)
        faults.lose("PUT", "/remoteConfig$", limit=1)
        faults.fail("GET", ":listVersions")
        self.press("Publish 1 of 5 changes")
        self.wait_for(lambda: self.version() == "3", "the publish")
        self.publish(TEMPLATE, "Back again")
        faults.end()
        self.wait_for_text("which version 4 has replaced since", "main")
        self.press("Merge")
        self.wait_for_text("You published a part of this draft as version 3, and version 4 undid "
                           "that.", "main .message")
        self.press("Take this into the draft")
        self.wait_for_text("1 of 5 changes is chosen.", "main")

    def test_stays_in_the_review_when_another_tab_published_and_its_draft_continues(self):
        self.choose_interval_alone()
        faults = Faults(self.driver)
        faults.refuse("PUT", "/remoteConfig$", 412, is_held=True)
        self.press("Publish 1 of 5 changes")
        self.wait_for(lambda: faults.held() == 1, "the publish")
        part = json.loads(json.dumps(TEMPLATE))
        change_several(part)
        part["parameterGroups"]["AppFeatures"]["parameters"]["RefreshInterval"] = TEMPLATE[
            "parameterGroups"]["AppFeatures"]["parameters"]["RefreshInterval"]
        self.publish(part, "The other tab")
        draft = self.call("GET", "draft")[1]["template"]
        status, answer = self.call(
            "PUT", "draft", {"baseVersion": "3", "template": draft}, If_Match="*")
        self.assertEqual(status, 200, answer)
        faults.end()
        self.wait_for_text("Nothing was published here: another version was published first. "
                           "Review what your draft still changes.", "main")
        self.wait_for_text("1 change since version 3", ".draft-bar")
        self.go("merge")
        self.wait_for_text("Your draft continues from version 3, which is current: there is "
                           "nothing to merge.", "main")
        self.assertNotIn("was published since", self.find("main").text)

    def test_shows_the_problems_of_the_choice_only(self):
        def change(template):
            groups = template["parameterGroups"]["AppFeatures"]["parameters"]
            groups["RefreshInterval"]["defaultValue"] = {"value": "soon"}
            template["conditions"][0]["tagColor"] = "PINK"
        self.start_draft(change)
        self.wait_for_text("The draft cannot be published: 1 problem.", "main")
        self.toggle("AppFeatures.RefreshInterval")
        self.wait_for_text("1 of 2 changes is chosen", "main")
        self.wait_for(lambda: "Checking" not in self.find("main").text, "the check")
        self.assertNotIn("cannot be published", self.find("main").text)
        self.press("Publish 1 of 2 changes")
        self.wait_for_text("Published as version 3", "main")


class PhoneTests(ChoosingCase):
    size = (320, 640)

    @gate
    def test_leads_from_a_switch_to_its_publish(self):
        self.start_draft(change_several)
        self.go("settings")
        self.button("Edit AppFeatures.SomeFeature")
        self.switch("AppFeatures.SomeFeature")
        self.wait_for_dialog_to_close()
        self.wait_for_text("6 changes", ".draft-bar")
        self.press("More for AppFeatures.SomeFeature")
        self.press("Review it alone")
        self.wait_for_text("1 of 6 changes is chosen.", "main")
        self.assertEqual(self.chosen(), ["AppFeatures.SomeFeature"])
        self.check_page("review-choice-narrow")
        self.check_targets("the review")
        self.press("Publish 1 of 6 changes")
        self.wait_for_text("Published as version 3", "main")
        self.assertNotIn("Half-finished", str(self.template()))

    def test_has_the_box_and_the_button_of_a_change_on_one_line(self):
        self.start_draft(change_several)
        self.box("AppFeatures.RefreshInterval")
        self.assertEqual(self.driver.execute_script("""
            const middle = ({top, bottom}) => (top + bottom) / 2;
            return [...document.querySelectorAll('.difference-head')].filter((head) => {
                const [box, ...others] = ['.choose', '.badge', '.revert'].map((part) => (
                    middle(head.querySelector(part).getBoundingClientRect())));
                return others.some((other) => Math.abs(other - box) > 2);
            }).map((head) => head.textContent);"""), [])


class LargeTests(ChoosingCase):
    def test_chooses_one_of_thousands(self):
        self.publish(large_template(), "Large")
        changed = large_template(step=1)
        self.start_draft(lambda template: template.update(changed))
        self.wait_for_text("All 3,000 changes are chosen.", "main")
        self.press("Choose none")
        self.write("Find a change", "number_1027")
        self.toggle("Group 7.a_setting_with_number_1027")
        self.wait_for_text("1 of 3,000 changes is chosen.", "main")
        self.check_page("review-choice-large")
        self.press("Publish 1 of 3,000 changes")
        self.wait_for_text("Published as version 4", "main")
        self.wait_for_text("2,999 changes since version 4", ".draft-bar")
        self.assertEqual(self.chosen(), [])
        settings = self.template()["parameterGroups"]["Group 7"]["parameters"]
        self.assertIn("1031", settings["a_setting_with_number_1027"]["defaultValue"]["value"])
        self.assertEqual(settings["a_setting_with_number_37"]["defaultValue"],
                         large_template()["parameterGroups"]["Group 7"]["parameters"][
                             "a_setting_with_number_37"]["defaultValue"])


if __name__ == "__main__":
    unittest.main()
