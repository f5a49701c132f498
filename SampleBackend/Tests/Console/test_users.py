"""Previewing a user's configuration, and values pinned for a user."""

import unittest

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from browser import PHONE
from console_case import URL, gate, send
from faults import Faults
from held_timers import HeldTimers
from large_project import large_template
from task_case import TaskCase, with_interval


class UserTests(TaskCase):
    def reason(self, setting, place="main > .stack"):
        """The value of a setting or a condition with its reason, as one text."""
        def row():
            return next((e.text.replace("\n", " ") for e in self.find_all(f"{place} tbody tr")
                         if e.text.replace("\n", "").startswith(setting)), None)
        return self.wait_for(row, setting)

    def custom_signals(self):
        """The entered custom signals, as pairs of name and value."""
        return [tuple(e.get_attribute("value") for e in row.find_elements(By.TAG_NAME, "input"))
                for row in self.find_all("[aria-label='Custom signals'] .rule-line")]

    @gate
    def test_says_what_a_user_gets_and_why(self):
        self.go("user")
        self.write("User ID", "3")
        self.write("App version", "2.1")
        self.press("Preview")
        self.wait_for_text("User 3", "main h2")
        self.assertIn(
            "true Condition “User 3” is true", self.reason("SampleViewConfiguration.ButtonEnabled"))
        self.assertIn(
            "30.0 Condition “New versions” is true", self.reason("AppFeatures.RefreshInterval"))
        self.assertIn("user.id is '3'", self.reason("User 1"))
        self.check_page("user")
        self.write("App version", "")
        self.press("Preview")
        self.wait_for(
            lambda: "Default value" in self.reason("AppFeatures.RefreshInterval"), "the default")

    def test_has_no_empty_column_of_reasons(self):
        self.publish({"conditions": [{"name": "All", "expression": "true"}], "parameters": {
            "a": {"defaultValue": {"value": "1"}}}}, "Of all")
        self.go("user")
        self.write("User ID", "3")
        self.press("Preview")
        self.wait_for_text("User 3", "main h2")

        def headings(text):
            return [e.text for e in self.find_all("main th[scope=col]")
                    if text in e.find_element(By.XPATH, "./ancestor::table").text]
        self.assertEqual(headings("All"), ["Condition", "Result"])
        self.assertEqual(headings("Default.a"), ["Setting", "Value", "Why"])

    def test_previews_users_while_the_storage_is_full(self):
        self.edit_interval("45")
        self.wait_for_text("1 change", ".draft-bar")
        for name in ("sessionStorage", "localStorage"):
            self.fill_storage(name)
        self.go("user")
        self.write("User ID", "3")
        self.press("Preview")
        self.wait_for_text("User 3", "main h2")
        self.go("review")
        self.write("Also preview these users", "3")
        self.press("Preview")
        self.wait_for_text("1 setting", "[aria-labelledby=impact] .difference-head")
        self.driver.execute_script("location.hash = '/default/settings'")
        self.wait_for(
            lambda: self.driver.title == "Settings · default · ActiveConfig", "another project")

    def test_shows_what_nobody_sees_in_a_user_id(self):
        self.go("user")
        self.write("User ID", " 42 ")
        self.press("Preview")
        self.wait_for_text("User 42", "main h2")
        self.assertEqual(self.field("User ID").get_attribute("value"), "42")
        self.assertTrue(self.driver.current_url.endswith("?id=42"), self.driver.current_url)
        self.go("user", id="%2042")
        self.wait_for_text("User “ 42”", "main h2")
        self.wait_for_text("This ID begins with a space.", "main .message")
        self.press("Pin a value")
        self.assertEqual(self.find("dialog h2").text, "Pin a value for user “ 42”")

    def test_evaluates_the_draft(self):
        self.edit_interval("45")
        self.go("user")
        self.write("User ID", "7")
        self.press("Preview")
        row = self.reason("AppFeatures.RefreshInterval")
        self.assertIn("Changes", row)
        self.assertLess(row.index("60"), row.index("45"))
        self.assertNotIn("Changes", self.reason("AppFeatures.SomeFeature"))
        self.check_page("user-draft")

    def enter_time(self, text):
        """Sets the time of the past as its control does; a driver's keys depend on the language."""
        self.driver.execute_script("""
            const [input, text] = arguments;
            input.value = text;
            input.dispatchEvent(new Event('input', {bubbles: true}));
            input.dispatchEvent(new Event('change', {bubbles: true}));
        """, self.field("As it was at"), text)

    def times(self):
        """The times of the versions, the oldest first."""
        versions = self.call("GET", "remoteConfig:listVersions")[1]["versions"]
        return [version["updateTime"] for version in reversed(versions)]

    @gate
    def test_shows_what_a_user_got_at_an_earlier_time(self):
        pins = "users/7/overrides"
        self.assertEqual(self.call("PUT", pins, {"AppFeatures": {"RefreshInterval": 5}})[0], 200)
        self.publish(with_interval("75"), "Slower")
        self.assertEqual(self.call("DELETE", pins)[0], 200)
        first, second = self.times()
        # From the history of the setting.
        self.go("settings")
        self.press("More for AppFeatures.RefreshInterval")
        self.press("History …")
        self.wait_for_text("Slower", "dialog")
        self.press("Who got what at version 2")
        self.wait_for_text("Try as a user", "main h1")
        time = self.field("As it was at").get_attribute("value")
        self.assertRegex(time, r"^\d{4}-\d\d-\d\dT\d\d:\d\d")
        self.assertIn(second[11:19] + " UTC", self.find("main form").text)
        self.write("User ID", "7")
        self.press("Preview")
        self.wait_for_text("User 7", "main h2")
        self.assertIn(
            "5 Pinned for this user", self.reason("AppFeatures.RefreshInterval"))
        self.wait_for_text("version 2, published", "main")
        self.assertFalse(self.find_all("[aria-labelledby=pinned]"))
        self.check_page("user-past")
        # The link is of the instant, in any time zone.
        self.assertIn(f"at={second.replace(':', '%3A')}", self.driver.current_url)
        self.go("user", id="8", at=first)
        self.wait_for_text("User 8", "main h2")
        self.assertIn("60.0 Default value", self.reason("AppFeatures.RefreshInterval"))
        self.wait_for_text("version 1, published", "main")
        # Before the first version, and in the future.
        self.enter_time("2001-01-01T00:00:00")
        self.press("Preview")
        self.wait_for_text("before the first version", "main .message.error")
        self.enter_time("2999-01-01T00:00:00")
        self.wait_for_text("this is in the future", "main form")
        self.press("Preview")
        self.wait_for_text("is in the future", "main .message.error")
        # Back to now.
        self.press("Now")
        self.assertEqual(self.field("As it was at").get_attribute("value"), "")
        self.press("Preview")
        self.wait_for(lambda: "75" in (self.reason("AppFeatures.RefreshInterval") or ""), "now")
        self.wait_for_text("Nothing is pinned", "main")
        self.assertNotIn("at=", self.driver.current_url)

    def test_says_that_pins_of_an_earlier_time_are_not_known(self):
        pins = "users/7/overrides"
        long = {"SampleViewConfiguration": {"LabelText": "x" * 5000}}
        self.assertEqual(self.call("PUT", pins, long)[0], 200)
        self.publish(with_interval("75"), "Slower")
        self.assertEqual(self.call("DELETE", pins)[0], 200)
        self.go("user", id="7", at=self.times()[1])
        self.wait_for_text("The values that were pinned then are not known", "main .message")
        self.assertIn("Default value", self.reason("SampleViewConfiguration.LabelText"))

    def test_keeps_the_entered_time(self):
        self.go("user", id="7")
        self.wait_for_text("User 7", "main h2")
        self.enter_time("2001-01-01T00:00:00")
        self.driver.refresh()
        self.wait_for_text("before the first version", "main .message.error")
        self.assertTrue(
            self.field("As it was at").get_attribute("value").startswith("2001-01-01T00:00"))

    def test_takes_custom_signals(self):
        self.publish({
            "conditions": [{"name": "gold",
                            "expression": "app.customSignal['plan'].exactlyMatches(['gold'])"}],
            "parameters": {"limit": {"defaultValue": {"value": "1"}, "conditionalValues": {
                "gold": {"value": "2"}}}}}, "Signals")
        self.go("user")
        self.write("User ID", "1")
        self.write("Name of the signal", "plan")
        self.write("Value of the signal", "gold")
        self.press("Preview")
        self.assertIn("Condition “gold” is true", self.reason("Default.limit"))

    def test_takes_signals_as_the_form_of_a_rule_does(self):
        self.publish({
            "conditions": [{"name": "here", "expression": "device.country in ['DE']"}],
            "parameters": {"limit": {"defaultValue": {"value": "1"}, "conditionalValues": {
                "here": {"value": "2"}}}}}, "Signals")
        self.go("user")
        self.write("User ID", "1")
        self.write("Country", "Germany")
        self.write("Language", "Elvish")
        self.write("Name of the signal", "plan")
        self.wait_for_text("“Elvish” is not a known language", "main form")
        self.press("Preview")
        self.wait_for_text("Enter the value.", "main form")
        self.assertEqual(
            self.driver.switch_to.active_element.accessible_name, "Value of the signal")
        self.assertEqual(self.field("Country").get_attribute("value"), "DE")
        self.wait_for_text("Germany", "main form")
        self.check_page("user-signals")
        self.field("Value of the signal").send_keys("gold", Keys.ENTER)
        self.assertIn("Condition “here” is true", self.reason("Default.limit"))
        self.assertIn("signal.plan=gold", self.driver.current_url)

    def test_the_dialog_of_a_pin_waits_for_the_value_that_the_user_gets(self):
        self.go("user")
        faults = Faults(self.driver)
        faults.hold("POST", ":preview")
        self.write("User ID", "4")
        self.press("Preview")
        self.press("Pin a value")
        self.write("Setting", "AppFeatures.RefreshInterval")
        self.wait_for_text("Such as 3", "dialog")
        self.assertNotIn("Now the user gets", self.find("dialog").text)
        faults.end()
        self.wait_for_text("Now the user gets 60.0: Default value", "dialog")

    @gate
    def test_pins_a_value_and_removes_it(self):
        self.go("user")
        self.write("User ID", "a/b 4")
        self.press("Preview")
        self.wait_for_text("Nothing is pinned", "main")
        self.press("Pin a value")
        self.write("Setting", "AppFeatures.RefreshInterval")
        self.write("Value", "soon")
        self.wait_for_text("“soon” is not a number.", "dialog")
        self.wait_for_text("Now the user gets 60.0: Default value", "dialog")
        self.write("Value", "1e400")
        self.wait_for_text("“1e400” is not a number.", "dialog")
        self.write("Value", "5")
        self.check_page("pin")
        self.press("Pin it for this user")
        self.wait_for_dialog_to_close()
        self.wait_for(
            lambda: "Pinned for this user" in self.reason("AppFeatures.RefreshInterval"), "the pin")
        self.wait_for_text("AppFeatures.RefreshInterval is pinned for user a/b 4.", "main .message")
        # It follows the message, once the pinned values are read again.
        self.wait_for(
            lambda: self.find("#announcements").get_attribute("textContent")
            == "AppFeatures.RefreshInterval is pinned for user a/b 4.", "the announcement")
        change = self.driver.switch_to.active_element
        self.assertEqual(change.accessible_name, "Change AppFeatures.RefreshInterval")
        self.assertTrue(self.driver.execute_script(
            "const {top, bottom} = arguments[0].getBoundingClientRect();"
            "return top >= 0 && bottom <= innerHeight;", change))
        path = "users/a%2Fb%204/overrides"
        self.assertEqual(self.call("GET", path)[1], {"AppFeatures": {"RefreshInterval": 5}})
        self.check_page("user-pinned")
        self.press("Remove AppFeatures.RefreshInterval")
        self.press("Remove")
        self.wait_for_text("Nothing is pinned", "main")
        self.assertEqual(self.call("GET", path)[0], 404)

    def test_pins_by_the_type_of_the_setting(self):
        self.go("user", id="7")
        self.press("Pin a value")
        self.write("Setting", "AppFeatures.Nothing")
        self.press("Pin it for this user")
        self.wait_for_text("This setting does not exist", "dialog")
        self.choose("Setting", "SampleViewConfiguration.ButtonEnabled")
        switch = self.field("Value")
        self.assertEqual(switch.get_attribute("role"), "switch")
        switch.click()
        self.check_page("pin-switch")
        self.press("Pin it for this user")
        self.wait_for_dialog_to_close()
        path = "users/7/overrides"
        pinned = {"SampleViewConfiguration": {"ButtonEnabled": True}}
        self.assertEqual(self.call("GET", path)[1], pinned)
        self.press("Change SampleViewConfiguration.ButtonEnabled")
        self.field("Value").click()
        self.press("Pin it for this user")
        self.wait_for_dialog_to_close()
        self.wait_for(lambda: self.call("GET", path)[1] == {
            "SampleViewConfiguration": {"ButtonEnabled": False}}, "the change")

    def test_finds_the_setting_of_a_pin_by_parts_of_its_name(self):
        self.go("user", id="7")
        self.press("Pin a value")
        self.write("Setting", "interval feat")
        self.field("Setting").send_keys(Keys.ENTER)
        self.assertEqual(
            self.field("Setting").get_attribute("value"), "AppFeatures.RefreshInterval")
        self.write("Value", "5")
        self.press("Pin it for this user")
        self.wait_for_dialog_to_close()
        self.assertEqual(
            self.call("GET", "users/7/overrides")[1], {"AppFeatures": {"RefreshInterval": 5}})

    def test_keeps_the_value_of_a_pin_while_another_setting_is_chosen(self):
        self.go("user", id="7")
        self.press("Pin a value")
        self.choose("Setting", "AppFeatures.RefreshInterval")
        self.write("Value", "5")
        self.choose("Setting", "AppFeatures.SomeFeature")
        self.choose("Setting", "AppFeatures.RefreshInterval")
        self.assertEqual(self.field("Value").get_attribute("value"), "5")

    def test_takes_back_a_search_for_the_setting_of_a_pin(self):
        self.go("user", id="7")
        self.press("Pin a value")
        self.choose("Setting", "AppFeatures.RefreshInterval")
        self.write("Setting", "Button")
        self.wait_for(
            lambda: not self.named("dialog input", "Value"), "the value to go")
        self.field("Setting").send_keys(Keys.ESCAPE)
        self.assertEqual(
            self.field("Setting").get_attribute("value"), "AppFeatures.RefreshInterval")
        self.write("Value", "5")
        self.press("Pin it for this user")
        self.wait_for_dialog_to_close()

    def open_change(self, pinned):
        """Opens the change of a pin that other browsers know too; returns the path of the pins."""
        path = "users/42/overrides"
        self.call("PUT", path, {"AppFeatures": {"RefreshInterval": pinned}})
        self.go("user", id="42")
        self.press("Change AppFeatures.RefreshInterval")
        self.write("Value", "14")
        return path

    @gate
    def test_replaces_no_pin_that_it_has_not_shown(self):
        path = self.open_change(13)
        self.call("PUT", path, {"AppFeatures": {"RefreshInterval": 99, "SomeFeature": True}})
        self.press("Pin it for this user")
        self.wait_for_text("It is 99 now.", "dialog")
        self.assertEqual(self.call("GET", path)[1]["AppFeatures"]["RefreshInterval"], 99)
        self.press("Pin it for this user")
        self.wait_for_dialog_to_close()
        self.assertEqual(self.call("GET", path)[1], {
            "AppFeatures": {"RefreshInterval": 14, "SomeFeature": True}})

    def test_says_that_a_pin_was_removed_meanwhile(self):
        path = self.open_change(13)
        self.call("DELETE", path)
        self.press("Pin it for this user")
        self.wait_for_text("It is no longer pinned.", "dialog")
        self.call("PUT", path, {"AppFeatures": {"RefreshInterval": 99}})
        self.press("Pin it for this user")
        self.wait_for_text("It is 99 now.", "dialog")
        self.press("Pin it for this user")
        self.wait_for_dialog_to_close()
        self.assertEqual(self.call("GET", path)[1], {"AppFeatures": {"RefreshInterval": 14}})

    def test_keeps_the_pins_of_others_for_other_settings(self):
        path = self.open_change(13)
        self.call("PUT", path, {"AppFeatures": {"RefreshInterval": 13, "SomeFeature": True}})
        self.press("Pin it for this user")
        self.wait_for_dialog_to_close()
        self.assertEqual(self.call("GET", path)[1], {
            "AppFeatures": {"RefreshInterval": 14, "SomeFeature": True}})

    def test_does_not_hide_the_removal_of_a_pin_that_runs(self):
        self.call("PUT", "users/7/overrides", {"AppFeatures": {"RefreshInterval": 14}})
        self.go("user", id="7")
        faults = Faults(self.driver)
        faults.refuse("DELETE", "overrides", 400, is_held=True)
        self.press("Remove AppFeatures.RefreshInterval")
        self.assertEqual(self.driver.switch_to.active_element.text, "Cancel")
        self.press("Remove")
        self.wait_for(lambda: faults.held() == 1, "the request")
        self.press("Cancel")
        self.wait_for_text("“Remove” is running", "dialog")
        faults.end()
        self.wait_for_text("The server says no.", "dialog")
        self.press("Remove")
        self.wait_for_dialog_to_close()
        self.wait_for_text("is no longer pinned", "main")

    def test_takes_a_list_for_one_user(self):
        self.go("user", id="17, 18")
        self.wait_for_text("This is one user ID.", "main")
        self.go("user", id="Max Muster")
        self.wait_for_text("User Max Muster", "main h2")
        self.assertNotIn("This is one user ID", self.find("main").text)

    def test_says_what_is_wrong_about_pins(self):
        self.call("PUT", "users/7/overrides", {"AppFeatures": {
            "Renamed": True, "RefreshInterval": "soon", "SomeFeature": True}})
        self.go("user", id="7")
        row = self.reason("AppFeatures.Renamed", "[aria-labelledby=pinned]")
        self.assertIn("No such setting", row)
        self.assertIn("this user still gets the value", row)
        document = send("GET", f"{URL}/projects/{self.project}/activeconfig/user/7")[2]
        self.assertEqual(
            document["config_sections"]["AppFeatures"]["settings"]["Renamed"], {"value": True})
        self.assertIn("Another type", self.reason(
            "AppFeatures.RefreshInterval", "[aria-labelledby=pinned]"))
        pinned = self.find("[aria-labelledby=pinned]").text
        self.assertEqual(pinned.count("No such setting") + pinned.count("Another type"), 2)
        self.check_page("user-pins-without-effect")

    def test_shows_true_conditions_and_only_what_differs(self):
        self.go("user", id="3", **{"app.version": "2.1"})
        self.wait_for(lambda: [e.text for e in self.find_all(".chips li")]
                      == ["User 3", "New versions"], "the true conditions")
        self.wait_for_text("5 settings", "main")
        self.find("main .filters input[type=checkbox]").click()
        self.wait_for_text(" of 5", "main [role=search]")
        names = [e.text.replace("\n", "") for e in self.find_all("main tbody th")]
        self.assertIn("AppFeatures.RefreshInterval", names)
        self.write("Find a setting", "label user")
        self.wait_for_text("1 setting of 5", "main")

    def test_shows_thousands_of_settings_by_hundreds(self):
        self.publish(large_template(), "Large")
        self.go("user", id="42")
        self.wait_for_text("3,000 settings", "main")
        rows = "[aria-labelledby] table tbody tr"
        before = len(self.find_all(rows))
        self.assertLessEqual(before, 200)
        self.find_all(".table-frame + .line button")[0].click()
        self.wait_for(lambda: len(self.find_all(rows)) == before + 100, "more rows")
        # The filter looks at all of them.
        self.write("Find a setting", "number_2999")
        self.wait_for_text("1 setting of 3000", "main")

    def test_has_a_link_to_a_user_with_signals(self):
        self.go("user")
        self.write("User ID", "3 & 4")
        self.write("App version", "2.1")
        # The form of an address is split at its first equals sign.
        self.write("Name of the signal", "plan = a=b")
        self.press("Preview")
        self.wait_for_text("User 3 & 4", "main h2")
        link = self.driver.current_url
        self.driver.get("about:blank")
        self.driver.execute_cdp_cmd("Storage.clearDataForOrigin", {
            "origin": URL, "storageTypes": "session_storage,local_storage"})
        self.driver.get(link)
        self.wait_for_text("User 3 & 4", "main h2")
        self.assertEqual(self.field("App version").get_attribute("value"), "2.1")
        self.assertEqual(self.custom_signals(), [("plan", "a=b")])
        self.assertIn("New versions", self.find(".chips").text)

    def test_has_a_link_to_users_without_an_id(self):
        self.go("user", id="7")
        self.wait_for_text("User 7", "main h2")
        self.write("User ID", "")
        self.press("Preview")
        self.wait_for_text("Users without an ID", "main h2")
        link = self.driver.current_url
        # The recipient of the link has previewed another user last.
        self.go("user", id="7")
        self.wait_for_text("User 7", "main h2")
        for address in (link, f"{URL}/console/#/{self.project}/user?app.version=2.1"):
            self.driver.get("about:blank")
            self.driver.get(address)
            self.wait_for_text("Users without an ID", "main h2")
            self.assertEqual(self.field("User ID").get_attribute("value"), "")
        self.assertEqual(self.field("App version").get_attribute("value"), "2.1")

    def test_shows_the_user_that_was_asked_for_last(self):
        self.go("user")
        self.hold_answers('"userID":"first"')
        self.write("User ID", "first")
        self.press("Preview")
        self.wait_for_held_answer()
        self.write("User ID", "second")
        self.press("Preview")
        self.wait_for_text("User second", "main h2")
        self.release_answers()
        self.assertEqual(
            [e.text for e in self.find_all("main h2") if e.text.startswith("User ")],
            ["User second"])

    def test_keeps_what_others_pinned_meanwhile(self):
        path = "users/7/overrides"
        self.go("user", id="7")
        self.wait_for_text("Nothing is pinned", "main")
        self.call("PUT", path, {"AppFeatures": {"SomeFeature": True}})
        self.press("Pin a value")
        self.write("Setting", "AppFeatures.RefreshInterval")
        self.write("Value", "5")
        self.press("Pin it for this user")
        self.wait_for_dialog_to_close()
        pinned = {"AppFeatures": {"SomeFeature": True, "RefreshInterval": 5}}
        self.assertEqual(self.call("GET", path)[1], pinned)
        self.button("Remove AppFeatures.RefreshInterval")
        label = {"SampleViewConfiguration": {"LabelText": "Theirs"}}
        self.call("PUT", path, pinned | label)
        self.press("Remove AppFeatures.RefreshInterval")
        self.press("Remove")
        self.wait_for(lambda: self.call("GET", path)[1]
                      == {"AppFeatures": {"SomeFeature": True}} | label, "the removal")

    def test_keeps_what_others_pin_while_a_pin_is_stored(self):
        path = "users/7/overrides"
        self.go("user", id="7")
        self.wait_for_text("Nothing is pinned", "main")
        for value, theirs in ((5, {"SomeFeature": True}), (6, {"RefreshInterval": 5, "Other": 1})):
            faults = Faults(self.driver)
            self.press("Pin a value")
            self.write("Setting", "AppFeatures.RefreshInterval")
            self.write("Value", str(value))
            faults.hold("GET", "/overrides$", limit=1)
            self.press("Pin it for this user")
            self.wait_for(faults.held, "the pins to be read, without those that follow")
            self.call("PUT", path, {"AppFeatures": theirs})
            faults.end()
            self.wait_for_dialog_to_close()
            pinned = {"AppFeatures": theirs | {"RefreshInterval": value}}
            self.assertEqual(self.call("GET", path)[1], pinned)

    def test_marks_a_wrong_json_value_where_it_is_edited(self):
        self.go("user", id="7")
        self.press("Pin a value")
        self.write("Setting", "SampleViewConfiguration.ViewBackgroundColor")
        editor = self.find("dialog .json-editor textarea")
        editor.send_keys("{")
        self.wait_for(lambda: editor.get_attribute("aria-invalid") == "true", "the mark")
        self.press("Pin it for this user")
        self.wait_for_text("Fix the value first", "dialog")
        self.assertEqual(self.driver.switch_to.active_element, editor)
        self.check_page("pin-json-problem")

    def test_knows_both_parts_of_the_section_default(self):
        self.publish({
            "parameters": {"alone": {"defaultValue": {"value": "1"}, "valueType": "NUMBER"}},
            "parameterGroups": {"Default": {"parameters": {
                "grouped": {"defaultValue": {"value": "false"}, "valueType": "BOOLEAN"}}}}}, "Both")
        self.call("PUT", "users/7/overrides", {"Default": {"alone": 5, "grouped": True}})
        self.go("user", id="7")
        pinned = self.wait_for_text("grouped", "[aria-labelledby=pinned]").text
        self.assertNotIn("No such setting", pinned)
        self.press("Change Default.grouped")
        self.assertEqual(self.field("Value").get_attribute("role"), "switch")

    def test_says_when_it_cannot_copy(self):
        self.go("user", id="7")
        self.button("Copy link")
        # The time for which the button shows it.
        notices = HeldTimers(self.driver, 2000)
        self.driver.execute_script(
            "navigator.clipboard.writeText = () => Promise.reject(new Error('denied'));"
            "document.execCommand = () => false;")
        self.press("Copy link")
        self.button("The browser does not let this page copy")
        notices.end()
        self.button("Copy link")

    def test_suggests_signals_of_conditions(self):
        self.publish({
            "conditions": [{"name": "gold",
                            "expression": "app.customSignal['plan'].exactlyMatches(['gold'])"}],
            "parameters": {"limit": {"defaultValue": {"value": "1"}}}}, "Signals")
        self.go("user")
        self.press("plan = gold")
        self.assertEqual(self.custom_signals(), [("plan", "gold")])


class UserOnAPhoneTests(TaskCase):
    size = PHONE

    def test_shows_the_result_to_who_uses_the_keyboard(self):
        self.go("user")
        self.write("User ID", "3")
        self.field("User ID").send_keys(Keys.ENTER)
        heading = self.wait_for_text("User 3", "main h2")
        self.wait_for(lambda: self.driver.switch_to.active_element == heading, "the focus")
        self.wait_for(lambda: self.driver.execute_script(
            "const {top, bottom} = arguments[0].getBoundingClientRect();"
            "return top >= 0 && bottom <= innerHeight;", heading), "the result in view")
        self.assertEqual(heading.value_of_css_property("outline-style"), "solid")


    def test_shows_an_earlier_time(self):
        version = self.call("GET", "remoteConfig:listVersions")[1]["versions"][0]
        self.go("user", id="3", at=version["updateTime"])
        self.wait_for_text("version 1, published", "main")
        self.check_page("user-past")
        self.check_targets("user-past")


class ManyPinsTests(TaskCase):
    def test_shows_thousands_of_pins_in_steps(self):
        self.publish({"parameters": {f"k{n}": {"valueType": "NUMBER", "defaultValue": {"value": "0"}}
                                     for n in range(3000)}}, "Many")
        status, answer = self.call(
            "PUT", "users/u/overrides", {"Default": {f"k{n}": n for n in range(3000)}})
        self.assertEqual(status, 200, answer)
        self.go("user", id="u")
        pins = "[aria-labelledby=pinned]"
        self.wait_for_text("3,000 pinned values", pins)
        self.wait_for_text("True conditions", "main")
        self.assertLess(
            self.driver.execute_script("return document.querySelectorAll('*').length"), 4000)
        self.press("Show more pinned values")
        self.wait_for(lambda: len(self.find_all(f"{pins} tbody tr")) == 200, "more pins")
        self.write("Find a pinned value", "k2999")
        self.wait_for(lambda: len(self.find_all(f"{pins} tbody tr")) == 1, "the pin")
        self.check_page("user-pins")
        self.press("Remove Default.k2999")
        self.press("Remove")
        self.wait_for_dialog_to_close()
        self.wait_for_text("0 pinned values of 2999", pins)
        self.assertEqual(self.field("Find a pinned value").get_attribute("value"), "k2999")


if __name__ == "__main__":
    unittest.main()
