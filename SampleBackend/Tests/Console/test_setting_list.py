"""The list of settings: search, filters, folding, switches, several settings at once."""

import copy
import unittest

from selenium.webdriver.common.keys import Keys

from browser import PHONE
from console_case import gate
from faults import Faults
from task_case import TEMPLATE, TaskCase, with_interval

BUTTON = "SampleViewConfiguration.ButtonEnabled"


def large_template():
    """A template of 1,000 settings in ten sections."""
    return {"parameterGroups": {
        f"Section {section}": {"parameters": {
            f"key_{section}_{n}": {"defaultValue": {"value": f"Value {n}"}} for n in range(100)}}
        for section in range(10)}}


class SettingListCase(TaskCase):
    def keys(self):
        """The keys of the rows."""
        return [e.text for e in self.find_all(".setting h3")]

    def active(self):
        """The accessible name of the control with the focus."""
        return self.driver.switch_to.active_element.accessible_name

    def type(self, *keys):
        """Presses keys where the focus is."""
        self.driver.switch_to.active_element.send_keys(*keys)

    def publish_draft(self):
        """Publishes the draft."""
        self.go("review")
        self.press("Publish")
        self.wait_for_text("Published as version", "main")


class SearchTests(SettingListCase):
    @gate
    def test_finds_words_in_any_order_over_everything(self):
        self.go("settings")
        for text, keys in (
                ("interval AppFeatures", ["RefreshInterval"]),
                ("SECONDS number", ["RefreshInterval"]),
                ("appfeatures.refresh", ["RefreshInterval"]),
                ("half features", ["SomeFeature"]), ("nowhere", [])):
            with self.subTest(text=text):
                self.write("Find", text)
                self.wait_for(lambda keys=keys: self.keys() == keys, keys)
        self.wait_for_text("No setting matches.", "main")
        self.press("Clear")
        self.wait_for(lambda: len(self.keys()) == 5, "all settings")
        self.assertEqual(self.active(), "Find")

    def test_keeps_the_view_in_the_address(self):
        self.go("settings")
        self.write("Find", "button view")
        self.choose("Type", "Boolean")
        self.choose("Section", "SampleViewConfiguration")
        self.wait_for(lambda: "section=" in self.driver.current_url, "the address")
        self.assertIn("find=button+view", self.driver.current_url)
        entries = self.driver.execute_script("return history.length")
        self.driver.refresh()
        self.wait_for(lambda: self.keys() == ["ButtonEnabled"], "the view")
        self.assertEqual(self.field("Find").get_attribute("value"), "button view")
        self.assertEqual(self.driver.execute_script("return history.length"), entries)

    def test_filters_by_condition_and_change(self):
        self.go("settings")
        self.choose("Condition", "User 3")
        self.wait_for(lambda: "ButtonEnabled" in self.keys() and len(self.keys()) < 5, "some")
        self.press("Clear")
        self.switch(BUTTON)
        self.field("Only what the draft changes").click()
        self.wait_for(lambda: self.keys() == ["ButtonEnabled"], "what the draft changes")

    def test_focuses_the_search_by_a_slash(self):
        self.go("settings")
        self.find("main h1").send_keys("/")
        self.assertEqual(self.active(), "Find")
        self.type("a/b")
        self.assertEqual(self.field("Find").get_attribute("value"), "a/b")

    def test_links_to_a_setting(self):
        self.publish(large_template(), "Large")
        self.driver.execute_cdp_cmd("Browser.grantPermissions", {
            "permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]})
        self.go("settings")
        self.write("Find", "key_7_63")
        self.press("More for Section 7.key_7_63")
        self.press("Copy link")
        self.wait_for(lambda: "copied" in self.driver.find_element(
            "id", "announcements").get_attribute("textContent"), "the copy")
        link = self.driver.execute_async_script(
            "navigator.clipboard.readText().then(arguments[0], String).then(arguments[0])")
        self.driver.get("about:blank")
        self.driver.get(link)
        self.wait_for(lambda: self.active() == "Edit Section 7.key_7_63", "the setting")
        self.driver.get("about:blank")
        self.driver.get(link.replace("key_7_63", "key_7_630"))
        self.wait_for_text("renamed, moved or deleted", "main")


class LargeListTests(SettingListCase):
    def setUp(self):
        super().setUp()
        self.publish(large_template(), "Large")

    def test_has_only_rows_near_the_window(self):
        self.go("settings")
        self.wait_for_text("1,000 settings in 10 sections", "main")
        self.assertLess(len(self.find_all(".setting")), 150)
        self.assertEqual(self.find(".setting").get_attribute("aria-setsize"), "100")
        self.press("Section 9 100")
        self.wait_for(lambda: "key_9_0" in self.keys(), "the last section")
        self.assertEqual(self.active(), "Section 9")
        self.assertLess(len(self.find_all(".setting")), 150)
        self.driver.execute_script("window.scrollTo(0, document.body.scrollHeight)")
        self.wait_for(lambda: "key_9_99" in self.keys(), "the last setting")
        last = self.find_all(".setting")[-1]
        self.assertEqual(last.get_attribute("aria-posinset"), "100")

    def test_keeps_what_a_search_does_not_change(self):
        self.go("settings")
        mark = "for (const e of document.querySelectorAll('.section, .setting')) e.kept = true;"
        kept = "return [...document.querySelectorAll(arguments[0])].filter((e) => e.kept).length"
        self.driver.execute_script(mark)
        rows = self.keys()
        # Every key contains it, so nothing changes.
        self.write("Find", "key")
        self.wait_for_text("1,000 settings found", "main")
        self.assertEqual(self.keys(), rows)
        self.assertEqual(self.driver.execute_script(kept, ".setting"), len(rows))
        self.write("Find", "key_0_1")
        self.wait_for_text("11 settings found", "main")
        self.assertEqual(self.keys(), ["key_0_1", *[f"key_0_1{n}" for n in range(10)]])
        self.assertEqual(self.driver.execute_script(kept, ".setting"), 11)
        self.assertEqual(
            [e.get_attribute("aria-posinset") for e in self.find_all(".setting")],
            [str(n + 1) for n in range(11)])
        self.assertEqual(len([e for e in self.find_all(".section") if e.is_displayed()]), 1)
        self.press("Clear")
        self.wait_for(lambda: self.keys()[:3] == ["key_0_0", "key_0_1", "key_0_2"], "all settings")
        self.assertEqual(self.driver.execute_script(kept, ".section"), 10)

    def test_moves_through_all_rows_by_the_arrow_keys(self):
        self.go("settings")
        self.find(".key-button").send_keys(Keys.ARROW_DOWN)
        self.assertEqual(self.active(), "Edit Section 0.key_0_1")
        self.type(*[Keys.ARROW_DOWN] * 120)
        self.assertEqual(self.active(), "Edit Section 1.key_1_21")
        self.type(Keys.ARROW_UP)
        self.assertEqual(self.active(), "Edit Section 1.key_1_20")

    def test_folds_sections_and_keeps_them_folded(self):
        self.go("settings")
        fold = self.button("Section 0")
        fold.click()
        self.assertEqual(fold.get_attribute("aria-expanded"), "false")
        self.wait_for(lambda: "key_1_0" in self.keys() and "key_0_0" not in self.keys(), "the fold")
        self.press("Fold all sections")
        self.wait_for(lambda: not self.keys(), "all folds")
        self.check_page("settings-folded")
        self.driver.refresh()
        self.wait_for_text("1,000 settings", "main")
        self.assertEqual(self.keys(), [])
        self.write("Find", "key_0_7")
        self.wait_for(lambda: "key_0_7" in self.keys(), "a setting of a folded section")
        self.press("Clear")
        self.press("Unfold all sections")
        self.wait_for(lambda: "key_0_0" in self.keys(), "the settings")

    def test_names_with_spaces_make_no_ids(self):
        self.go("settings")
        ids = self.driver.execute_script(
            "return [...document.querySelectorAll('[id]')].map((element) => element.id)")
        self.assertEqual([text for text in ids if len(text.split()) != 1], [])
        self.assertEqual(len(ids), len(set(ids)))


class EditingTests(SettingListCase):
    @gate
    def test_switches_a_boolean_in_its_row(self):
        self.go("settings")
        switch = self.field(BUTTON)
        self.assertEqual(switch.get_attribute("role"), "switch")
        switch.send_keys(Keys.SPACE)
        self.press("Only the default value: on")
        self.wait_for_text("1 change", ".draft-bar")
        self.assertEqual(self.active(), BUTTON)
        self.assertTrue(self.field(BUTTON).is_selected())
        self.check_page("settings-switched")
        self.type(Keys.SPACE)
        self.press("Only the default value: off")
        self.wait_for(lambda: not self.find_all(".draft-bar"), "the draft to end")
        self.type(Keys.SPACE)
        self.press("Only the default value: on")
        self.publish_draft()
        button = self.parameter("SampleViewConfiguration", "ButtonEnabled")
        old = TEMPLATE["parameterGroups"]["SampleViewConfiguration"]["parameters"]["ButtonEnabled"]
        self.assertEqual(button, old | {"defaultValue": {"value": "true"}})

    @gate
    def test_switches_off_for_everybody_in_one_step(self):
        template = self.template()
        checkout = {"valueType": "BOOLEAN", "defaultValue": {"value": "false"}}
        template["parameterGroups"]["Operations"] = {"parameters": {"Checkout": checkout | {
            "conditionalValues": {"User 3": {"value": "true"}}}}}
        self.publish(template, "On for some")
        self.go("settings")
        self.wait_for_text(
            "true", "[data-path='parameterGroups.Operations.parameters.Checkout']"
            " .conditional-value")
        self.field("Operations.Checkout").click()
        self.wait_for_text("Conditions have values, too", "dialog")
        self.check_page("switch-whom")
        self.press("Cancel")
        self.wait_for_dialog_to_close()
        self.assertEqual(self.find_all(".draft-bar"), [])
        self.field("Operations.Checkout").click()
        self.press("Off for everybody")
        self.wait_for_text("1 change", ".draft-bar")
        self.find("[data-focus=undo-step]").click()
        self.wait_for(lambda: not self.find_all(".draft-bar"), "the draft to end")
        self.find("[data-focus=redo-step]").click()
        self.wait_for_text("1 change", ".draft-bar")
        self.publish_draft()
        self.assertEqual(self.parameter("Operations", "Checkout"), checkout)

    def test_keeps_a_menu_open_while_the_draft_is_saved(self):
        self.go("settings")
        faults = Faults(self.driver)
        faults.hold("PATCH", "/draft")
        self.switch(BUTTON)
        self.press("More for AppFeatures.RefreshInterval")
        self.wait_for_text("Saving", ".draft-bar")
        faults.end()
        self.wait_for_text("1 change", ".draft-bar")
        self.assertEqual(self.active(), "Edit")

    def test_duplicates_a_setting(self):
        self.go("settings")
        self.press("More for AppFeatures.RefreshInterval")
        self.check_page("setting-menu")
        self.press("Duplicate")
        self.assertEqual(self.field("Key").get_attribute("value"), "RefreshInterval_copy")
        self.keep()
        self.publish_draft()
        self.assertEqual(self.parameter("AppFeatures", "RefreshInterval_copy"),
                         self.parameter("AppFeatures", "RefreshInterval"))

    @gate
    def test_moves_a_setting_to_another_section(self):
        self.go("settings")
        before = self.parameter("AppFeatures", "RefreshInterval")
        self.press("More for AppFeatures.RefreshInterval")
        self.press("Move to another section …")
        self.choose("To the section", "SampleViewConfiguration")
        self.press("Move")
        self.wait_for_dialog_to_close()
        self.publish_draft()
        self.assertEqual(self.parameter("SampleViewConfiguration", "RefreshInterval"), before)
        self.assertNotIn(
            "RefreshInterval", self.template()["parameterGroups"]["AppFeatures"]["parameters"])

    def test_moves_no_setting_over_another(self):
        template = self.template()
        groups = template["parameterGroups"]
        groups["AppFeatures"]["parameters"]["LabelText"] = {"defaultValue": {"value": "Mine"}}
        self.publish(template, "Two of one key")
        self.go("settings")
        self.press("More for AppFeatures.LabelText")
        self.press("Move to another section …")
        self.press("Move")
        self.wait_for_text("would have two settings of one key", "dialog")

    @gate
    def test_has_a_menu_for_the_keyboard(self):
        self.go("settings")
        more = self.button("More for AppFeatures.RefreshInterval")
        more.send_keys(Keys.ENTER)
        self.assertEqual(self.active(), "Edit")
        self.type(Keys.ARROW_UP)
        self.assertEqual(self.active(), "Delete …")
        self.type(Keys.ARROW_DOWN, Keys.ARROW_DOWN)
        self.assertEqual(self.active(), "Duplicate")
        self.type(Keys.ESCAPE)
        self.assertEqual(self.active(), "More for AppFeatures.RefreshInterval")
        self.wait_for(lambda: not self.find_all("[role=menu]"), "the menu to be gone")


class HistoryTests(SettingListCase):
    @gate
    def test_says_who_changed_a_setting_last_and_shows_its_versions(self):
        self.publish(with_interval("75"), "Slower")
        self.go("settings")
        changed = "[data-path$=RefreshInterval] .setting-changed"
        self.wait_for_text("Admin token", changed)
        self.assertIn("Version 2 by Admin token", self.find(f"{changed} span").get_attribute("title"))
        place = self.find(changed)
        self.assertTrue(place.text.startswith("Admin token"), place.text)
        self.assertTrue(self.driver.execute_script(
            "return [arguments[0], ...arguments[0].querySelectorAll('*')].every("
            "(element) => element.scrollWidth <= element.clientWidth"
            " || getComputedStyle(element).display === 'inline')", place), "it is cut")
        self.press("More for AppFeatures.RefreshInterval")
        self.press("History …")
        # The list is drawn again with the values.
        self.wait_for_text("Slower", "dialog")
        self.wait_for(lambda: self.find_all("dialog .side"), "the values")
        self.assertEqual(
            [e.text for e in self.find_all("dialog li a")],
            ["Version 2", "Who got what", "Version 1", "Who got what"])
        self.assertEqual(
            [e.text.split("\n")[-1] for e in self.find_all("dialog li:first-child .side")],
            ["60.0", "75"])
        self.check_page("setting-history")
        self.press("Version 2")
        self.wait_for_text("75", "main .diff")

    def test_waits_for_the_history_that_is_read(self):
        self.publish(with_interval("75"), "Slower")
        self.go("conditions")
        faults = Faults(self.driver)
        faults.hold("GET", "settingHistory")
        self.go("settings")
        self.press("More for AppFeatures.RefreshInterval")
        self.press("History …")
        self.wait_for_text("Loading", "dialog")
        faults.end()
        self.wait_for_text("Slower", "dialog")

    def test_says_up_to_where_changes_are_known(self):
        for number in range(101):
            self.publish(with_interval(str(10 + number)), "Again")
        self.go("settings")
        self.press("More for SampleViewConfiguration.LabelText")
        self.press("History …")
        self.wait_for_text("Not changed since version 2.", "dialog")
        self.press("Close")
        self.wait_for_dialog_to_close()
        self.press("More for AppFeatures.RefreshInterval")
        self.press("History …")
        self.wait_for_text("Changes before version 83 are not listed.", "dialog")
        self.check_page("setting-history-cut")

    def test_shows_what_version_1_changed(self):
        self.publish(with_interval("75"), "Slower")
        self.go("settings")
        self.press("More for AppFeatures.RefreshInterval")
        self.press("History …")
        self.press("Version 1")
        self.wait_for_text("Added", "main .difference")
        self.assertIn("from=0&to=1", self.driver.current_url)

    def test_follows_what_others_publish(self):
        self.go("settings")
        self.browser.set_size((1400, 900))
        row = "[data-path$=SomeFeature] .setting-changed span"
        self.wait_for(lambda: self.find_all(row), "the last change")
        self.assertIn("Version 1 ", self.find(row).get_attribute("title"))
        self.switch("AppFeatures.SomeFeature")
        self.publish_draft()
        self.go("settings")
        self.wait_for(lambda: "Version 2 " in self.find(row).get_attribute("title"), "the change")


class BulkTests(SettingListCase):
    def test_sets_a_condition_for_several_settings_by_keyboard(self):
        self.publish(large_template() | {"conditions": [
            {"name": "Testers", "expression": "user.id == '1'"}]}, "Large")
        self.go("settings")
        self.find(".pick").send_keys(Keys.SPACE)
        for _ in range(3):
            self.type(Keys.ARROW_DOWN)
        self.assertEqual(self.active(), "Select Section 0.key_0_3")
        self.type(Keys.SHIFT, Keys.SPACE)
        self.wait_for_text("selected", ".bulk-bar")
        self.type(Keys.NULL)
        self.find_all(".pick")[5].click()
        text = self.wait_for_text("selected", ".bulk-bar").text
        self.check_page("settings-selected")
        self.press("Set for a condition …")
        self.write("Value", "For testers")
        self.check_page("settings-bulk-condition")
        self.press("Set in the draft")
        self.wait_for_dialog_to_close()
        self.publish_draft()
        parameters = self.template()["parameterGroups"]["Section 0"]["parameters"]
        changed = [key for key, content in parameters.items() if content.get("conditionalValues")]
        self.assertEqual(f"{len(changed)} settings selected", text.split("\n")[0])
        self.assertIn("key_0_5", changed)
        for key in changed:
            self.assertEqual(
                parameters[key]["conditionalValues"], {"Testers": {"value": "For testers"}})

    @gate
    def test_refuses_a_value_that_the_server_refuses(self):
        self.go("settings")
        self.field("Select AppFeatures.RefreshInterval").click()
        self.press("Set for a condition …")
        self.write("Value", "soon")
        self.press("Set in the draft")
        self.wait_for_text("Choose a condition first", "dialog")
        self.choose("Condition", "User 2")
        self.press("Set in the draft")
        self.wait_for_text("is not a ", "dialog")
        self.field("Remove the value for it").click()
        self.press("Set in the draft")
        self.wait_for_dialog_to_close()

    def test_sets_a_value_although_something_else_has_a_problem(self):
        template = copy.deepcopy(TEMPLATE)
        parameters = template["parameterGroups"]["SampleViewConfiguration"]["parameters"]
        parameters["LabelText"]["conditionalValues"] = {"Gone": {"value": "x"}}
        status, answer = self.call(
            "PUT", "draft", {"baseVersion": "1", "template": template}, If_None_Match="*")
        self.assertEqual(status, 200, answer)
        self.go("settings")
        self.wait_for_text("1 change", ".draft-bar")
        self.field("Select AppFeatures.RefreshInterval").click()
        self.press("Set for a condition …")
        self.choose("Condition", "User 2")
        self.write("Value", "5")
        self.press("Set in the draft")
        self.wait_for_dialog_to_close()
        self.wait_for_text("2 changes", ".draft-bar")

    def test_says_how_many_of_the_selected_are_shown(self):
        self.go("settings")
        self.field("Select all found").click()
        self.wait_for_text("5 settings selected", ".bulk-bar")
        self.assertNotIn("shown here", self.find(".bulk-bar").text)
        self.write("Find", "SampleViewConfiguration.")
        self.wait_for_text("5 settings selected, 3 of them shown here", ".bulk-bar")
        self.write("Find", "nowhere")
        self.wait_for_text("5 settings selected, none of them shown here", ".bulk-bar")
        self.check_page("settings-selected-hidden")
        self.press("Unselect")
        self.write("Find", "")
        self.field("Select AppFeatures.RefreshInterval").click()
        self.write("Find", "nowhere")
        self.wait_for_text("1 setting selected, not shown here", ".bulk-bar")

    @gate
    def test_deletes_all_that_are_found(self):
        self.go("settings")
        self.write("Find", "SampleViewConfiguration.")
        self.wait_for_text("3 settings found", "main")
        self.field("Select all found").click()
        self.wait_for_text("3 settings selected", ".bulk-bar")
        self.press("Delete …")
        self.press("Delete 3 settings")
        self.wait_for_dialog_to_close()
        self.wait_for(lambda: not self.find_all(".bulk-bar:not([hidden])"), "no selection")
        self.assertNotEqual(self.driver.switch_to.active_element.tag_name, "body")
        self.go("review")
        self.press("Publish")
        self.press("Remove 3 settings")
        self.wait_for_text("Published as version", "main")
        self.assertEqual(self.template()["parameterGroups"]["SampleViewConfiguration"], {
            "parameters": {}} | {k: v for k, v in TEMPLATE["parameterGroups"][
                "SampleViewConfiguration"].items() if k != "parameters"})


class ViewerTests(SettingListCase):
    @gate
    def test_reads_every_value_whole(self):
        text = "start " + "long " * 300 + "end"
        template = self.template()
        label = template["parameterGroups"]["SampleViewConfiguration"]["parameters"]["LabelText"]
        label["conditionalValues"]["User 2"] = {"value": text}
        self.publish(template, "Long")
        self.token = self.administer(
            "POST", "/v1/tokens", {"name": f"Reader of {self.project}", "role": "viewer"})[1]["token"]
        self.go("settings")
        self.press("Show SampleViewConfiguration.LabelText")
        self.wait_for_text(text, "dialog .value")
        self.check_page("setting-whole")
        self.press("Close")
        self.wait_for_dialog_to_close()


class PhoneTests(SettingListCase):
    size = PHONE

    def test_has_targets_for_fingers(self):
        self.go("settings")
        self.switch(BUTTON)
        self.press("Edit AppFeatures.RefreshInterval")
        self.check_targets("the dialog")
        self.press("Close")
        self.wait_for_dialog_to_close()
        self.check_targets("the page")
        self.press("More for AppFeatures.RefreshInterval")
        self.check_targets("the menu")

    def test_switches_maintenance_in_four_taps(self):
        template = self.template()
        template["parameterGroups"]["Operations"] = {"parameters": {"Maintenance": {
            "valueType": "BOOLEAN", "defaultValue": {"value": "false"}}}}
        self.publish(template, "With a switch")
        self.go("settings")
        self.field("Find").click()
        self.type("maintenance")
        self.wait_for(lambda: self.keys() == ["Maintenance"], "the setting")
        self.check_page("settings-maintenance")
        self.field("Operations.Maintenance").click()
        self.press("Review and publish")
        self.press("Publish")
        self.wait_for_text("Published as version 3", "main")
        self.assertEqual(
            self.parameter("Operations", "Maintenance")["defaultValue"], {"value": "true"})


if __name__ == "__main__":
    unittest.main()
