"""The editor of JSON values."""

import json
import unittest

from selenium.webdriver.common.keys import Keys

from browser import PHONE
from console_case import gate
from task_case import TaskCase

SETTING = "SampleViewConfiguration.ViewBackgroundColor"

# The lines of the copy with their heights, and the height of the textarea's text.
HEIGHTS = """
    const area = document.querySelector('dialog .json-editor textarea');
    const lines = document.querySelector('dialog .json-lines');
    const {height} = lines.getBoundingClientRect();
    area.style.height = 0;
    const needed = area.scrollHeight;
    area.style.height = '';
    return [height, needed, area.closest('.json-editor').clientHeight,
        lines.textContent === area.value.replaceAll('\\n', '')];"""


class JSONEditorTests(TaskCase):
    def open_editor(self):
        """Opens a setting with a JSON value; returns the editor's field."""
        self.go("settings")
        self.press(f"Edit {SETTING}")
        return self.find("dialog .json-editor textarea")

    def text(self):
        """The editor's text."""
        return self.find("dialog .json-editor textarea").get_property("value")

    def set_text(self, text):
        """Sets the text at once."""
        self.driver.execute_script("""
            arguments[0].value = arguments[1];
            arguments[0].dispatchEvent(new Event('input', {bubbles: true}));""",
                                   self.find("dialog .json-editor textarea"), text)

    def lines(self):
        """The texts of the copy's lines."""
        return [e.text for e in self.find("dialog .json-editor").find_elements(
            "css selector", ".json-line")]

    @gate
    def test_marks_the_line_and_the_place_of_an_error(self):
        field = self.open_editor()
        self.assertEqual(field.accessible_name, "Default value")
        field.click()
        field.send_keys(Keys.CONTROL + "a")
        field.send_keys('{"one": 1,', Keys.ENTER, '"two": 2 "three": 3}')
        self.wait_for_text("JSON", "dialog .problems")
        marked = self.wait_for(lambda: self.find_all("dialog .error-line"), "the error's line")
        self.assertEqual(self.lines(), ['{"one": 1,', '"two": 2 "three": 3}'])
        self.assertIn("three", marked[0].text)
        self.assertEqual(self.find("dialog .error-text").text, '"')
        self.assertEqual(field.get_attribute("aria-invalid"), "true")
        described = self.driver.execute_script(
            "return arguments[0].getAttribute('aria-describedby').split(' ')"
            ".map((id) => document.getElementById(id).textContent).join(' ')", field)
        self.assertIn("line 2", described)
        self.assertFalse(self.button("Keep in the draft").is_enabled())
        self.check_page("json-error")
        self.press("Go to the error")
        self.assertEqual(self.driver.switch_to.active_element, field)
        field.send_keys(",")
        self.wait_for_text("The server accepts this", "dialog")
        self.assertEqual(self.find_all("dialog .error-line, dialog .error-text"), [])
        self.keep()
        self.go("review")
        self.press("Publish")
        self.wait_for_text("Published as version 2", "main")
        color = self.parameter("SampleViewConfiguration", "ViewBackgroundColor")
        self.assertEqual(
            json.loads(color["defaultValue"]["value"]), {"one": 1, "two": 2, "three": 3})

    def test_is_left_by_tab_and_indents_by_keys_of_any_layout(self):
        field = self.open_editor()
        field.click()
        before = self.text()
        field.send_keys(Keys.TAB)
        self.assertEqual(self.driver.switch_to.active_element.accessible_name, "Format")
        self.assertEqual(self.text(), before)
        self.driver.switch_to.active_element.send_keys(Keys.SHIFT + Keys.TAB)
        field.send_keys(Keys.CONTROL + Keys.HOME, Keys.NULL, Keys.CONTROL + "]")
        self.assertEqual(self.text(), "  " + before)
        field.send_keys(Keys.CONTROL + "[")
        self.assertEqual(self.text(), before)
        field.send_keys(Keys.CONTROL + ".")
        self.assertEqual(self.text(), "  " + before)
        field.send_keys(Keys.CONTROL + ",")
        self.assertEqual(self.text(), before)

    def test_indents_while_typing_and_undoes_each_step(self):
        field = self.open_editor()
        field.click()
        field.send_keys(Keys.CONTROL + "a", Keys.DELETE)
        field.send_keys('{"a": [', Keys.ENTER, "1,", Keys.ENTER, "2", Keys.ENTER, "]")
        self.assertEqual(self.text(), '{"a": [\n  1,\n  2\n]')
        self.wait_for(
            lambda: [e.text for e in self.find_all("dialog .pair-text")] == ["[", "]"],
            "the pair of brackets")
        field.send_keys("}")
        self.press("Format")
        self.assertEqual(self.text(), '{\n  "a": [\n    1,\n    2\n  ]\n}')
        self.assertEqual(self.find_all("dialog .json-line")[1].find_element(
            "css selector", ".json-name").text, '"a"')
        self.wait_for_text("The server accepts this", "dialog")
        field.send_keys(Keys.CONTROL + "z")
        self.assertEqual(self.text(), '{"a": [\n  1,\n  2\n]}')
        field.send_keys(Keys.CONTROL + "zz")
        self.assertEqual(self.text(), '{"a": [\n  1,\n  2\n  ')
        field.send_keys(Keys.CONTROL + Keys.SHIFT + "z")
        self.assertIn("]", self.text())

    def test_undoes_the_format_of_a_long_text(self):
        field = self.open_editor()
        short = "[" + ",".join(f'{{"name":"value {n}"}}' for n in range(1_500)) + "]"
        long = json.dumps(json.loads(short), indent=2)
        self.assertGreater(len(long), 30_000)
        self.set_text(short)
        self.press("Format")
        self.assertEqual(self.text(), long)
        field.send_keys(Keys.CONTROL + "z")
        self.assertEqual(self.text(), short)
        field.send_keys(Keys.CONTROL + Keys.SHIFT + "z")
        self.assertEqual(self.text(), long)
        # What is typed since is undone first.
        field.send_keys(Keys.END, "x")
        self.assertEqual(len(self.text()), len(long) + 1)
        field.send_keys(Keys.CONTROL + "z")
        self.assertEqual(self.text(), long)
        field.send_keys(Keys.CONTROL + "z")
        self.assertEqual(self.text(), short)
        self.wait_for_text("The server accepts this", "dialog")

    def test_is_as_high_as_its_text_up_to_a_limit(self):
        self.open_editor()
        heights = []
        for text in ("1", '{"text": "' + "long words " * 80 + '", "word": "' + "x" * 300 + '"}',
                     "[" + "\n1,\n\n" * 8 + "2]", "[" + "\n1," * 300 + "\n2]"):
            self.set_text(text)
            height, needed, shown, is_same = self.driver.execute_script(HEIGHTS)
            # The copy and the textarea wrap at the same places.
            self.assertTrue(is_same, text)
            if needed > shown / 2:
                self.assertAlmostEqual(height, needed, delta=3, msg=text)
            heights.append(shown)
        self.assertEqual(heights, sorted(heights))
        self.assertLess(heights[0], 150)
        self.assertLess(heights[3], self.driver.execute_script("return innerHeight"))
        self.check_page("json-editor")

    def test_edits_a_megabyte_without_colors(self):
        field = self.open_editor()
        text = "[" + ",\n".join(f'{{"name": "value {n}"}}' for n in range(45_000)) + "]"
        self.assertGreater(len(text), 1_000_000)
        self.set_text(text)
        self.assertEqual(self.lines(), [])
        field.send_keys(Keys.CONTROL + Keys.HOME)
        # The browser alone needs some time for each edit.
        ratio, duration = self.driver.execute_async_script("""
            const [done] = arguments;
            const area = document.querySelector('dialog .json-editor textarea');
            const bare = area.cloneNode();
            bare.value = area.value;
            const edit = (place) => new Promise((resolve) => {
                place.focus();
                place.setSelectionRange(1, 1);
                const start = performance.now();
                document.execCommand('insertText', false, ' ');
                requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - start)));
            });
            (async () => {
                const ours = await edit(area);
                area.closest('dialog').append(bare);
                const alone = await edit(bare);
                bare.remove();
                done([ours / alone, ours]);
            })();""")
        self.assertTrue(ratio < 4 or duration < 500, (ratio, duration))
        self.assertEqual(len(self.text()), len(text) + 1)
        self.set_text("[]")
        self.assertEqual(self.lines(), ["[]"])

    def test_follows_the_type(self):
        self.open_editor()
        self.choose("Type", "Text")
        self.wait_for(lambda: not self.find_all("dialog .json-editor"), "a text field")
        self.write("Default value", "[1.10]")
        self.choose("Type", "JSON")
        self.wait_for(lambda: self.find_all("dialog .json-editor"), "the editor")
        self.assertEqual(self.text(), "[1.10]")


class PhoneTests(JSONEditorTests):
    size = PHONE


if __name__ == "__main__":
    unittest.main()
