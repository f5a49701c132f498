"""Every page: accessible in light and dark, on a desktop and on a phone; and by keyboard alone."""

import unittest

from selenium.webdriver.common.keys import Keys

from browser import DESKTOP, PHONE
from console_case import gate
from faults import Faults
from task_case import TEMPLATE, TaskCase

PAGES = ("settings", "conditions", "review", "change-requests", "merge", "user", "live", "usage",
         "history", "audit", "projects", "tokens", "transfer", "webhooks")


# The texts of the shown buttons in the accent colour, outside of dialogs.
PRIMARY = """
    const probe = document.createElement('button');
    probe.className = 'primary';
    document.querySelector('#root').append(probe);
    const {backgroundColor} = getComputedStyle(probe);
    probe.remove();
    return [...document.querySelectorAll('#root :is(button, a.button):not(:disabled)')]
        .filter((button) => button.checkVisibility({visibilityProperty: true})
            && getComputedStyle(button).backgroundColor === backgroundColor)
        .map((button) => button.textContent);"""


class PageTests(TaskCase):
    size = DESKTOP
    is_long = True

    def open_by(self, button):
        """Opens a dialog by a button; returns the name of the control that has the focus after it."""
        self.press(button)
        self.find("dialog[open]")
        return button

    def test_is_accessible_and_fits(self):
        for page in PAGES:
            with self.subTest(page=page):
                self.go(page)
                self.wait_for(lambda: "Loading" not in self.find("main").text, "the page")
                if page != PAGES[0]:
                    self.assertEqual(self.driver.switch_to.active_element, self.find("main h1"))
                self.check_page(f"page-{page}")

    def test_has_one_primary_button_where_the_next_step_is(self):
        review = "Review and publish"
        for is_draft in (False, True):
            if is_draft:
                self.edit_interval("45")
            for page, button, button_with_draft in (
                    ("settings", None, review), ("conditions", "Add condition", review),
                    ("review", None, "Publish"), ("user", "Preview", "Preview"),
                    ("history", None, review), ("tokens", "Create token", "Create token"),
                    ("transfer", "Read the file", "Read the file"),
                    ("webhooks", "Add webhook", "Add webhook")):
                with self.subTest(page=page, is_draft=is_draft):
                    self.go(page)
                    wanted = button_with_draft if is_draft else button
                    self.wait_for(lambda: self.driver.execute_script(PRIMARY)
                                  == [wanted] * (wanted is not None), f"{wanted} alone")
        # A draft of an older version is merged before it is published.
        self.publish(TEMPLATE, "Theirs")
        self.wait_for_text("was published meanwhile", ".draft-bar")
        self.go("review")
        self.wait_for(lambda: self.driver.execute_script(PRIMARY) == ["Merge"], "Merge alone")

    def test_is_accessible_and_fits_with_a_draft_and_dialogs(self):
        self.edit_interval("45")
        for page in ("settings", "conditions", "review", "merge", "user"):
            with self.subTest(page=page):
                self.go(page)
                self.wait_for_text("Draft", ".draft-bar")
                self.check_page(f"draft-{page}")
        for page, button in (
                ("settings", "Edit SampleViewConfiguration.ViewBackgroundColor"),
                ("settings", "Add section"), ("settings", "Delete the section AppFeatures"),
                ("conditions", "Edit Some feature, half of the users"), ("tokens", "Create token"),
                ("webhooks", "Add webhook")):
            with self.subTest(page=page, button=button):
                self.go(page)
                opener = self.open_by(button)
                self.check_page(f"dialog-{button.split()[0].lower()}-{page}")
                self.driver.switch_to.active_element.send_keys(Keys.ESCAPE)
                self.wait_for_dialog_to_close()
                self.assertEqual(self.driver.switch_to.active_element.accessible_name, opener)

    @gate
    def test_says_that_there_is_no_such_page(self):
        self.go("settings")
        self.driver.execute_script("location.hash = `#/${arguments[0]}/nothing`", self.project)
        self.wait_for_text("This page does not exist", "main h1")


class PhoneTests(PageTests):
    size = PHONE

    # Buttons that are in a menu here.
    in_menus = {
        "Delete the section AppFeatures": ("More for the section AppFeatures", "Delete section …"),
        "Edit Some feature, half of the users": ("More for Some feature, half of the users", "Edit"),
        "Edit New versions": ("More for New versions", "Edit"),
        "Move User 1 …": ("More for User 1", "Move …"),
    }

    def open_by(self, button):
        opener, *items = self.in_menus.get(button, (button,))
        for name in (opener, *items):
            self.press(name)
        self.find("dialog[open]")
        return opener

    def test_has_targets_for_fingers(self):
        self.edit_interval("45")
        self.check_targets("the settings")
        for page in PAGES:
            with self.subTest(page=page):
                self.go(page)
                self.wait_for(lambda: "Loading" not in self.find("main").text, "the page")
                self.check_targets(page)
        for page, button in (("settings", "Edit AppFeatures.SomeFeature"),
                             ("conditions", "Edit New versions"), ("conditions", "Move User 1 …")):
            with self.subTest(page=page, button=button):
                self.go(page)
                self.open_by(button)
                self.check_targets(button)
                self.driver.switch_to.active_element.send_keys(Keys.ESCAPE)
                self.wait_for_dialog_to_close()

    @gate
    def test_opens_the_navigation_by_a_button(self):
        self.go("settings")
        self.assertFalse(self.find_all("nav a")[0].is_displayed())
        self.press("Menu")
        self.assertEqual(self.button("Menu").get_attribute("aria-expanded"), "true")
        self.check_page("menu")
        self.press("History")
        self.wait_for_text("History", "main h1")
        self.assertFalse(self.find_all("nav a")[0].is_displayed())


class KeyboardTests(TaskCase):
    def tab_to(self, name):
        """Presses Tab until the focus is on the control with a name."""
        for _ in range(80):
            if self.driver.switch_to.active_element.accessible_name == name:
                return
            self.driver.switch_to.active_element.send_keys(Keys.TAB)
        self.fail(f"Tab never comes to {name!r}")

    def type(self, *keys):
        """Presses keys where the focus is."""
        self.driver.switch_to.active_element.send_keys(*keys)

    @gate
    def test_edits_and_publishes_by_keyboard_alone(self):
        self.go("settings")
        self.driver.refresh()
        self.find("main h1")
        self.find("body").send_keys(Keys.TAB)
        self.assertEqual(self.driver.switch_to.active_element.text, "Skip to the content")
        self.type(Keys.ENTER)
        self.tab_to("Edit AppFeatures.RefreshInterval")
        self.type(Keys.ENTER)
        self.find("dialog[open]")
        self.tab_to("Default value")
        self.type(Keys.CONTROL + "a")
        self.type("45")
        self.wait_for_text("The server accepts this", "dialog")
        self.tab_to("Keep in the draft")
        self.type(Keys.ENTER)
        self.wait_for_dialog_to_close()
        self.assertEqual(
            self.driver.switch_to.active_element.accessible_name,
            "Edit AppFeatures.RefreshInterval")
        self.tab_to("Review and publish")
        self.type(Keys.ENTER)
        self.wait_for_text("What changes", "main")
        self.tab_to("Description of this version")
        self.type("By keyboard", Keys.ENTER)
        self.assertEqual(self.driver.switch_to.active_element.text, "Publish")
        self.type(Keys.ENTER)
        self.wait_for_text("Published as version 2.", "main")
        self.assertEqual(self.template()["version"]["description"], "By keyboard")


class LostConnectionTests(TaskCase):
    def test_reads_a_page_again_when_the_server_answers(self):
        for page in ("projects", "history", "audit", "tokens", "webhooks"):
            with self.subTest(page=page):
                self.go("settings")
                faults = Faults(self.driver)
                faults.fail("GET", "")
                self.go(page)
                self.wait_for_text("The server does not answer", "main")
                faults.end()
                self.wait_for(lambda: "does not answer" not in self.find("main").text, page)

    def test_reads_a_page_again_on_request(self):
        self.go("settings")
        faults = Faults(self.driver)
        faults.refuse("GET", "/webhooks$", 503)
        self.go("webhooks")
        self.wait_for_text("The server says no.", "main")
        self.press("Webhooks")
        self.wait_for(lambda: faults.sent("GET", "/webhooks") == 2, "the second request")
        self.wait_for_text("The server says no.", "main")
        faults.end()
        self.press("Try again")
        self.wait_for_text("There are no webhooks", "main")


if __name__ == "__main__":
    unittest.main()
