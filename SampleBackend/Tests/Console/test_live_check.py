"""The requests of a form's check during typing."""

import json
import signal
import unittest

from console_case import gate
from held_timers import HeldTimers
from own_server_case import OwnServerCase
from task_case import TEMPLATE, TaskCase

# Records the bodies of requests, and how long the page's longest task was.
PROBE = """
window.sent = [];
const send = window.fetch;
window.fetch = (path, options = {}) => {
    if (options.method !== 'GET') sent.push([options.method, String(path), options.body ?? '']);
    return send.call(window, path, options);
};
"""


def large_template():
    """A template of 600 settings with values of some length, 100 kB in all."""
    return {
        "conditions": [{"name": f"Condition {n}", "expression": f"percent <= {n}"}
                       for n in range(50)],
        "parameterGroups": {f"Section {section}": {"parameters": {
            f"key_{n}": {"defaultValue": {"value": f"Value {n} " * 15}} for n in range(60)}}
            for section in range(10)}}


class LiveCheckTests(TaskCase):
    def setUp(self):
        super().setUp()
        self.publish(large_template(), "Large")

    def checks(self):
        """The requests that were sent since the last call."""
        return self.driver.execute_script("return sent.splice(0)")

    def test_names_a_limit_of_the_whole_draft(self):
        self.go("settings", find="3.key_7")
        self.press("Edit Section 3.key_7")
        # Typing a million characters takes minutes.
        self.driver.execute_script("""
            const [field] = arguments;
            field.value = 'x'.repeat(1_000_001);
            field.dispatchEvent(new Event('input', {bubbles: true}));""", self.field("Default value"))
        self.wait_for_text("not publish the draft: its values have", "dialog .check-state")
        self.wait_for_text("use at most 1000000", "dialog .check-state")
        self.assertTrue(self.button("Keep in the draft").is_enabled())

    def test_sends_only_what_a_form_changes(self):
        self.go("settings", find="3.key_7")
        self.driver.execute_script(PROBE)
        self.press("Edit Section 3.key_7")
        self.write("Default value", "Another one")
        self.wait_for_text("The server accepts this", "dialog")
        method, path, body = self.checks()[-1]
        self.assertEqual((method, path.split("/")[-1].split("?")[0]), ("PATCH", "draft"))
        self.assertEqual(json.loads(body), [
            {"op": "replace", "value": "Another one", "path":
             "/parameterGroups/Section 3/parameters/key_7/defaultValue/value"},
            {"op": "add", "value": "STRING", "path":
             "/parameterGroups/Section 3/parameters/key_7/valueType"}])
        self.write("Key", "key_7_renamed")
        self.wait_for_text("The server accepts this", "dialog")
        self.assertLess(len(self.checks()[-1][2]), 1000)
        self.choose("Type", "Number")
        self.wait_for_text("is not a ", "dialog .problems")
        self.assertLess(len(self.checks()[-1][2]), 1000)
        self.write("Default value", "7")
        self.wait_for_text("The server accepts this", "dialog")
        self.checks()
        self.keep()
        self.press("Clear")
        self.press("Edit the section Section 4")
        self.write("Description", "The fourth")
        self.wait_for(self.checks, "a check")
        self.press("Keep in the draft")
        self.wait_for_dialog_to_close()
        self.go("review")
        self.press("Publish")
        self.wait_for_text("Published as version 3", "main")
        self.assertEqual(self.parameter("Section 3", "key_7_renamed"), {
            "defaultValue": {"value": "7"}, "valueType": "NUMBER"})

    def test_checks_all_where_the_server_has_another_draft(self):
        self.go("settings", find="3.key_7")
        draft = large_template()
        draft["parameterGroups"]["Section 5"]["description"] = "Changed elsewhere"
        status, answer = self.call(
            "PUT", "draft", {"baseVersion": "2", "template": draft}, If_None_Match="*")
        self.assertEqual(status, 200, answer)
        self.press("Edit Section 3.key_7")
        self.choose("Type", "Number")
        self.wait_for_text("is not a ", "dialog .problems")
        self.write("Default value", "7")
        self.wait_for_text("The server accepts this", "dialog")


class HangingServerTests(OwnServerCase):
    def setUp(self):
        super().setUp()
        self.publish(TEMPLATE, "The sample", expected="*")
        self.go("settings")

    def stop_server(self):
        """The server accepts connections, but does not respond."""
        self.backend.process.send_signal(signal.SIGSTOP)

    @gate
    def test_lets_an_edit_be_kept_that_cannot_be_checked(self):
        self.press("Edit AppFeatures.RefreshInterval")
        self.field("Default value")
        # Shorter than for other calls, since the user waits for it.
        limits = HeldTimers(self.driver, 5000)
        self.stop_server()
        self.write("Default value", "45")

        def is_ended():
            limits.end()
            return "It could not be checked: The server does not answer." in self.find("dialog").text
        # The page's look for news has the same time.
        self.wait_for(is_ended, "the limit of the check")
        self.backend.process.send_signal(signal.SIGCONT)
        self.keep()
        self.wait_for(lambda: self.call("GET", "draft")[0] == 200, "the draft")

    def test_ends_a_call_without_an_answer(self):
        limits = HeldTimers(self.driver, 30_000)
        self.stop_server()
        self.driver.execute_script("location.hash = '/default/tokens'")
        self.wait_for(
            lambda: limits.end() or "The server does not answer." in self.find("main").text,
            "the limit of a call")
        self.wait_for_text("The server does not answer.", "main")


if __name__ == "__main__":
    unittest.main()
