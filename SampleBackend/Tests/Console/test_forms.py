"""Open forms: no input is lost without a confirmation."""

import copy
import unittest

from selenium.webdriver.common.keys import Keys

from console_case import TOKEN, URL, gate
from faults import Faults
from held_timers import HeldTimers
from sign_in_turns import take_sign_in_turn
from task_case import TEMPLATE, TaskCase

DESCRIPTION = "How often it asks"


class FormTests(TaskCase):
    def open_form(self, is_edited=True):
        """Opens a form, and enters something."""
        self.open_interval()
        if is_edited:
            self.write("Description", DESCRIPTION)

    def test_opens_an_unfinished_form_on_its_page_alone(self):
        self.open_form()
        self.open(f"#/{self.project}/history")
        self.wait_for_text("History", "main h1")
        self.wait_for_text("Version", "main table")
        self.assertEqual(self.find_all("dialog[open]"), [])
        self.go("settings")
        self.wait_for_text("Edit", "dialog h2")
        self.assertEqual(self.field("Description").get_attribute("value"), DESCRIPTION)

    def active(self):
        """The element with the focus."""
        return self.driver.switch_to.active_element

    def headings(self):
        """The headings of the open dialogs."""
        return [e.text for e in self.find_all("dialog[open] h2")]

    def check_form(self):
        """Fails unless only the form is open, with the entered text."""
        self.wait_for(lambda: self.headings() == ["Edit AppFeatures.RefreshInterval"], "the form")
        self.assertEqual(self.field("Description").get_attribute("value"), DESCRIPTION)

    @gate
    def test_goes_on_after_another_sign_in(self):
        self.open_form(is_edited=False)
        # The time limit of a check of the form, without the time for signing in.
        limits = HeldTimers(self.driver, 5000)
        self.driver.delete_all_cookies()
        self.write("Description", DESCRIPTION)
        self.wait_for_text("has ended", "dialog")
        self.check_page("sign-in-again")
        limits.end()
        self.active().send_keys(Keys.ESCAPE, Keys.ESCAPE)
        self.write("Token", TOKEN)
        self.press("Sign in")
        self.wait_for(lambda: len(self.headings()) == 1, "the form alone")
        self.assertEqual(self.field("Description").get_attribute("value"), DESCRIPTION)
        self.wait_for_text("The server accepts this", "dialog")
        self.keep()
        self.wait_for_text("1 change", ".draft-bar")

    def test_goes_on_after_a_sign_in_in_another_tab(self):
        self.open_form()
        form = self.driver.current_window_handle
        self.driver.delete_all_cookies()
        self.wait_for_text("has ended", "dialog")
        self.driver.switch_to.new_window("tab")
        self.addCleanup(self.driver.switch_to.window, form)
        self.open()
        self.enter_token(TOKEN)
        self.wait_for_text("Sign out")
        self.driver.close()
        self.driver.switch_to.window(form)
        self.wait_for(lambda: len(self.headings()) == 1, "the form alone")
        self.keep()
        self.wait_for_text("1 change", ".draft-bar")
        # A call with the session's proof of the other tab's session.
        self.press("Review and publish")
        self.press("Publish")
        self.wait_for_text("Published as version 2", "main")

    @gate
    def test_comes_back_after_a_reload(self):
        self.open_form()
        self.wait_for_text("The server accepts this", "dialog")
        self.assertTrue(self.asks_before_the_page_ends())
        self.driver.refresh()
        self.check_form()
        self.keep()
        self.wait_for_text("1 change", ".draft-bar")
        self.driver.refresh()
        self.wait_for_text("1 change", ".draft-bar")
        self.assertEqual(self.headings(), [])
        self.assertFalse(self.asks_before_the_page_ends())

    def test_comes_back_beside_entries_that_are_no_forms(self):
        self.open_form()
        key = f"activeconfig.forms.environment.{self.project}"
        # The form is stored a moment after the last edit.
        self.wait_for(
            lambda: DESCRIPTION in (self.driver.execute_script(
                "return sessionStorage.getItem(arguments[0])", key) or ""), "the stored form")
        self.driver.execute_script("""
            const [form] = JSON.parse(sessionStorage.getItem(arguments[0]));
            const {arguments: _, ...incomplete} = form;
            const entries = [null, 1, {}, incomplete, {...incomplete, kind: 'unknown'}, form];
            sessionStorage.setItem(arguments[0], JSON.stringify(entries));
            // Else the page stores its forms again at its end.
            window.addEventListener('pagehide', (event) => event.stopImmediatePropagation(), true);
            """, key)
        self.driver.refresh()
        self.check_form()
        faults = Faults(self.driver)
        # The page continues to poll for new versions.
        self.wait_for(lambda: faults.sent("GET", "remoteConfig"), "the question for a version")

    def publish_meanwhile(self, change):
        """Another user publishes a change of the sample while the form is kept."""
        self.wait_for_text("The server accepts this", "dialog")
        template = copy.deepcopy(TEMPLATE)
        change(template)
        self.publish(template, "Theirs")
        self.driver.refresh()

    def set_interval(self, template):
        features = template["parameterGroups"]["AppFeatures"]
        features["parameters"]["RefreshInterval"]["defaultValue"]["value"] = "10"

    def draft_interval(self):
        """The refresh interval of the draft, once it is saved."""
        self.wait_for_text("1 change", ".draft-bar")
        groups = self.call("GET", "draft")[1]["template"]["parameterGroups"]
        return groups["AppFeatures"]["parameters"]["RefreshInterval"]

    def test_keeps_what_was_published_before_it_came_back(self):
        self.open_form()
        self.publish_meanwhile(self.set_interval)
        self.check_form()
        self.assertEqual(self.field("Default value").get_attribute("value"), "10")
        self.keep()
        interval = self.draft_interval()
        self.assertEqual(interval["defaultValue"], {"value": "10"})
        self.assertEqual(interval["description"], DESCRIPTION)
        self.assertNotIn("changed the same", self.find(".draft-bar").text)

    def test_says_what_it_replaces_of_what_was_published_before_it_came_back(self):
        self.open_form(is_edited=False)
        self.write("Default value", "45")
        self.publish_meanwhile(self.set_interval)
        self.keep()
        self.wait_for_text("changed the same", ".draft-bar")
        self.wait_for_text("AppFeatures.RefreshInterval", ".draft-bar")
        self.assertEqual(self.draft_interval()["defaultValue"], {"value": "45"})

    def test_keeps_what_was_published_of_a_condition_before_it_came_back(self):
        self.go("conditions")
        self.press("Edit User 2")
        self.write("Name", "Second")
        self.publish_meanwhile(lambda template: template["conditions"][1].update(
            expression="user.id == '22'"))
        self.wait_for(lambda: self.headings() == ["Edit User 2"], "the form")
        self.keep()
        self.wait_for_text("change", ".draft-bar")
        self.wait_for(lambda: "Saving" not in self.find(".draft-bar").text, "the save")
        self.assertEqual(
            self.call("GET", "draft")[1]["template"]["conditions"][1],
            {"name": "Second", "expression": "user.id == '22'"} | {
                name: value for name, value in TEMPLATE["conditions"][1].items()
                if name not in ("name", "expression")})

    def reload_form(self, page, button, fields, **query):
        """Fills in a form, reloads the page, and fails unless the form still has the text."""
        self.go(page, **query)
        self.press(button)
        for label, text in fields.items():
            self.write(label, text)
        self.driver.refresh()
        for label, text in fields.items():
            self.assertEqual(self.field(label).get_attribute("value"), text)

    def test_keeps_the_form_of_a_token(self):
        name = f"Of {self.project}"
        self.reload_form("tokens", "Create token", {"Name": name})
        self.press("Create the token")
        secret = self.field("Token").get_attribute("value")
        self.assertNotIn(secret, self.stored())
        self.press("Done")
        self.wait_for_text(name, "main tbody")
        self.driver.refresh()
        self.wait_for_text(name, "main tbody")
        self.assertEqual(self.headings(), [])
        self.assertNotIn(secret, self.stored())

    def test_keeps_the_form_of_a_webhook_without_secrets(self):
        self.reload_form("webhooks", "Add webhook", {"Address": "https://hook.invalid/a"})
        self.write("Address", "https://me:hidden@hook.invalid/b?key=hidden#hidden")
        self.driver.refresh()
        self.assertEqual(
            self.field("Address").get_attribute("value"), "https://hook.invalid/b")
        self.wait_for_text("the query of the address were not stored", "dialog")
        self.assertNotIn("hidden", self.stored())
        self.press("Add the webhook")
        self.press("Done")
        self.wait_for_text("https://hook.invalid/b", "main tbody")

    def test_keeps_the_form_of_a_pin(self):
        self.reload_form("user", "Pin a value", {
            "Setting": "AppFeatures.RefreshInterval", "Value": "7"}, id="9")
        self.press("Pin it for this user")
        self.wait_for_dialog_to_close()
        self.assertEqual(
            self.call("GET", "users/9/overrides")[1], {"AppFeatures": {"RefreshInterval": 7}})
        self.wait_for_text("AppFeatures.RefreshInterval", "[aria-labelledby=pinned]")

    def test_keeps_a_form_that_opens_before_the_entry_of_the_last_is_gone(self):
        script = self.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": """
            const {back} = History.prototype;
            window.backs = [];
            history.back = () => window.backs.push(() => back.call(history));"""})
        try:
            self.reload_form("user", "Pin a value", {
                "Setting": "AppFeatures.RefreshInterval", "Value": "7"}, id="9")
        finally:
            self.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", script)
        is_held = self.driver.execute_async_script("""
            const [done] = arguments;
            window.addEventListener('popstate', () => done(history.state.isDialog), {once: true});
            delete history.back;
            for (const back of window.backs) back();""")
        self.assertTrue(is_held)
        self.assertEqual(self.headings(), ["Pin a value for user 9"])
        self.driver.back()
        self.press("Discard")
        self.wait_for_dialog_to_close()
        self.wait_for_text("Pin a value", "main")

    def stored(self):
        """The entries that the tab and the browser have stored."""
        return self.driver.execute_script(
            "return JSON.stringify([{...sessionStorage}, {...localStorage}])")

    def test_comes_back_with_the_form_over_it(self):
        self.open_form()
        self.press("New condition …")
        self.write("Name", "Germany")
        self.write("Expression", "device.country in ['DE']")
        self.wait_for_text("The server accepts this", "dialog[open]:last-of-type")
        self.driver.refresh()
        self.wait_for(lambda: self.headings()
                      == ["Edit AppFeatures.RefreshInterval", "Add a condition"], "both forms")
        self.assertEqual(self.field("Name").get_attribute("value"), "Germany")
        self.press("Keep in the draft")
        self.check_form()
        self.choose("Condition of another value", "Germany")
        self.write("Value for Germany", "5")
        self.keep()
        self.wait_for_text("2 changes", ".draft-bar")

    def test_comes_back_without_what_was_cleared(self):
        self.go("conditions")
        self.press("Edit User 2")
        self.write("Name", "Second")
        self.choose("Colour", "No colour")
        self.wait_for_text("The server accepts this", "dialog")
        for _ in range(2):
            self.driver.refresh()
            self.wait_for(lambda: self.headings() == ["Edit User 2"], "the form")
            self.assertEqual(self.field("Colour").get_attribute("value"), "")
            self.assertEqual(self.field("Name").get_attribute("value"), "Second")
            self.write("Name", "Second")
            self.wait_for_text("The server accepts this", "dialog")
        self.keep()
        self.wait_for_text("changes", ".draft-bar")
        second = self.call("GET", "draft")[1]["template"]["conditions"][1]
        self.assertEqual(second, {"name": "Second", "expression": "user.id == '2'"})

    def test_keeps_what_is_typed_in_a_rule_and_not_added(self):
        self.type_country()
        self.driver.refresh()
        self.wait_for(lambda: self.headings() == ["Add a condition"], "the form")
        self.assertEqual(self.field("Another value").get_attribute("value"), "Japan")
        self.keep()
        self.wait_for_text("change", ".draft-bar")
        self.wait_for(lambda: "Saving" not in self.find(".draft-bar").text, "the save")
        self.assertIn({"name": "Japan", "expression": "device.country in ['JP']"},
                      self.call("GET", "draft")[1]["template"]["conditions"])

    def test_keeps_the_condition_that_is_typed_and_not_chosen(self):
        self.open_form(is_edited=False)
        self.field("Condition of another value").send_keys("Use")
        self.driver.refresh()
        self.wait_for(lambda: self.headings() == ["Edit AppFeatures.RefreshInterval"], "the form")
        choice = self.field("Condition of another value")
        self.assertEqual(choice.get_attribute("value"), "Use")
        self.press("Keep in the draft")
        self.wait_for_text("There is no condition “Use”", "dialog")

    def test_keeps_the_reason_of_going_back(self):
        self.publish(TEMPLATE, "Second")
        self.reload_form("history", "Go back to version 1", {"Reason": "Too early"})
        self.press("Go back to version 1")
        self.wait_for_text("is published again as version 3", "main")
        self.assertEqual(self.template()["version"]["description"], "Too early")

    def test_keeps_the_value_of_several_settings(self):
        self.go("settings")
        self.find("input[aria-label='Select AppFeatures.RefreshInterval']").click()
        self.press("Set for a condition …")
        self.choose("Condition", "User 2")
        self.write("Value", "9")
        self.driver.refresh()
        self.wait_for(lambda: self.field("Value").get_attribute("value") == "9", "the value")
        self.assertEqual(self.field("Condition").get_attribute("value"), "User 2")
        self.press("Set in the draft")
        self.wait_for_dialog_to_close()
        self.wait_for_text("1 change", ".draft-bar")

    def leave_and_return(self, page):
        """Leaves a page without leaving its field, comes back, and reloads it."""
        for place in ("live", page):
            self.driver.execute_script(
                "location.hash = arguments[0]", f"/{self.project}/{place}")
            self.wait_for(lambda name=place: self.driver.execute_script(
                "return location.hash.includes(arguments[0])", name), place)
            self.find("main h1[tabindex]")
        self.driver.refresh()

    def test_keeps_what_stands_in_the_forms_of_pages(self):
        self.edit_interval("45")
        self.go("review")
        self.write("Description of this version", "Slower")
        # The field has not lost the focus.
        self.driver.refresh()
        self.wait_for(lambda: self.field("Description of this version").get_attribute("value")
                      == "Slower", "the description")
        self.write("Also preview these users", "3, 4")
        self.leave_and_return("review")
        self.wait_for(lambda: self.field("Also preview these users").get_attribute("value")
                      == "3, 4", "the users")
        self.press("Preview")
        self.wait_for(lambda: self.find_all("details summary code"), "the users' forms")
        self.find("main .card details > summary").click()
        self.write("Name of the signal", "plan")
        self.leave_and_return("review")
        self.wait_for(lambda: self.find_all("details summary code"), "the users' forms")
        self.find("main .card details > summary").click()
        self.assertEqual(self.field("Name of the signal").get_attribute("value"), "plan")
        self.go("user")
        self.write("User ID", "9")
        self.write("Name of the signal", "plan")
        self.leave_and_return("user")
        self.assertEqual(self.field("User ID").get_attribute("value"), "9")
        self.assertEqual(self.field("Name of the signal").get_attribute("value"), "plan")
        self.go("transfer")
        self.write("Or its content", "{}")
        self.choose("Format", "Parse Config")
        self.write("Section for its settings", "Parse")
        self.leave_and_return("transfer")
        self.assertEqual(self.field("Or its content").get_attribute("value"), "{}")
        self.assertEqual(
            self.field("Section for its settings").get_attribute("value"), "Parse")

    def test_does_not_come_back_for_another_user(self):
        self.open_form()
        self.wait_for_text("The server accepts this", "dialog")
        self.sign_in_unnoticed(self.new_token("editor"))
        self.driver.refresh()
        self.wait_for_text("editor", ".account")
        self.wait_for(lambda: self.button("Edit AppFeatures.RefreshInterval"), "the settings")
        self.assertEqual(self.headings(), [])
        self.sign_in_unnoticed(TOKEN)
        self.driver.refresh()
        self.check_form()

    def test_comes_back_after_a_reload_without_a_session(self):
        self.open_form()
        self.wait_for_text("The server accepts this", "dialog")
        self.driver.delete_all_cookies()
        self.driver.refresh()
        self.enter_token(TOKEN)
        self.check_form()

    def test_comes_back_after_a_link_with_a_token(self):
        self.open_form()
        self.wait_for_text("The server accepts this", "dialog")
        self.driver.get("about:blank")
        take_sign_in_turn(URL)
        self.driver.get(f"{URL}/console/#/{self.project}/settings?token={TOKEN}")
        self.press("Sign in with the link")
        self.check_form()

    def test_comes_back_after_a_form_of_another_project(self):
        self.open_form()
        self.wait_for_text("The server accepts this", "dialog")
        self.open("#/default/tokens")
        self.press("Create token")
        self.write("Name", "Of another project")
        self.press("Cancel")
        self.press("Discard")
        self.wait_for_dialog_to_close()
        self.open(f"#/{self.project}/settings")
        self.check_form()

    def asks_before_the_page_ends(self):
        """True if the browser would ask; the driver answers the question automatically."""
        return self.driver.execute_script(
            "return !window.dispatchEvent(new Event('beforeunload', {cancelable: true}))")

    def test_asks_at_every_escape(self):
        self.open_form()
        for _ in range(3):
            self.active().send_keys(Keys.ESCAPE)
            self.wait_for(lambda: len(self.headings()) == 2, "the question")
            self.active().send_keys(Keys.ESCAPE)
            self.check_form()
        # However fast: an even number of times leaves the form, an odd one the question.
        self.active().send_keys(*[Keys.ESCAPE] * 7)
        self.wait_for(lambda: len(self.headings()) >= 1, "the form")
        if len(self.headings()) == 2:
            self.press("Keep editing")
        self.check_form()
        self.active().send_keys(Keys.ESCAPE)
        self.press("Discard")
        self.wait_for_dialog_to_close()
        self.assertEqual(self.active().accessible_name, "Edit AppFeatures.RefreshInterval")

    def test_asks_at_an_escape_right_after_the_question(self):
        self.open_form()
        self.driver.execute_async_script("""
            const [done] = arguments;
            const press = () => document.activeElement.dispatchEvent(new KeyboardEvent(
                'keydown', {key: 'Escape', bubbles: true, cancelable: true}));
            press();
            press();
            // The question has closed; no other task has run since.
            queueMicrotask(async () => {
                for (let turn = 0; turn < 20; turn += 1) await null;
                press();
                done();
            });""")
        self.wait_for(lambda: len(self.headings()) == 2, "the question")
        self.press("Keep editing")
        self.check_form()

    def test_asks_when_it_is_cancelled(self):
        self.open_form()
        self.press("Cancel")
        self.press("Keep editing")
        self.check_form()

    @gate
    def test_is_closed_by_back(self):
        self.go("conditions")
        self.open_form(is_edited=False)
        place = self.driver.current_url
        self.driver.back()
        self.wait_for_dialog_to_close()
        self.assertEqual(self.driver.current_url, place)
        self.assertEqual(self.find("main h1").text, "Settings")
        self.open_form()
        self.driver.back()
        self.wait_for(lambda: len(self.headings()) == 2, "the question")
        self.wait_for(lambda: self.driver.current_url == place, "the form's address")
        self.press("Keep editing")
        self.check_form()
        self.driver.back()
        self.press("Discard")
        self.wait_for_dialog_to_close()
        self.assertEqual(self.driver.current_url, place)
        # The dialogs have left no entry in the tab's history.
        self.driver.back()
        self.wait_for_text("Conditions", "main h1")

    def test_leaves_no_step_in_the_history_after_a_reload(self):
        self.go("conditions")
        self.open_form(is_edited=False)
        self.driver.refresh()
        self.wait_for_text("Settings", "main h1")
        self.wait_for(lambda: not self.driver.execute_script(
            "return Boolean(history.state.isDialog)"), "the dialog's entry to go")
        self.driver.back()
        self.wait_for_text("Conditions", "main h1")

    @gate
    def test_asks_before_another_address(self):
        self.open_form()
        place = self.driver.current_url
        for answer in ("Keep editing", "Discard"):
            self.driver.execute_script(
                "location.hash = arguments[0]", f"/{self.project}/history")
            self.wait_for(lambda: len(self.headings()) == 2, "the question")
            self.wait_for(lambda: self.driver.current_url == place, "the form's address")
            self.press(answer)
            self.wait_for(lambda: len(self.headings()) < 2, "the question to go")
        self.wait_for_dialog_to_close()
        self.wait_for_text("History", "main h1")

    def test_leaves_the_focus_where_work_goes_on(self):
        self.go("conditions")
        self.press("Delete User 2")
        self.press("Delete the condition")
        self.wait_for_dialog_to_close()
        self.wait_for(lambda: self.active().tag_name == "h1", "the focus")
        # A control that disappears while it has the focus, without a dialog.
        self.driver.execute_script(
            "const button = document.createElement('button'); button.textContent = 'x';"
            "document.querySelector('main').append(button); button.focus(); button.remove();")
        self.wait_for(lambda: self.active().tag_name == "h1", "the focus")


if __name__ == "__main__":
    unittest.main()
