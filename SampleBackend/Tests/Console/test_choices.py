"""Searchable lists: conditions, connected users, known values."""

import unittest
from urllib.request import urlopen

from selenium.webdriver.common.keys import Keys

from browser import PHONE
from console_case import PATIENCE, URL
from task_case import TaskCase


def many_conditions():
    """A template with 300 conditions and a setting."""
    return {
        "conditions": [{"name": f"Group {n} of {'testers' if n % 2 else 'customers'}",
                        "expression": f"user.id == '{n}'"} for n in range(300)],
        "parameters": {"limit": {"defaultValue": {"value": "1"}}}}


class ComboboxTests(TaskCase):
    label = "Condition of another value"

    def setUp(self):
        super().setUp()
        self.publish(many_conditions(), "Many conditions")
        self.go("settings")

    def options(self):
        """The texts of the options that are shown."""
        return [e.text for e in self.find_all("[role=option]") if e.is_displayed()]

    def active_option(self):
        """The text of the option that Enter would choose."""
        option = self.field(self.label).get_attribute("aria-activedescendant")
        return self.driver.find_element("id", option).text if option else None

    def test_finds_a_condition_by_words(self):
        self.press("Edit Default.limit")
        field = self.field(self.label)
        self.assertEqual(self.options(), [])
        field.send_keys("testers 29")
        self.wait_for(lambda: self.options() == [
            "Group 29 of testers", "Group 129 of testers", "Group 229 of testers",
            *[f"Group {n} of testers" for n in (291, 293, 295, 297, 299)]], "the conditions")
        self.assertEqual(field.get_attribute("aria-expanded"), "true")
        self.check_page("combobox")
        field.send_keys(Keys.ARROW_DOWN)
        self.assertEqual(self.active_option(), "Group 129 of testers")
        field.send_keys(Keys.ARROW_UP, Keys.ARROW_UP)
        self.assertEqual(self.active_option(), "Group 299 of testers")
        field.send_keys(Keys.ENTER)
        self.assertEqual(field.get_attribute("value"), "")
        self.assertEqual(field.get_attribute("aria-expanded"), "false")
        self.write("Value for Group 299 of testers", "2")
        self.keep()
        self.go("review")
        self.press("Publish")
        self.wait_for_text("Published as version 3", "main")
        self.assertEqual(
            self.template()["parameters"]["limit"]["conditionalValues"],
            {"Group 299 of testers": {"value": "2"}})

    def test_closes_its_list_before_the_dialog(self):
        self.press("Edit Default.limit")
        field = self.field(self.label)
        field.send_keys("nobody")
        self.wait_for_text("No match", "dialog")
        field.send_keys(Keys.ESCAPE)
        self.wait_for(lambda: field.get_attribute("aria-expanded") == "false", "the end")
        self.assertEqual(field.get_attribute("value"), "")
        self.assertEqual(len(self.find_all("dialog[open]")), 1)
        field.send_keys("customers 4", Keys.TAB)
        self.assertEqual(field.get_attribute("value"), "customers 4")
        self.assertEqual(field.get_attribute("aria-invalid"), "true", "several have these words")
        self.write(self.label, "group 4 of customers")
        field.send_keys(Keys.TAB)
        self.field("Value for Group 4 of customers")
        self.write(self.label, "testers 299")
        field.send_keys(Keys.TAB)
        self.field("Value for Group 299 of testers")

    def test_shows_no_more_than_can_be_read(self):
        self.press("Edit Default.limit")
        self.field(self.label).click()
        self.wait_for_text("250 more: type a part of the name.", "dialog")
        self.assertEqual(len(self.options()), 50)

    def test_filters_the_settings(self):
        self.choose("Condition", "Group 7 of testers")
        self.wait_for_text("0 settings found", "main")
        self.wait_for(lambda: "condition=Group+7+of+testers" in self.driver.current_url, "the link")
        self.driver.refresh()
        self.wait_for_text("0 settings found", "main")
        self.assertEqual(self.field("Condition").get_attribute("value"), "Group 7 of testers")
        self.write("Condition", "")
        self.field("Condition").send_keys(Keys.TAB)
        self.wait_for_text("1 setting in 1 section", "main")

    def test_finds_conditions_of_a_user(self):
        self.go("user", id="29")
        self.write("Find a condition", "true")
        self.wait_for_text("1 condition of 300", "main")
        self.write("Find a condition", "group 290")
        self.wait_for_text("1 condition of 300", "main")
        self.check_page("user-conditions")


class ComboboxOnAPhoneTests(ComboboxTests):
    size = PHONE


class KnownValueTests(TaskCase):
    def download(self, user, query):
        """Downloads the configuration as a user's app does."""
        path = f"/projects/{self.project}/activeconfig/user/{user}?{query}"
        with urlopen(f"{URL}{path}", timeout=PATIENCE) as answer:
            self.assertEqual(answer.status, 200)

    def suggestions(self, label):
        """The values that a field suggests."""
        name = self.field(label).get_dom_attribute("list")
        return self.driver.execute_script(
            "return [...document.getElementById(arguments[0]).options].map((o) => o.value)", name)

    def test_suggests_what_clients_send(self):
        for user in range(5):
            self.download(user, "app.version=4.2&signal.plan=gold&signal.mail=rare")
        for user in range(4):
            self.download(user, "app.version=9.9")
        self.go("conditions")
        self.press("Add condition")
        self.press("Add rule")
        self.choose("Field", "Custom signal")
        self.wait_for(lambda: "plan" in self.suggestions("Name of the signal"), "the signal")
        self.write("Name of the signal", "plan")
        self.field("Name of the signal").send_keys(Keys.TAB)
        self.wait_for(lambda: "gold" in self.suggestions("Another value"), "the value")
        self.choose("Field", "App version")
        self.wait_for(lambda: "4.2" in self.suggestions("Value"), "the version")
        self.assertNotIn("9.9", self.suggestions("Value"), "fewer than five users have sent it")

    def test_suggests_it_for_a_user_too(self):
        for user in range(5):
            self.download(user, "signal.plan=platinum")
        self.go("user")
        self.press("plan = platinum")
        self.assertEqual(self.field("Name of the signal").get_attribute("value"), "plan")
        self.assertEqual(self.field("Value of the signal").get_attribute("value"), "platinum")


class ConnectedUserTests(TaskCase):
    def listen(self, user):
        """Listens as a user's app does."""
        stream = urlopen(
            f"{URL}/projects/{self.project}/activeconfig/user/{user}/events", timeout=PATIENCE)
        self.addCleanup(stream.close)

    def users(self):
        """The users of the list."""
        return [e.text for e in self.find_all(".live-users li")]

    def test_finds_a_connected_user(self):
        for user in ("anna", "Bob", "hannah", "zoe%20x"):
            self.listen(user)
        self.go("live")
        self.wait_for(lambda: self.users() == ["anna", "Bob", "hannah", "zoe x"], "the users")
        self.write("Find a user", "ANNA")
        self.wait_for(lambda: self.users() == ["anna", "hannah"], "two users")
        self.wait_for_text("2 users found", "main")
        self.check_page("live-users")
        self.write("Find a user", "zoe x")
        self.press("zoe x")
        self.wait_for_text("User zoe x", "main h2")


if __name__ == "__main__":
    unittest.main()
