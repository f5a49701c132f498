"""Numbers, names and their order, which the console preserves exactly."""

import json
import unittest
from urllib.request import Request, urlopen

from selenium.webdriver.common.keys import Keys

from console_case import PATIENCE, TOKEN, URL, gate
from task_case import TEMPLATE, TaskCase

# JavaScript parses each as another number, or writes it differently.
NUMBERS = ("9007199254740993", "1.10", "-0", "1e3", "1E+2", "0.10000000000000000000000000001",
           "123456789012345678901234567890", "1e-400")


def exact(text):
    """JSON as pairs in their order, with every number as its text."""
    return json.loads(text, parse_int=str, parse_float=str, object_pairs_hook=list)


class NumberTests(TaskCase):
    def send(self, method, resource, text=None, **fields):
        """Requests a resource of the project; the bodies in both directions are texts."""
        request = Request(
            f"{URL}/v1/projects/{self.project}/{resource}", method=method,
            data=None if text is None else text.encode(),
            headers={"Authorization": f"Bearer {TOKEN}"}
            | {name.replace("_", "-"): value for name, value in fields.items()})
        with urlopen(request, timeout=PATIENCE) as answer:
            return answer.read().decode()

    def publish_text(self, text):
        """Publishes a template verbatim; returns the stored one, without its version."""
        self.send("PUT", "remoteConfig", text, If_Match="*")
        return self.content()

    def content(self):
        """The current template, without its version."""
        return [pair for pair in exact(self.send("GET", "remoteConfig")) if pair[0] != "version"]

    def with_numbers(self):
        """The text of a template with numbers and names that JavaScript would change."""
        text = json.dumps(TEMPLATE)
        self.assertEqual(text[0], "{")
        lists = ", ".join(NUMBERS)
        return ('{"unknown": {"b": 1.0, "10": [' + lists + '], "9": {"__proto__": 2.50}}, '
                '"parameters": {"other": {"valueType": "JSON", "defaultValue": {"value": '
                + json.dumps('{"b": [' + lists + ']}') + '}, "weight": 0.50}}, ' + text[1:])

    def publish_draft(self):
        """Publishes the draft after a reload."""
        self.driver.refresh()
        self.wait_for_text("Draft", ".draft-bar")
        self.go("review")
        self.press("Publish")
        self.wait_for_text("Published as version", "main")

    def edit_other(self, text):
        """Opens the setting Default.other, and writes a value of it."""
        self.go("settings")
        self.press("Edit Default.other")
        self.set_value(text)

    def set_value(self, text):
        """Writes a value at once; keys would change some characters."""
        self.driver.execute_script("""
            arguments[0].value = arguments[1];
            arguments[0].dispatchEvent(new Event('input', {bubbles: true}));""",
                                   self.find("dialog .json-editor textarea"), text)

    def value(self):
        """The text in the editor."""
        return self.find("dialog .json-editor textarea").get_property("value")

    @gate
    def test_publishes_what_it_loaded(self):
        before = self.publish_text(self.with_numbers())
        self.edit_interval("45")
        self.publish_draft()
        self.edit_interval("60.0")
        self.publish_draft()
        self.assertEqual(self.content(), before)
        self.assertIn(("10", list(NUMBERS)), dict(before)["unknown"])

    def test_keeps_the_order_of_sections_that_are_called_by_numbers(self):
        groups = ", ".join(
            f'"{name}": {{"parameters": {{"key": {{"defaultValue": {{"value": "x"}}}}}}}}'
            for name in ("Last", "2025", "10", "9"))
        self.publish_text('{"parameterGroups": {' + groups + "}}")
        self.go("settings")
        self.wait_for_text("2025", "main")
        self.assertEqual(
            [e.text for e in self.find_all(".section h2")], ["Last", "2025", "10", "9"])
        self.press("Edit the section 10")
        self.write("Name", "11")
        self.keep()
        self.press("Edit Last.key")
        self.write("Default value", "y")
        self.keep()
        self.publish_draft()
        names = [name for name, _ in dict(self.content())["parameterGroups"]]
        self.assertEqual(names, ["Last", "2025", "11", "9"])

    def test_formats_json_by_white_space_alone(self):
        self.publish_text(self.with_numbers())
        lists = ",\n    ".join((*NUMBERS, "1e400"))
        self.edit_other(
            '{"10": [' + ",".join((*NUMBERS, "1e400")) + '], "9": {}, "9": [ ],'
            r'"\u0041": "a, {\": \\"}')
        self.press("Format")
        self.assertEqual(
            self.value(),
            '{\n  "10": [\n    ' + lists + '\n  ],\n  "9": {},\n  "9": [],\n  '
            r'"\u0041": "a, {\": \\"' "\n}")
        self.set_value("[1,]")
        self.press("Format")
        self.assertEqual(self.value(), "[1,]")
        formatted = '{\n  "10": 9007199254740993,\n  "9": [\n    1.10\n  ]\n}'
        self.set_value('{"10":9007199254740993,"9":[1.10]}')
        self.press("Format")
        self.wait_for_text("The server accepts this", "dialog")
        self.keep()
        self.publish_draft()
        self.assertEqual(
            self.template()["parameters"]["other"]["defaultValue"]["value"], formatted)

    def test_shows_a_change_of_a_digit(self):
        text = self.with_numbers()
        self.publish_text(text)
        self.publish_text(
            text.replace("0.50", "0.51000000000000000000001").replace("1e-400", "1e-401"))
        self.go("history")
        self.wait_for_text("0.51000000000000000000001", ".diff")
        self.assertIn("0.50", [e.text.split("\n")[-1] for e in self.find_all(".diff .side")])
        self.wait_for_text("1e-401", ".diff")

    def test_merges_digit_for_digit(self):
        self.publish_text(self.with_numbers())
        self.edit_interval("45")
        theirs = self.publish_text(
            self.with_numbers().replace('"weight": 0.50', '"weight": 9007199254740993.0'))
        self.go("review")
        self.press("Publish")
        self.wait_for_text("You changed different things", "main")
        self.press("Take this into the draft")
        self.wait_for(lambda: "/review" in self.driver.current_url, "the review")
        self.publish_draft()
        self.assertEqual(
            dict(self.content())["unknown"], dict(theirs)["unknown"])
        other = dict(dict(dict(self.content())["parameters"])["other"])
        self.assertEqual(other["weight"], "9007199254740993.0")

    @gate
    def test_says_as_what_a_pinned_number_is_kept(self):
        self.go("user", id="7")
        for number, kept in (("12345678901234567890.0", "1.2345678901234567e+19"), ("-0", "0"),
                             ("0.1234567890123456789", "0.12345678901234568")):
            with self.subTest(number):
                self.press("Pin a value")
                self.choose("Setting", "AppFeatures.RefreshInterval")
                self.write("Value", number)
                self.press("Pin it for this user")
                self.wait_for_text(f"It is stored as {kept}, instead of {number}.", "dialog")
                self.press("Close")
                self.wait_for_dialog_to_close()
                self.wait_for_text(kept, "[aria-labelledby=pinned]")
        self.press("Pin a value")
        self.choose("Setting", "AppFeatures.RefreshInterval")
        self.write("Value", "0.5")
        self.press("Pin it for this user")
        self.wait_for_dialog_to_close()

    def test_pins_and_shows_a_number_digit_for_digit(self):
        path = "users/7/overrides"
        self.send("PUT", path, '{"AppFeatures": {"SomeFeature": 9223372036854775807}}')
        self.go("user", id="7")
        self.wait_for_text("9223372036854775807", "main section")
        for number in ("9007199254740993", "-9007199254740993", "0.1", "12345678901234567890"):
            self.press("Pin a value")
            self.write("Setting", "AppFeatures.RefreshInterval")
            self.write("Value", number)
            self.press("Pin it for this user")
            self.wait_for_dialog_to_close()
            self.wait_for_text(number, "[aria-labelledby=pinned]")
            pinned = dict(dict(exact(self.send("GET", path)))["AppFeatures"])
            self.assertEqual(pinned, {
                "SomeFeature": "9223372036854775807", "RefreshInterval": number})
        self.send("PUT", path, '{"AppFeatures": {"RefreshInterval": 12345678901234567890}}')
        self.press("Preview")
        self.wait_for(lambda: self.driver.switch_to.active_element.text == "User 7", "the result")
        self.wait_for_text("12345678901234567890", "main tbody")
        # By keyboard, since the page may still scroll to the result.
        self.find("details.document summary").send_keys(Keys.ENTER)
        self.wait_for_text("12345678901234567890", "details.document pre")


if __name__ == "__main__":
    unittest.main()
