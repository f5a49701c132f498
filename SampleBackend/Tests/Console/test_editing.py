"""Editing settings and conditions in a draft."""

import unittest

from selenium.webdriver.common.keys import Keys

from console_case import gate
from task_case import TaskCase


class RequiredFieldTests(TaskCase):
    """Required fields: no error before they are left, or the form is sent."""

    def invalid(self):
        """The names of the fields with an error."""
        return [e.accessible_name for e in self.find_all("dialog [aria-invalid=true]")]

    def test_of_a_setting(self):
        self.go("settings")
        self.press("Add a setting to AppFeatures")
        self.press("Keep in the draft")
        self.assertEqual(self.invalid(), ["Key"])
        self.press("Cancel")
        self.wait_for_dialog_to_close()
        self.press("Add a setting to AppFeatures")
        # By a script: the focus stays in the field, which is not left.
        self.driver.execute_script("""
            const [type] = arguments;
            type.value = 'NUMBER';
            type.dispatchEvent(new Event('change', {bubbles: true}));""", self.field("Type"))
        self.wait_for_text("Give the setting a key.", "dialog .check-state")
        self.assertEqual(self.invalid(), [])
        self.field("Key").send_keys("limit")
        self.wait_for_text("is not a number", "dialog .check-state")
        self.assertEqual(self.invalid(), [])
        self.check_page("setting-required")
        self.field("Default value").send_keys(Keys.TAB)
        self.wait_for(lambda: self.invalid() == ["Default value"], "the error of the value")
        self.field("Key").send_keys(Keys.CONTROL + "a", Keys.DELETE)
        self.wait_for_text("Give the setting a key.", "dialog .check-state")
        self.field("Key").send_keys(Keys.TAB)
        self.wait_for(lambda: "Key" in self.invalid(), "the error of the key")

    def test_of_a_section(self):
        self.go("settings")
        self.press("Add section")
        self.driver.execute_script("""
            const [description] = arguments;
            description.value = 'Words';
            description.dispatchEvent(new Event('input', {bubbles: true}));""",
                                   self.field("Description"))
        self.wait_for_text("Give the section a name.", "dialog .check-state")
        self.assertEqual(self.invalid(), [])
        self.field("Name").send_keys(Keys.TAB)
        self.wait_for(lambda: self.invalid() == ["Name"], "the error")
        self.field("Name").send_keys("Words")
        self.wait_for_text("The server accepts this", "dialog")
        self.assertEqual(self.invalid(), [])

    def test_of_a_condition(self):
        self.go("conditions")
        self.press("Add condition")
        self.field("Name").send_keys("x", Keys.BACKSPACE)
        self.wait_for_text("Add a rule", "dialog .check-state")
        self.assertEqual(self.invalid(), [])
        self.field("Name").send_keys(Keys.TAB)
        self.wait_for(lambda: self.invalid() == ["Name"], "the error")


class SettingTests(TaskCase):
    @gate
    def test_shows_what_is_wrong_where_it_is_wrong(self):
        self.go("settings")
        self.press("Edit AppFeatures.RefreshInterval")
        self.write("Default value", "4o")
        problem = self.wait_for_text('"4o" is not a', "dialog .problems").text
        self.assertNotIn("parameterGroups", problem)
        self.assertEqual(self.field("Default value").get_attribute("aria-invalid"), "true")
        self.assertFalse(self.button("Keep in the draft").is_enabled())
        self.check_page("setting-problem")
        self.write("Default value", "45")
        self.wait_for_text("The server accepts this", "dialog")
        self.keep()
        self.wait_for_text("1 change", ".draft-bar")

    def test_adds_a_setting_with_a_conditional_value(self):
        self.go("settings")
        self.press("Add a setting to AppFeatures")
        self.write("Key", "Greeting")
        self.write("Default value", "Hello")
        self.choose("Condition of another value", "User 2")
        self.write("Value for User 2", "Hello, second")
        self.keep()
        self.wait_for_text("Greeting", "main")
        self.go("review")
        self.press("Publish")
        self.wait_for_text("Published as version 2", "main")
        greeting = self.parameter("AppFeatures", "Greeting")
        self.assertEqual(greeting["defaultValue"], {"value": "Hello"})
        self.assertEqual(greeting["conditionalValues"], {"User 2": {"value": "Hello, second"}})

    @gate
    def test_asks_for_the_value_of_a_condition_that_was_typed(self):
        self.go("settings")
        self.press("Edit AppFeatures.RefreshInterval")
        self.write("Condition of another value", "Nobody")
        self.press("Keep in the draft")
        self.wait_for_text("There is no condition “Nobody”", "dialog")
        self.assertEqual(
            self.field("Condition of another value").get_attribute("value"), "Nobody")
        self.check_page("setting-unknown-condition")
        self.write("Condition of another value", "user 2")
        self.press("Keep in the draft")
        self.wait_for_text("“User 2” has the value it begins with so far", "dialog")
        self.field("Value for User 2").send_keys("0")
        self.wait_for_text("The server accepts this", "dialog")
        self.keep()
        self.wait_for_text("1 change", ".draft-bar")
        groups = self.call("GET", "draft")[1]["template"]["parameterGroups"]
        interval = groups["AppFeatures"]["parameters"]["RefreshInterval"]
        self.assertIn("User 2", interval["conditionalValues"])

    def test_switches_a_boolean_and_leaves_a_setting_to_the_app(self):
        self.go("settings")
        self.press("Edit SampleViewConfiguration.ButtonEnabled")
        self.field("Default value").click()
        self.choose("Value for User 3: what users get", "The in-app default")
        self.keep()
        self.go("review")
        self.press("Publish")
        self.wait_for_text("Published as version 2", "main")
        button = self.parameter("SampleViewConfiguration", "ButtonEnabled")
        self.assertEqual(button["defaultValue"], {"value": "true"})
        self.assertEqual(button["conditionalValues"], {"User 3": {"useInAppDefault": True}})

    def test_refuses_names_that_only_look_like_another(self):
        self.edit_interval("45")
        self.press("Add section")
        for name, problem in (
                ("AppFeatures\u200b", "has an invisible character, U+200B"),
                ("AppFeatures", "A section with this name exists")):
            self.write("Name", name)
            self.wait_for_text(problem, "dialog .problems")
            self.assertFalse(self.button("Keep in the draft").is_enabled())
        self.press("Cancel")
        self.press("Discard")
        self.wait_for_dialog_to_close()
        self.press("Add a setting to AppFeatures")
        self.write("Key", "my key")
        self.wait_for_text("without spaces", "dialog .problems")
        self.press("Cancel")
        self.press("Discard")
        self.go("conditions")
        self.press("Add condition")
        self.write("Name", "User 1\u200b")
        self.wait_for_text("has an invisible character, U+200B", "dialog .problems")

    @gate
    def test_adds_renames_and_deletes_sections_and_settings(self):
        self.go("settings")
        self.press("Add section")
        self.write("Name", "Limits")
        self.keep()
        self.press("Add a setting to Limits")
        self.write("Key", "Uploads")
        self.choose("Type", "Number")
        self.write("Default value", "3")
        self.keep()
        self.press("Edit the section AppFeatures")
        self.write("Name", "Features")
        self.keep()
        self.press("Edit Features.RefreshInterval")
        self.write("Key", "Interval")
        self.keep()
        self.press("More for Features.SomeFeature")
        self.press("Delete …")
        self.press("Delete the setting")
        self.wait_for_dialog_to_close()
        self.go("review")
        self.press("Publish")
        self.wait_for_text("Published as version 2", "main")
        groups = self.template()["parameterGroups"]
        self.assertEqual(list(groups), ["SampleViewConfiguration", "Features", "Limits"])
        self.assertEqual(list(groups["Features"]["parameters"]), ["Interval"])
        self.assertEqual(groups["Limits"]["parameters"]["Uploads"]["valueType"], "NUMBER")

    def test_finds_settings(self):
        self.go("settings")
        self.wait_for_text("5 settings in 2 sections", "main")
        self.write("Find", "seconds")
        self.wait_for_text("1 setting found", "main")
        self.assertEqual([e.text for e in self.find_all(".setting h3")], ["RefreshInterval"])
        self.write("Find", "")
        self.choose("Type", "Boolean")
        self.wait_for_text("2 settings found", "main")

    @gate
    def test_keeps_the_draft_over_a_reload_and_asks_before_it_is_lost(self):
        self.edit_interval("45")
        self.driver.refresh()
        self.wait_for_text("1 change", ".draft-bar")
        self.assertIn("45", self.wait_for_text("RefreshInterval", ".settings:last-child").text)
        self.press("Discard …")
        self.press("Keep it")
        self.wait_for_dialog_to_close()
        self.wait_for_text("1 change", ".draft-bar")
        self.press("Discard …")
        self.press("Discard the draft")
        self.wait_for(lambda: not self.find_all(".draft-bar"), "the draft to end")

    @gate
    def test_reads_no_value_as_html(self):
        self.go("settings")
        self.press("Edit SampleViewConfiguration.LabelText")
        text = "<img src=x onerror=alert(1)><b>bold</b>"
        self.write("Default value", text)
        self.keep()
        self.wait_for_text(text, "main")
        self.go("review")
        self.wait_for_text(text, "main")
        self.assertEqual(self.find_all("main img, main b"), [])


class ConditionTests(TaskCase):
    def test_opens_a_condition_by_its_name(self):
        self.go("conditions")
        self.press("User 2")
        self.wait_for_text("Edit User 2", "dialog h2")
        self.write("Expression", "user.id == '9'")
        self.keep()
        self.wait_for(lambda: self.driver.switch_to.active_element.accessible_name == "User 2",
                      "the focus on the name")

    def test_moves_the_number_of_a_percent_rule_with_a_slider(self):
        self.go("conditions")
        self.press("Edit Some feature, half of the users")
        slider = self.find("dialog input[type=range]")
        slider.send_keys(Keys.ARROW_RIGHT * 5)
        self.assertEqual(
            self.field("Expression").get_attribute("value"), "percent('SomeFeature') <= 55")
        self.write("Users up to this percentage of “SomeFeature”", "12.5")
        self.assertEqual(
            self.field("Expression").get_attribute("value"), "percent('SomeFeature') <= 12.5")
        self.wait_for_text("The server accepts this", "dialog")
        self.check_page("condition-slider")
        self.write("Expression", "percent between 10 and 20 && user.id == 'percent <= 3'")
        self.assertEqual(len(self.find_all("dialog input[type=range]")), 2)

    def test_shows_the_column_of_a_problem(self):
        self.go("conditions")
        self.press("Edit New versions")
        self.write("Expression", "percent('x') < 50")
        self.wait_for_text("Column 14", "dialog .problems")
        self.assertEqual(self.find("dialog mark").text, "<")
        self.assertFalse(self.button("Keep in the draft").is_enabled())
        self.check_page("condition-problem")

    def test_shows_a_part_of_a_long_expression_around_a_problem(self):
        self.go("conditions")
        self.press("Edit New versions")
        self.driver.execute_script("""
            const [field] = arguments;
            field.value = 'user.id == '.repeat(90_000);
            field.dispatchEvent(new Event('input', {bubbles: true}));""", self.field("Expression"))
        self.wait_for_text("longer than 16384 characters", "dialog .problems")
        self.assertLess(len(self.find("dialog .marked").text), 1000)

    def test_changes_the_order_by_buttons(self):
        self.go("conditions")
        self.press("Move User 1 down")
        self.wait_for(
            lambda: [e.text for e in self.find_all(".condition h2")][:2] == ["User 2", "User 1"],
            "the new order")
        focused = self.driver.switch_to.active_element
        self.assertEqual(focused.accessible_name, "Move User 1 down")
        self.go("review")
        self.press("Publish")
        self.wait_for_text("Published as version 2", "main")
        names = [condition["name"] for condition in self.template()["conditions"]]
        self.assertEqual(names[:2], ["User 2", "User 1"])

    @gate
    def test_renames_a_condition_with_the_values_under_it(self):
        self.go("conditions")
        self.press("Edit User 3")
        self.write("Name", "Third user")
        self.choose("Colour", "Deep orange")
        self.keep()
        self.press("Delete User 2")
        self.press("Delete the condition")
        self.wait_for_dialog_to_close()
        self.go("review")
        self.press("Publish")
        self.wait_for_text("Published as version 2", "main")
        label = self.parameter("SampleViewConfiguration", "LabelText")
        self.assertEqual(list(label["conditionalValues"]), ["User 1", "Third user"])
        colors = {c["name"]: c.get("tagColor") for c in self.template()["conditions"]}
        self.assertEqual(colors["Third user"], "DEEP_ORANGE")


if __name__ == "__main__":
    unittest.main()
