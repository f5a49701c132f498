"""Publishing a draft: alone, alongside another user, and when the server dies."""

import json
import unittest

from browser import Browser
from console_case import gate
from faults import Faults
from own_server_case import OwnServerCase
from task_case import TEMPLATE, TaskCase, with_interval


class PublishingTests(TaskCase):
    @gate
    def test_reviews_what_changes_and_for_whom_and_publishes(self):
        self.edit_interval("45")
        self.go("review")
        self.wait_for_text("AppFeatures.RefreshInterval", ".difference")
        sides = [e.text.split("\n") for e in self.find_all(".diff .side")]
        self.assertEqual(sides, [["Before", "60.0"], ["After", "45"]])
        self.write("Also preview these users", "1, 2")
        self.press("Preview")
        self.wait_for(
            lambda: [e.text.replace("\n", " ") for e in self.find_all(
                "[aria-labelledby=impact] .difference-head")]
            == ["1 1 setting", "2 1 setting"], "what changes for the users")
        self.check_page("review")
        self.write("Description of this version", "Look sooner")
        self.press("Publish")
        self.wait_for_text("Published as version 2.", "main")
        self.check_page("published")
        interval = self.parameter("AppFeatures", "RefreshInterval")
        self.assertEqual(interval["defaultValue"], {"value": "45"})
        version = self.template()["version"]
        self.assertEqual(version["description"], "Look sooner")
        self.assertEqual(version["updateOrigin"], "CONSOLE")
        self.assertEqual(self.find_all(".draft-bar"), [])

    @gate
    def test_asks_before_it_publishes_the_removal_of_most_settings(self):
        self.edit_interval("45")
        self.wait_for_text("1 change", ".draft-bar")
        self.change_draft(lambda template: template.update(parameterGroups={}))
        self.go("review")
        self.wait_for_text("5 settings", "main")
        self.press("Publish")
        self.wait_for_text("removes all 5 settings", "dialog")
        self.press("Cancel")
        self.wait_for_dialog_to_close()
        self.assertEqual(self.version(), "1")
        self.call("PATCH", "details", {"environment": "PRODUCTION"})
        self.driver.refresh()
        self.press(f"Publish to {self.project}")
        self.press("Remove 5 settings")
        self.wait_for_text(f"type {self.project} to confirm", "dialog [role=alert]")
        self.write(f"Type {self.project} to confirm", self.project)
        self.press("Remove 5 settings")
        self.wait_for_text("Published as version 2.", "main")

    def test_says_that_a_publish_was_before_the_next_draft(self):
        self.edit_interval("45")
        self.go("review")
        self.press("Publish")
        self.wait_for_text("Published as version 2.", "main .success")
        self.edit_interval("46")
        self.go("review")
        self.wait_for_text(
            "Published as version 2. What the draft changes now is not in it.", "main")
        self.assertEqual(self.find_all("main .success"), [])

    def test_undoes_the_first_version(self):
        self.project = f"first-{self.project}"
        self.create_project(self.project)
        self.go("settings")
        self.press("Start with the sample")
        self.wait_for_text("Draft", ".draft-bar")
        self.go("review")
        self.press("Publish")
        self.wait_for_text("Published as version 1.", "main")
        self.wait_for_text("No app is connected now.", "main .success")
        self.press("Undo")
        self.press("Remove 5 settings")
        self.wait_for_text("Undone: version 2 is empty, as before the first one.", ".success")
        self.assertFalse(self.template().get("parameterGroups"))

    def test_publishes_settings_outside_of_sections(self):
        self.publish({"parameters": {"alone": {"defaultValue": {"value": "1"}}}}, "Outside")
        self.go("settings")
        self.press("Edit Default.alone")
        self.write("Default value", "2")
        self.keep()
        self.go("review")
        self.press("Publish")
        self.wait_for_text("Published as version 3.", "main")
        self.assertEqual(self.template()["parameters"]["alone"]["defaultValue"], {"value": "2"})

    @gate
    def test_says_what_the_server_refuses(self):
        self.edit_interval("45")
        self.wait_for_text("1 change", ".draft-bar")
        # As if a command had removed a condition that the draft uses.
        draft = self.call("GET", "draft")[1]
        draft["template"]["conditions"].pop()
        self.assertEqual(self.call("PUT", "draft", {
            name: draft[name] for name in ("baseVersion", "template")}, If_Match="*")[0], 200)
        self.driver.refresh()
        self.go("review")
        self.wait_for_text("The draft cannot be published", "main")
        self.wait_for_text("no condition is called", "main")
        self.press("Publish")
        self.wait_for_text("The draft cannot be published", "form")
        self.assertEqual(self.version(), "1")

    @gate
    def test_publishes_nothing_in_the_name_of_another_user(self):
        self.edit_interval("45")
        self.wait_for_text("1 change", ".draft-bar")
        faults = Faults(self.driver)
        faults.hold("PUT", "validateOnly")
        self.go("review")
        self.wait_for(lambda: faults.held() == 1, "the check of the draft")
        self.press("Publish")
        self.sign_in_unnoticed(self.new_token("publisher"))
        self.wait_for_text("publisher ", ".account")
        self.assertEqual(self.version(), "1")
        self.browser.take_errors()


class LeavingTests(TaskCase):
    """Leaving the review during and after a publish."""

    def setUp(self):
        super().setUp()
        self.edit_interval("45")
        self.go("review")
        self.wait_for_text("What changes", "main")
        self.faults = Faults(self.driver)

    def publish_and_leave(self):
        """Leaves the review while the publish runs."""
        self.faults.hold("PUT", "/remoteConfig$", limit=1)
        self.press("Publish")
        self.wait_for(lambda: self.faults.held() == 1, "the publish")
        self.go("live")
        self.wait_for_text("Publishing …", ".draft-bar")

    @gate
    def test_shows_a_publish_that_ended_elsewhere_and_undoes_it(self):
        self.publish_and_leave()
        self.go("review")
        self.wait_for_text("Publishing …", "main")
        self.go("live")
        self.faults.end()
        self.wait_for_text("Published as version 2.", ".draft-bar")
        self.press("See it arrive, or undo it")
        self.wait_for_text("Published as version 2.", "main")
        # The undo stays for its minute.
        self.press("Watch it arrive")
        self.wait_for_text("Connected now", "main")
        self.assertEqual(self.find_all(".draft-bar a"), [])
        self.go("review")
        self.press("Undo")
        self.wait_for_text("The changes of version 2 were taken back, as version 3.", ".success")

    def test_shows_a_publish_that_ended_in_another_project(self):
        other = f"{self.project}-2"
        self.create_project(other)
        self.faults.hold("PUT", "/remoteConfig$", limit=1)
        self.press("Publish")
        self.wait_for(lambda: self.faults.held() == 1, "the publish")
        self.driver.execute_script("location.hash = `/${arguments[0]}/settings`", other)
        self.wait_for_text(other, "header")
        self.faults.end()
        self.wait_for_text(f"{self.project}: Published as version 2.", ".draft-bar")
        self.press("See it arrive, or undo it")
        self.wait_for_text("Published as version 2.", "main")
        self.assertEqual(self.version(), "2")

    def test_shows_that_nothing_was_published(self):
        self.faults.refuse("PUT", "/remoteConfig$", 400, is_held=True)
        self.press("Publish")
        self.wait_for(lambda: self.faults.held() == 1, "the publish")
        self.go("live")
        self.faults.end()
        self.wait_for_text("Not published: The server says no.", ".draft-bar")
        self.go("review")
        self.wait_for_text("Not published: The server says no.", "main")

    def test_shows_that_nothing_was_published_when_the_review_is_opened_again(self):
        self.faults.fail("PUT", "/remoteConfig$", limit=1)
        self.faults.fail("GET", "listVersions")
        self.press("Publish")
        self.wait_for_text("The connection broke", "main")
        self.go("live")
        self.go("review")
        self.wait_for_text("Publishing …", "main")
        self.faults.end()
        self.wait_for_text("Not published: the connection broke", "main")

    @gate
    def test_says_what_was_published_when_the_page_was_closed(self):
        self.faults.hold("PUT", "/remoteConfig$", limit=1)
        self.press("Publish")
        self.wait_for(lambda: self.faults.held() == 1, "the publish")
        self.assertTrue(self.driver.execute_script(
            "return !window.dispatchEvent(new Event('beforeunload', {cancelable: true}))"),
            "the browser does not ask before the page is closed")
        self.driver.refresh()
        self.wait_for_text("Published as version 2.", "main")
        self.assertEqual(self.find_all(".draft-bar .discard"), [])
        self.wait_for(lambda: self.call("GET", "draft")[0] == 204, "the end of the draft")

    def test_says_that_another_tab_has_published_the_draft(self):
        status, version = self.call("GET", "draft")
        self.assertEqual(status, 200)
        self.publish(version["template"], "In another tab")
        self.assertEqual(self.call("DELETE", "draft")[0], 200)
        self.wait_for_text("Version 2 was published by", "main")
        self.wait_for_text("the draft ended with it", "main")

    def test_says_that_the_draft_was_discarded_elsewhere_and_brings_it_back(self):
        self.publish(with_interval("20"), "Theirs")
        self.wait_for_text("Version 2 was published meanwhile", ".draft-bar")
        self.assertEqual(self.call("DELETE", "draft")[0], 200)
        self.wait_for_text("The draft was discarded in another tab or window", "main")
        self.assertNotIn("ended with it", self.find("main").text)
        self.press("Undo: discard the draft")
        self.wait_for_text("1 change since version 1", ".draft-bar")
        self.wait_for_text("What changes", "main")
        self.assertNotIn("was discarded", self.find("main").text)


class TwoPeopleTests(TaskCase):
    def theirs(self, change):
        """Another user publishes a change of the template."""
        template = json.loads(json.dumps(TEMPLATE))
        change(template["parameterGroups"])
        self.publish(template, "Theirs")

    @gate
    def test_keeps_the_edits_of_both(self):
        self.edit_interval("45")
        self.go("review")

        def change(groups):
            label = groups["SampleViewConfiguration"]["parameters"]["LabelText"]
            label["defaultValue"]["value"] = "Theirs"
        self.theirs(change)
        self.press("Publish")
        self.wait_for_text("You changed different things", "main")
        self.check_page("merge-without-conflict")
        self.press("Take this into the draft")
        self.wait_for(lambda: "/review" in self.driver.current_url, "the review")
        self.wait_for_text("since version 2", ".draft-bar")
        self.press("Publish")
        self.wait_for_text("Published as version 3.", "main")
        self.assertEqual(
            self.parameter("AppFeatures", "RefreshInterval")["defaultValue"]["value"], "45")
        self.assertEqual(
            self.parameter("SampleViewConfiguration", "LabelText")["defaultValue"]["value"],
            "Theirs")

    def test_stays_on_the_page_that_was_opened_while_both_are_combined(self):
        self.edit_interval("45")
        self.wait_for_text("1 change", ".draft-bar")
        self.theirs(lambda groups: groups["SampleViewConfiguration"].update(description="Theirs"))
        self.go("review")
        self.press("Publish")
        self.wait_for_text("You changed different things", "main")
        faults = Faults(self.driver)
        faults.hold("GET", "/remoteConfig$")
        self.press("Take this into the draft")
        self.wait_for(faults.held, "the new version")
        self.go("history")
        faults.end()
        self.wait_for_text("since version 2", ".draft-bar")
        self.assertEqual(self.find("main h1").text, "History")

    def test_marks_the_lines_in_which_both_sides_differ(self):
        def change(groups, word):
            label = groups["SampleViewConfiguration"]["parameters"]["LabelText"]
            label["defaultValue"]["value"] = "\n".join(
                f"line {number} {word if number == 15 else ''}" for number in range(30))
        self.edit_interval("45")
        self.wait_for_text("1 change", ".draft-bar")
        self.change_draft(lambda template: change(template["parameterGroups"], "mine"))
        self.go("merge")
        self.wait_for_text("which is current: there is nothing to merge", "main")
        self.wait_for_text("2 changes", ".draft-bar")
        # The page follows a version that is published while it is open.
        self.theirs(lambda groups: change(groups, "theirs"))
        self.wait_for_text("line 15", ".conflict")
        marked = [(e.text, e.find_element("css selector", "mark").text)
                  for e in self.find_all(".conflict .option .differs code")]
        self.assertEqual(marked, [("Differs:\nline 15 theirs", "theirs"),
                                  ("Differs:\nline 15 mine", "mine")])

    def test_does_not_take_an_equal_version_of_another_user_for_its_own(self):
        self.edit_interval("45")
        self.go("review")
        self.wait_for_text("AppFeatures.RefreshInterval", ".difference")
        self.publish(with_interval("45"), "Theirs")
        self.press("Publish")
        self.wait_for_text("published the same as version 2", "main")
        self.assertNotIn("Published as version", self.find("main").text)
        self.assertEqual(
            [e.text for e in self.find_all("main button") if e.text == "Undo"], [])
        self.wait_for(lambda: not self.find_all(".draft-bar"), "the draft to end")
        self.assertEqual(self.version(), "2")

    def go_back_to_version_1(self):
        status, answer = self.call(
            "POST", "remoteConfig:rollback", {"versionNumber": "1"}, If_Match="*")
        self.assertEqual(status, 200, answer)

    @gate
    def test_keeps_a_draft_that_was_published_and_undone_since(self):
        self.edit_interval("45")
        self.go("review")
        self.wait_for_text("AppFeatures.RefreshInterval", ".difference")
        self.publish(with_interval("45"), "Theirs")
        self.go_back_to_version_1()
        self.press("Publish")
        self.wait_for_text("You changed different things", "main")
        self.press("Take this into the draft")
        self.wait_for_text("since version 3", ".draft-bar")
        self.assertEqual(self.interval(), "45")

    def test_keeps_a_draft_whose_publish_was_lost_and_undone_since(self):
        self.edit_interval("45")
        self.go("review")
        self.wait_for_text("AppFeatures.RefreshInterval", ".difference")
        # Its response is lost after another user has gone back.
        faults = Faults(self.driver)
        faults.hold("PUT", "/remoteConfig$", limit=1)
        self.press("Publish")
        self.wait_for(lambda: faults.held() == 1 and self.version() == "2", "the publish")
        self.go_back_to_version_1()
        faults.end(is_lost=True)
        self.wait_for_text("Published as version 2, which version 3 has replaced since.", "main")
        self.assertEqual(self.interval(), "45")
        self.check_page("superseded")

    @gate
    def test_lets_one_choose_where_both_changed_the_same(self):
        other = Browser()
        self.addCleanup(other.close)
        self.edit_interval("45")
        mine, self.driver = self.driver, other.driver
        self.token = self.new_token("publisher")
        self.edit_interval("20")
        self.press("Edit SampleViewConfiguration.LabelText")
        self.write("Default value", "From the other one")
        self.keep()
        self.go("review")
        self.press("Publish")
        self.wait_for_text("Published as version 2.", "main")
        self.driver = mine
        self.wait_for_text("Version 2 was published meanwhile", ".draft-bar")
        self.go("review")
        self.press("Publish")
        self.wait_for_text("AppFeatures.RefreshInterval", ".conflict legend")
        self.assertFalse(self.button("Take this into the draft").is_enabled())
        self.assertEqual(len(self.find_all(".conflict")), 1)
        sides = [e.text for e in self.find_all(".conflict .option")]
        self.assertIn("20", sides[0])
        self.assertIn("45", sides[1])
        self.find(".conflict input[value=mine]").click()
        self.driver.refresh()
        self.wait_for(lambda: self.find_all(".conflict input[value=mine]:checked"), "the choice")
        self.check_page("merge")
        self.press("Take this into the draft")
        self.wait_for(lambda: "/review" in self.driver.current_url, "the review")
        self.press("Publish")
        self.wait_for_text("Published as version 3.", "main")
        self.assertEqual(
            self.parameter("AppFeatures", "RefreshInterval")["defaultValue"]["value"], "45")
        self.assertEqual(
            self.parameter("SampleViewConfiguration", "LabelText")["defaultValue"]["value"],
            "From the other one")

    def test_names_what_a_choice_removes_and_asks_again_when_it_changes(self):
        def change(template, interval):
            groups = template["parameterGroups"]
            for group in groups.values():
                for parameter in group["parameters"].values():
                    parameter.get("conditionalValues", {}).pop("User 1", None)
            template["conditions"] = [
                each for each in template["conditions"] if each["name"] != "User 1"]
            groups["AppFeatures"]["parameters"]["RefreshInterval"]["defaultValue"]["value"] = interval

        def publish(interval):
            template = json.loads(json.dumps(TEMPLATE))
            change(template, interval)
            self.publish(template, "Theirs")
        self.edit_interval("45")
        self.wait_for_text("1 change", ".draft-bar")
        self.change_draft(lambda template: template["parameterGroups"]["AppFeatures"][
            "parameters"]["RefreshInterval"].update(
                conditionalValues={"User 1": {"value": "500"}}))
        publish("30")
        self.driver.refresh()
        self.go("merge")
        self.wait_for_text("your value 500 for AppFeatures.RefreshInterval is removed too", "main")
        for radio in self.find_all(".conflict input[value=theirs]"):
            radio.click()
        self.wait_for_text("The merge leaves out", "main")
        publish("6")
        self.press("Take this into the draft")
        self.wait_for_text("Choose again: AppFeatures.RefreshInterval", ".message.warning")
        self.assertEqual(
            self.driver.switch_to.active_element,
            self.find("[tabindex='-1']:has(> .message.warning)"))
        self.assertEqual(len(self.find_all(".conflict input:checked")), 1)
        self.assertFalse(self.button("Take this into the draft").is_enabled())


class ServerKilledTests(OwnServerCase):
    def publish_while_the_server_dies(self, action):
        """Publishes a draft, during which the action ends the server."""
        self.edit_interval("45")
        self.go("review")
        self.wait_for_text("What changes", "main")
        self.relay.on_publish = action
        self.press("Publish")
        self.wait_for_text("does not know", "main")
        self.assertEqual(len(self.find_all(".draft-bar")), 1)
        waiting = [e for e in self.find_all("button") if e.text in ("Revert", "Discard …")]
        self.assertEqual([e.is_enabled() for e in waiting], 2 * [False])
        self.check_page("doubt")
        self.start_again()

    @gate
    def test_says_that_it_was_published(self):
        def action(give_on):
            give_on()
            self.backend.kill()
        self.publish_while_the_server_dies(action)
        self.wait_for_text("Published as version 2.", "main")
        self.assertEqual(self.version(), "2")
        self.assertEqual(self.find_all(".draft-bar"), [])
        self.browser.take_errors()

    def test_says_that_it_was_not_published(self):
        self.publish_while_the_server_dies(lambda give_on: self.backend.kill())
        self.wait_for_text("Not published; your draft is kept.", "main")
        self.assertEqual(self.version(), "1")
        self.wait_for(lambda: self.button("Discard …").is_enabled(), "the draft bar")
        self.assertTrue(self.button("Revert AppFeatures.RefreshInterval").is_enabled())
        self.check_page("not-published")
        self.press("Publish")
        self.wait_for_text("Published as version 2.", "main")
        self.browser.take_errors()


if __name__ == "__main__":
    unittest.main()
