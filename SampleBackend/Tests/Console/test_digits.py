"""Numbers with more digits than apps receive."""

import json
import unittest

from task_case import TaskCase

LONG = "12345678901234567890"
RECEIVED = "Apps get 1.2345678901234567e+19"


class DigitsTests(TaskCase):
    def test_are_named_where_a_setting_is_edited_and_before_it_is_published(self):
        self.go("settings")
        self.press("Edit AppFeatures.RefreshInterval")
        self.write("Default value", LONG)
        self.wait_for_text(RECEIVED, "dialog .message")
        self.check_page("setting-digits")
        self.write("Default value", "45")
        self.wait_for(lambda: RECEIVED not in self.find("dialog").text, "the warning to go")
        self.write("Default value", LONG)
        self.keep()
        self.press("Review and publish")
        self.wait_for_text(RECEIVED, "main .message")
        self.press("Publish")
        self.wait_for_text("Published as version 2", "main")
        # The document has all digits; apps read it as the floating-point number.
        document = self.call("POST", "remoteConfig:preview", {"users": [{"userID": "1"}]})[1]
        self.assertEqual(
            document["users"][0]["settings"]["AppFeatures"]["RefreshInterval"]["value"], int(LONG))
        self.edit_label()
        self.press("Review and publish")
        self.wait_for_text("LabelText", "main")
        self.assertNotIn(RECEIVED, self.find("main").text)

    def edit_label(self):
        """Edits a text, in which digits stay."""
        self.go("settings")
        self.press("Edit SampleViewConfiguration.LabelText")
        self.write("Default value", LONG)
        self.wait_for_text("The server accepts this", "dialog")
        self.assertNotIn(RECEIVED, self.find("dialog").text)
        self.keep()

    def test_are_named_in_conditional_values_and_json(self):
        value = json.dumps({"list": [1]})
        self.publish({"conditions": [{"name": "beta", "expression": "user.id == '2'"}],
                      "parameters": {"limits": {"valueType": "JSON", "defaultValue": {"value": value},
                                                "conditionalValues": {"beta": {
                                                    "value": '{"list": [%s]}' % LONG}}}}}, "JSON")
        self.go("settings")
        self.press("Edit Default.limits")
        self.wait_for_text(f"{LONG}: {RECEIVED}", "dialog .message")

    def test_are_named_in_conditions_and_before_they_are_published(self):
        compared = "It is compared as 1.2345678901234567e+19"
        self.go("conditions")
        self.press("Edit User 2")
        self.write("Expression", f"app.customSignal['n'] == {LONG}")
        self.wait_for_text(f"{LONG}: {compared}", "dialog .message")
        self.wait_for_text(compared, "dialog .rule-line .hint")
        self.check_page("condition-digits")
        self.keep()
        self.press("Review and publish")
        self.wait_for_text("condition “User 2”", "main .message")
        self.wait_for_text(compared, "main .message")

    def test_are_named_where_a_signal_is_entered(self):
        warning = "Rules that compare numbers take it as 1.2345678901234567e+19"
        self.go("user", **{"id": "9", "signal.n": LONG})
        self.wait_for_text(warning, "[aria-label='Custom signals']")
        self.assertIn("take it as", self.driver.execute_script(
            "return document.getElementById(arguments[0].getAttribute('aria-describedby'))"
            ".textContent", self.field("Value of the signal")))
        self.check_page("signal-digits")
        self.write("Value of the signal", "7")
        self.wait_for(lambda: "compare numbers" not in self.find("main").text, "no warning")

    def test_are_named_where_a_value_is_pinned(self):
        self.go("user", id="9")
        self.press("Pin a value")
        self.choose("Setting", "AppFeatures.RefreshInterval")
        self.write("Value", LONG)
        self.wait_for_text(RECEIVED, "dialog .message")


if __name__ == "__main__":
    unittest.main()
