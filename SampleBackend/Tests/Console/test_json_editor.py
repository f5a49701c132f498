"""The editor of JSON values."""

import json
import unittest

from selenium.webdriver.common.keys import Keys

from browser import PHONE
from console_case import gate
from task_case import TaskCase

SETTING = "SampleViewConfiguration.ViewBackgroundColor"


class JSONEditorTests(TaskCase):
    def open_editor(self):
        """Opens a setting with a JSON value; returns the editor's field."""
        self.go("settings")
        self.press(f"Edit {SETTING}")
        return self.find("dialog .CodeMirror [role=textbox]")

    def text(self):
        """The editor's text."""
        return self.driver.execute_script(
            "return document.querySelector('dialog .CodeMirror').CodeMirror.getValue()")

    @gate
    def test_marks_the_line_and_the_place_of_an_error(self):
        field = self.open_editor()
        self.assertEqual(field.accessible_name, "Default value")
        field.click()
        field.send_keys(Keys.CONTROL + "a")
        field.send_keys('{"one": 1,', Keys.ENTER, '"two": 2 "three": 3}')
        self.wait_for_text("is no", "dialog .problems")
        self.wait_for(lambda: self.find_all("dialog .error-line"), "the error's line")
        lines = self.find("dialog .CodeMirror").find_elements(
            "css selector", ".CodeMirror-code .CodeMirror-linenumber")
        self.assertEqual([e.text for e in lines], ["1", "2"])
        marked = self.find_all("dialog .error-line")[0].find_element("xpath", "..")
        self.assertIn("three", marked.text)
        self.assertEqual(self.find("dialog .error-text").text, '"')
        self.assertEqual(field.get_attribute("aria-invalid"), "true")
        self.assertFalse(self.button("Keep in the draft").is_enabled())
        self.check_page("json-error")
        field.send_keys(Keys.ARROW_LEFT * 11, ",")
        self.wait_for_text("The server accepts this", "dialog")
        self.assertEqual(self.find_all("dialog .error-line, dialog .error-text"), [])
        self.keep()
        self.go("review")
        self.press("Publish")
        self.wait_for_text("Published as version 2", "main")
        color = self.parameter("SampleViewConfiguration", "ViewBackgroundColor")
        self.assertEqual(
            json.loads(color["defaultValue"]["value"]), {"one": 1, "two": 2, "three": 3})

    def test_is_left_by_tab_and_indents_by_brackets(self):
        field = self.open_editor()
        field.click()
        before = self.text()
        self.driver.switch_to.active_element.send_keys(Keys.TAB)
        self.assertEqual(self.driver.switch_to.active_element.accessible_name, "Format")
        self.assertEqual(self.text(), before)
        self.driver.switch_to.active_element.send_keys(Keys.SHIFT + Keys.TAB)
        self.driver.switch_to.active_element.send_keys(Keys.CONTROL + "]")
        self.assertEqual(self.text(), "  " + before)

    def test_has_room_for_twenty_lines(self):
        field = self.open_editor()
        height = self.find("dialog .CodeMirror-scroll").size["height"]
        line = self.driver.execute_script(
            "return document.querySelector('dialog .CodeMirror').CodeMirror.defaultTextHeight()")
        self.assertGreaterEqual(height / line, 20)
        self.check_page("json-editor")
        self.assertTrue(field.is_displayed())

    def test_follows_the_type(self):
        self.open_editor()
        self.choose("Type", "Text")
        self.wait_for(lambda: not self.find_all("dialog .CodeMirror"), "a text field")
        self.write("Default value", "[1.10]")
        self.choose("Type", "JSON")
        self.wait_for(lambda: self.find_all("dialog .CodeMirror"), "the editor")
        self.assertEqual(self.text(), "[1.10]")


class PhoneTests(JSONEditorTests):
    size = PHONE


class UnavailableEditorTests(TaskCase):
    def test_edits_in_a_text_field_when_the_editor_cannot_be_loaded(self):
        self.driver.execute_cdp_cmd("Network.enable", {})
        self.driver.execute_cdp_cmd("Network.setBlockedURLs", {"urls": ["*/codemirror.js"]})
        try:
            self.go("settings")
            self.press(f"Edit {SETTING}")
            self.write("Default value", "[1.10]")
            self.wait_for_text("The server accepts this", "dialog")
            self.press("Format")
            self.assertEqual(
                self.field("Default value").get_attribute("value"), "[\n  1.10\n]")
        finally:
            self.driver.execute_cdp_cmd("Network.setBlockedURLs", {"urls": []})
        self.browser.take_errors()


if __name__ == "__main__":
    unittest.main()
