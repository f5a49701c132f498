"""Previewing a user's configuration, and values pinned for a user."""

import unittest

from task_case import TaskCase


class UserTests(TaskCase):
    def reason(self, setting):
        """The value of a setting with its reason, as one text."""
        def row():
            return next((e.text.replace("\n", " ") for e in self.find_all("tbody tr")
                         if e.text.replace("\n", "").startswith(setting)), None)
        return self.wait_for(row, setting)

    def test_says_what_a_user_gets_and_why(self):
        self.go("user")
        self.write("User ID", "3")
        self.write("App version", "2.1")
        self.press("Look")
        self.wait_for_text("User 3", "main h2")
        self.assertIn(
            "true Condition “User 3” is true", self.reason("SampleViewConfiguration.ButtonEnabled"))
        self.assertIn(
            "30.0 Condition “New versions” is true", self.reason("AppFeatures.RefreshInterval"))
        self.assertIn("user.id is '3'", self.reason("User 1"))
        self.check_page("user")
        self.write("App version", "")
        self.press("Look")
        self.wait_for(
            lambda: "Default value" in self.reason("AppFeatures.RefreshInterval"), "the default")

    def test_evaluates_the_draft(self):
        self.edit_interval("45")
        self.go("user")
        self.write("User ID", "7")
        self.press("Look")
        self.assertIn("45", self.reason("AppFeatures.RefreshInterval"))
        self.choose("By", "What is published")
        self.press("Look")
        self.wait_for(lambda: "60" in self.reason("AppFeatures.RefreshInterval"), "the old value")

    def test_takes_custom_signals(self):
        self.publish({
            "conditions": [{"name": "gold",
                            "expression": "app.customSignal['plan'].exactlyMatches(['gold'])"}],
            "parameters": {"limit": {"defaultValue": {"value": "1"}, "conditionalValues": {
                "gold": {"value": "2"}}}}}, "Signals")
        self.go("user")
        self.write("User ID", "1")
        self.write("Custom signals", "plan = gold")
        self.press("Look")
        self.assertIn("Condition “gold” is true", self.reason("Default.limit"))

    def test_pins_a_value_and_removes_it(self):
        self.go("user")
        self.write("User ID", "a/b 4")
        self.press("Look")
        self.wait_for_text("Nothing is pinned", "main")
        self.press("Pin a value")
        self.choose("Setting", "AppFeatures.RefreshInterval")
        self.write("Value", "soon")
        self.press("Pin it for this user")
        self.wait_for_text("This is no value of the type NUMBER", "dialog")
        self.write("Value", "5")
        self.check_page("pin")
        self.press("Pin it for this user")
        self.wait_for_dialog_to_close()
        self.wait_for(
            lambda: "Pinned for this user" in self.reason("AppFeatures.RefreshInterval"), "the pin")
        path = "users/a%2Fb%204/overrides"
        self.assertEqual(self.call("GET", path)[1], {"AppFeatures": {"RefreshInterval": 5}})
        self.check_page("user-pinned")
        self.press("Remove AppFeatures.RefreshInterval")
        self.press("Remove")
        self.wait_for_text("Nothing is pinned", "main")
        self.assertEqual(self.call("GET", path)[0], 404)


if __name__ == "__main__":
    unittest.main()
