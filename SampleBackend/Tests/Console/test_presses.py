"""Presses: nothing moves until the release, nor until the second click of a double click."""

import unittest

from selenium.webdriver.common.action_chains import ActionChains

from browser import PHONE
from console_case import gate
from task_case import TaskCase

# The place of an element, after the page has been drawn.
PLACE = """
    const [element, done] = arguments;
    requestAnimationFrame(() => setTimeout(() => {
        const {left, top} = element.getBoundingClientRect();
        done([element.isConnected, Math.round(left), Math.round(top)]);
    }));"""

# Replaces a button, once, between the moment when a test has aimed at it and its click.
REPLACE = """
    let [button] = arguments;
    let isMissed;
    window.clicks = 0;
    Object.defineProperty(window, 'isMissed', {
        get: () => isMissed,
        set(value) {
            isMissed = value;
            if (!value || !button) return;
            const copy = button.cloneNode(true);
            copy.addEventListener('click', () => window.clicks += 1);
            button.replaceWith(copy);
            button = null;
        },
    });"""


class ReplacedButtonTests(TaskCase):
    """What the other tests press with: each press is one click."""

    @gate
    def test_is_pressed_once(self):
        self.go("settings")
        name = "Search and commands (Ctrl+K)"
        self.driver.execute_script(REPLACE, self.button(name))
        self.press(name)
        self.assertEqual(self.driver.execute_script("return clicks"), 1)


class PressTests(TaskCase):
    def place(self, button):
        """The place of a button in the window, and whether it is in the page."""
        return self.driver.execute_async_script(PLACE, button)

    def press_down(self, text):
        """Presses the pointer's button on a control; returns the control."""
        button = self.button(text)
        ActionChains(self.driver).move_to_element(button).perform()
        self.before = self.place(button)
        ActionChains(self.driver).click_and_hold().perform()
        return button

    def release(self, button):
        """Releases the pointer's button over a control, which must not have moved."""
        self.assertEqual(self.place(button), self.before)
        ActionChains(self.driver).release().perform()

    def click_slowly(self, text):
        """Clicks on a control like a person: with a moment between press and release."""
        self.release(self.press_down(text))

    @gate
    def test_keep_what_is_in_the_field_that_they_leave(self):
        self.type_country()
        self.click_slowly("Keep in the draft")
        self.wait_for_dialog_to_close()
        self.wait_for_text("device.country in ['JP']", "main")

    @gate
    def test_keep_a_setting_that_is_still_checked(self):
        self.check_interval("45")
        self.press("Keep in the draft")
        self.wait_for_text("It is kept as soon as it is checked", "dialog")
        self.release_answers()
        self.wait_for_dialog_to_close()
        self.wait_for(lambda: self.interval() == "45", "the draft")

    def test_keep_no_setting_that_the_check_refuses(self):
        self.check_interval("x")
        self.press("Keep in the draft")
        self.release_answers()
        self.wait_for_text("is not a number", "dialog")
        self.assertFalse(self.button("Keep in the draft").is_enabled())
        self.assertEqual(self.field("Default value"), self.driver.switch_to.active_element)

    def test_keep_no_setting_that_was_edited_after_the_click(self):
        self.open_interval()
        self.hold_answers("validateOnly")
        self.write("Default value", "45")
        self.press("Keep in the draft")
        self.wait_for_text("It is kept as soon as it is checked", "dialog")
        self.field("Default value").send_keys("6")
        # The check of the first value may have been sent before.
        self.wait_for(lambda: self.release_answers()
                      or "The server accepts this" in self.find("dialog").text, "the last check")
        self.assertEqual(self.field("Default value").get_attribute("value"), "456")

    def test_keep_a_condition_that_is_still_checked(self):
        self.go("conditions")
        self.press("Edit User 2")
        self.hold_answers("validateOnly")
        self.write("Name", "Second")
        self.press("Keep in the draft")
        self.wait_for_text("It is kept as soon as it is checked", "dialog")
        self.wait_for_held_answer()
        self.release_answers()
        self.wait_for_dialog_to_close()
        self.wait_for_text("Second", "main")

    def test_let_no_answer_move_the_button(self):
        self.check_interval("x")
        button = self.press_down("Cancel")
        self.release_answers()
        self.release(button)
        self.wait_for_text("Discard your input?", "dialog")

    def test_let_no_field_move_the_buttons_of_a_page(self):
        self.edit_interval("45")
        self.press("Review and publish")
        self.write("Description of this version", "Slower")
        self.click_slowly("Publish")
        self.wait_for_text("Published as version 2", "main")
        self.assertEqual(self.template()["version"]["description"], "Slower")

    def test_are_repeated_when_the_page_has_moved_before_them(self):
        self.go("user", id="9")
        button = self.button("Pin a value")
        # As the sticky header, over the button until the harness aims at it again.
        self.driver.execute_script("""
            const cover = document.createElement('div');
            cover.style = 'position: fixed; inset: 0; z-index: 9';
            document.body.append(cover);
            let aims = 0;
            arguments[0].scrollIntoView = () => {
                aims += 1;
                if (aims === 2) cover.remove();
            };""", button)
        self.press("Pin a value")
        self.field("Setting")

    def test_let_a_choice_be_taken_over_on_release(self):
        self.go("user", id="9")
        self.press("Pin a value")
        self.field("Setting").send_keys("RefreshInterval")
        self.click_slowly("Pin it for this user")
        self.wait_for_text("Value", "dialog")
        self.write("Value", "7")
        self.click_slowly("Pin it for this user")
        self.wait_for_dialog_to_close()
        self.assertEqual(
            self.call("GET", "users/9/overrides")[1], {"AppFeatures": {"RefreshInterval": 7}})


# What is under the pointer at each click, and where it is.
CLICKS = """
    window.clicked = [];
    window.counter ??= document.addEventListener('click', ({target, detail}) => {
        // A label's click is followed by one of its control.
        if (detail === 0) return;
        clicked.push(target.closest('[data-path]')?.dataset.path ?? target.closest(
            '[data-focus]')?.dataset.focus ?? target.outerHTML);
    }, {capture: true}) ?? true;"""

SWITCH = "[data-path$=ButtonEnabled] [role=switch]"

# The place of an element that stays when the page is drawn again.
TOP = "return Math.round(document.querySelector(arguments[0]).getBoundingClientRect().top)"


class DoubleClickTests(TaskCase):
    """The second click of a double click hits the same control, although the first has drawn."""

    def double_click(self, control):
        """Double-clicks a control; returns what the clicks hit."""
        self.driver.execute_script(CLICKS)
        ActionChains(self.driver).double_click(control).perform()
        return self.driver.execute_script("return clicked")

    def test_a_switch_of_the_first_change_stays(self):
        template = self.template()
        # With conditional values, the switch asks whom it is for.
        del template["parameterGroups"]["SampleViewConfiguration"]["parameters"][
            "ButtonEnabled"]["conditionalValues"]
        self.publish(template, "For everybody")
        self.go("settings")
        top = self.driver.execute_script(TOP, "main h1")
        first, second = self.double_click(self.find(SWITCH))
        self.assertEqual(first, second)
        self.find(SWITCH).click()
        self.wait_for_text("1 change", ".draft-bar")
        self.assertEqual(self.driver.execute_script(TOP, "main h1"), top)

    def test_undo_and_redo_stay(self):
        self.edit_interval("45")
        self.wait_for_text("1 change", ".draft-bar")
        for name in ("undo-step", "redo-step"):
            with self.subTest(name):
                control = self.find(f"[data-focus={name}]")
                self.assertEqual(self.double_click(control), [name] * 2)
                self.assertIn("/settings", self.driver.current_url)


class DoubleTapTests(DoubleClickTests):
    size = PHONE


class TouchTests(TaskCase):
    size = PHONE

    def touch(self, kind, *points):
        """Dispatches a touch event: `touchStart` with its point, `touchEnd` without one."""
        self.driver.execute_cdp_cmd("Input.dispatchTouchEvent", {
            "type": kind, "touchPoints": [{"x": x, "y": y} for x, y in points]})

    def touch_down(self, text):
        """Puts a finger on a control; returns the control."""
        button = self.button(text)
        self.driver.execute_script("""
            const [element] = arguments;
            element.scrollIntoView({block: 'center'});
            window.pointers = [];
            for (const name of ['pointerdown', 'pointerup', 'mousedown', 'click']) {
                element.addEventListener(name, ({pointerType}) => (
                    pointers.push([name, pointerType ?? ''].join(' ').trim())));
            }""", button)
        self.before = self.driver.execute_async_script(PLACE, button)
        self.touch("touchStart", self.driver.execute_script("""
            const {left, top, width, height} = arguments[0].getBoundingClientRect();
            return [left + width / 2, top + height / 2];""", button))
        return button

    def lift(self, button):
        """Lifts the finger off a control, which must not have moved, and got the click."""
        self.assertEqual(self.driver.execute_async_script(PLACE, button), self.before)
        self.touch("touchEnd")
        self.wait_for(lambda: "click touch" in self.driver.execute_script("return pointers"),
                      "the click")
        self.assertEqual(self.driver.execute_script("return pointers"), [
            "pointerdown touch", "pointerup touch", "mousedown", "click touch"])

    def test_keep_what_is_in_the_field_that_they_leave(self):
        self.type_country()
        self.lift(self.touch_down("Keep in the draft"))
        self.wait_for_dialog_to_close()
        self.wait_for(lambda: "device.country in ['JP']" in str(self.call("GET", "draft")[1]),
                      "the condition")

    def test_let_no_answer_move_the_button(self):
        self.check_interval("x")
        button = self.touch_down("Cancel")
        self.release_answers()
        self.assertNotIn("is not a number", self.find("dialog").text)
        self.lift(button)
        self.wait_for_text("Discard your input?", "dialog")
        self.press("Keep editing")
        self.wait_for_text("is not a number", "dialog")

    def test_end_when_the_finger_scrolls(self):
        self.check_interval("x")
        button = self.touch_down("Cancel")
        self.release_answers()
        self.touch("touchCancel")
        self.wait_for_text("is not a number", "dialog")
        self.assertNotIn("click touch", self.driver.execute_script("return pointers"))
        self.assertTrue(button.is_displayed())


if __name__ == "__main__":
    unittest.main()
