"""The history of a project, rollbacks, and the audit trail."""

import unittest

from selenium.webdriver.common.keys import Keys

from browser import PHONE
from console_case import gate, new_session
from faults import Faults
from large_project import large_template
from task_case import TaskCase, with_interval


class HistoryTests(TaskCase):
    def setUp(self):
        super().setUp()
        for value in ("10", "20"):
            self.publish(with_interval(value), f"Every {value} seconds")

    def sides(self):
        """The texts on both sides of each difference."""
        return [e.text.split("\n")[-1] for e in self.find_all(".diff .side")]

    def test_shows_versions_of_others_beside_a_draft(self):
        self.edit_interval("45")
        self.go("history")
        self.wait_for_text("Every 20 seconds", "main table")
        self.publish(with_interval("30"), "Theirs")
        self.wait_for(lambda: self.find("main tbody tr th").text.split() == ["4", "Current"],
                      "the new version in the list")
        self.assertEqual(len(self.find_all("main tbody .badge.good")), 1)
        self.go("audit")
        self.wait_for_text("Audit", "main h1")
        self.wait_for(lambda: self.find_all("main tbody tr"), "the trail")
        number = len(self.find_all("main tbody tr"))
        self.publish(with_interval("35"), "Theirs again")
        self.wait_for(lambda: len(self.find_all("main tbody tr")) > number, "the new entry")

    @gate
    def test_compares_any_two_versions(self):
        self.go("history")
        self.wait_for(lambda: self.sides() == ["10", "20"], "the newest change")
        self.choose("From", "Version 1")
        self.wait_for(lambda: self.sides() == ["60.0", "20"], "the change since version 1")
        self.assertIn("from=1&to=3", self.driver.current_url)
        self.press("Show what version 2 changed")
        self.wait_for(lambda: self.sides() == ["60.0", "10"], "the change of version 2")
        self.check_page("history")

    def test_shows_the_versions_that_were_chosen_last(self):
        self.go("history")
        self.wait_for(lambda: self.sides() == ["10", "20"], "the newest change")
        self.hold_answers("from=1&to=3")
        self.choose("From", "Version 1")
        self.wait_for_held_answer()
        self.choose("To", "Version 2")
        self.wait_for(lambda: self.sides() == ["60.0", "10"], "the change of version 2")
        self.release_answers()
        self.assertEqual(self.sides(), ["60.0", "10"])

    def test_shows_versions_beyond_the_first_page(self):
        template = self.template()
        for number in range(4, 36):
            self.publish(template, f"Number {number}")

        def numbers():
            return [e.text.split()[0] for e in self.find_all("main table tbody th")]
        self.go("history")
        self.wait_for(lambda: numbers() == [str(n) for n in range(35, 5, -1)], "the newest 30")
        # Loading more does not change the comparison.
        self.choose("From", "Version 20")
        self.wait_for(lambda: "from=20&to=35" in self.driver.current_url, "the comparison")
        older = self.button("Show older versions")
        self.driver.execute_script(
            "window.fetchNow = fetch; window.fetch = async () => { throw new Error('away'); };")
        older.click()
        self.wait_for_text("The server does not answer", "main")
        self.assertEqual(numbers(), [str(n) for n in range(35, 5, -1)])
        self.check_page("history-away")
        # Two quick clicks load a page once.
        self.driver.execute_script(
            "window.fetch = fetchNow; arguments[0].click(); arguments[0].click();", older)
        self.wait_for(lambda: numbers() == [str(n) for n in range(35, 0, -1)], "all versions")
        self.assertEqual(self.field("From").get_attribute("value"), "20")
        self.assertIn("from=20&to=35", self.driver.current_url)
        # The last loaded row is compared with the version before it.
        self.choose("From", "Version 1")
        self.press("Show what version 2 changed")
        self.wait_for(lambda: self.sides() == ["60.0", "10"], "the change of version 2")

    def test_shows_what_the_last_loaded_row_and_a_link_to_an_old_version_compare(self):
        template = self.template()
        for number in range(4, 34):
            self.publish(template, f"Number {number}")
        self.go("history", **{"from": 1, "to": 2})
        self.wait_for(lambda: self.sides() == ["60.0", "10"], "the comparison of the link")
        self.press("Show what version 4 changed")
        self.wait_for_text("are the same", "main")
        self.assertIn("from=3&to=4", self.driver.current_url)

    def test_shows_all_of_version_1_as_new(self):
        self.go("history")
        self.press("Show what version 1 changed")
        # Initially the page shows another difference of the same settings.
        self.wait_for(
            lambda: {e.text for e in self.find_all(".difference .badge")} == {"Added"},
            "version 1 as new")
        self.assertIn("from=0&to=1", self.driver.current_url)
        self.assertIn("AppFeatures.RefreshInterval", self.find(".difference").text)

    def test_shows_publishes_by_the_api_without_alarm(self):
        self.go("history")
        self.wait_for_text("API", "main table")
        self.assertEqual(self.find_all("main table .badge.removed"), [])

    @gate
    def test_goes_back_after_it_has_shown_what_that_changes(self):
        self.go("history")
        self.press("Go back to version 1")
        self.wait_for_text("60.0", "dialog .side.new")
        self.check_page("rollback")
        self.press("Cancel")
        self.wait_for_dialog_to_close()
        self.assertEqual(self.version(), "3")
        self.press("Go back to version 1")
        self.write("Reason", "Too many errors")
        self.press("Go back to version 1")
        self.wait_for_dialog_to_close()
        self.wait_for_text("Version 1 is published again as version 4.", "main .success")
        self.wait_for_text("apps get it with their next request", "main .success")
        self.wait_for_text("Version 1 again", "main")
        self.wait_for_text("Too many errors", "main table")
        self.check_page("rollback-done")
        version = self.template()["version"]
        self.assertEqual(
            (version["versionNumber"], version["updateType"], version["rollbackSource"],
             version["description"], version["updateOrigin"]),
            ("4", "ROLLBACK", "1", "Too many errors", "CONSOLE"))
        self.go("settings")
        self.wait_for_text("60.0", "main")

    def test_closes_the_way_back_by_the_browser(self):
        self.go("history")
        self.press("Go back to version 1")
        self.wait_for_text("60.0", "dialog .side.new")
        self.driver.back()
        self.wait_for_dialog_to_close()
        self.press("Go back to version 1")
        self.write("Reason", "Too many errors")
        self.driver.back()
        self.wait_for_text("Discard your input?", "dialog:last-of-type")
        self.driver.back()
        self.wait_for(lambda: len(self.find_all("dialog")) == 1, "the form")

    @gate
    def test_does_not_hide_a_way_back_that_runs(self):
        self.go("history")
        self.press("Go back to version 1")
        self.write("Reason", "Too many errors")
        self.wait_for_text("60.0", "dialog .side.new")
        faults = Faults(self.driver)
        faults.hold("POST", ":rollback", limit=1)
        self.press("Go back to version 1")
        self.wait_for(lambda: faults.held() == 1, "the request")
        self.driver.switch_to.active_element.send_keys(Keys.ESCAPE)
        self.wait_for_text("“Go back to version 1” is running", "dialog")
        self.press("Cancel")
        self.driver.back()
        self.assertEqual(len(self.find_all("dialog")), 1)
        self.assertNotIn("Discard your input?", self.find("dialog").text)
        faults.end()
        self.wait_for_dialog_to_close()
        self.wait_for_text("Version 1 is published again as version 4.", "main .success")
        self.wait_for(lambda: self.find("main tbody tr th").text.split() == ["4", "Current"],
                      "the new version in the list")

    @gate
    def test_finds_out_whether_it_went_back(self):
        self.go("history")
        self.press("Go back to version 1")
        self.write("Reason", "Too many errors")
        self.wait_for_text("60.0", "dialog .side.new")
        faults = Faults(self.driver)
        faults.fail("GET", "listVersions")
        faults.lose("POST", ":rollback", limit=1)
        self.press("Go back to version 1")
        self.wait_for_text("asks it whether it has gone back", "dialog")
        faults.end()
        self.wait_for_dialog_to_close()
        self.wait_for_text("Version 1 is published again as version 4.", "main .success")
        self.assertEqual(self.template()["version"]["description"], "Too many errors")

    def test_says_that_it_did_not_go_back(self):
        self.go("history")
        self.press("Go back to version 1")
        self.wait_for_text("60.0", "dialog .side.new")
        faults = Faults(self.driver)
        faults.fail("POST", ":rollback", limit=1)
        self.press("Go back to version 1")
        self.wait_for_text("has not gone back. Try again.", "dialog")
        self.press("Go back to version 1")
        self.wait_for_dialog_to_close()
        self.assertEqual(self.version(), "4")

    def test_shows_what_was_published_since_the_way_back_was_decided_on(self):
        self.go("history")
        self.press("Go back to version 1")
        self.wait_for_text("60.0", "dialog .side.new")
        for value in ("30", "40"):
            self.publish(with_interval(value), f"Theirs, every {value} seconds")
        self.press("Go back to version 1")
        self.wait_for_text("Theirs, every 40 seconds", "dialog")
        self.assertEqual(self.version(), "5")
        text = self.find("dialog").text
        self.assertIn("Version 4 was published by Admin token", text)
        self.assertIn("Version 5 was published by Admin token", text)
        self.assertIn("Theirs, every 30 seconds", text)
        # The other user's change, then the change that the rollback makes now.
        self.assertEqual(
            [e.text.split("\n")[-1] for e in self.find_all("dialog .side")],
            ["20", "40", "40", "60.0"])
        self.check_page("rollback-outdated")
        self.press("Cancel")
        self.wait_for_dialog_to_close()
        self.assertEqual(self.version(), "5")

        self.press("Go back to version 1")
        self.wait_for(
            lambda: [e.text.split("\n")[-1] for e in self.find_all("dialog .side")]
            == ["40", "60.0"], "what is current now")
        self.publish(self.template(), "Once more")
        self.press("Go back to version 1")
        self.wait_for_text("Once more", "dialog")
        self.press("Go back to version 1")
        self.wait_for_dialog_to_close()
        version = self.template()["version"]
        self.assertEqual(
            (version["versionNumber"], version["updateType"], version["rollbackSource"]),
            ("7", "ROLLBACK", "1"))

    @gate
    def test_lists_who_did_what(self):
        new_session(self.url, self.token)
        self.go("audit")
        rows = self.wait_for(lambda: self.find_all("tbody tr"), "the trail")
        # The trail includes new tokens and sessions, which belong to every project.
        texts = [" ".join(row.text.split()) for row in rows]
        self.assertTrue(any(
            text.endswith("Admin token Sign in Console session of Admin token publisher")
            for text in texts), texts)
        texts = [text for text in texts if " Publish " in text]
        for text, end in zip(texts, (
                "Admin token Publish 3 Every 20 seconds", "Admin token Publish 2 Every 10 seconds",
                "Admin token Publish 1 The sample template"), strict=True):
            self.assertTrue(text.endswith(end), text)
        self.check_page("audit")

    def test_finds_entries_of_the_trail(self):
        self.call("PUT", "users/42/overrides", {"AppFeatures": {"RefreshInterval": 7}})
        self.call("PUT", "users/42/overrides", {"AppFeatures": {"RefreshInterval": 8}})
        self.administer("POST", "/console/session", {"token": "no-token"})
        self.go("audit", text="refreshinterval (was")
        self.wait_for_text("AppFeatures.RefreshInterval = 8 (was 7)", "tbody")
        self.assertEqual(len(self.find_all("tbody tr")), 1)
        self.write("Words", "")
        self.choose("What", "Publish")
        self.press("Search")
        self.wait_for(lambda: len(self.find_all("tbody tr")) == 3, "the publishes")
        self.assertIn("action=PUBLISH", self.driver.current_url)
        self.write("Who", "nobody")
        self.press("Search")
        self.wait_for_text("Nothing is found.", "main")
        self.check_page("audit-search")
        self.press("Show all")
        self.wait_for_text("Every 20 seconds", "tbody")
        self.assertEqual(self.field("Who").get_attribute("value"), "")
        self.choose("What", "Failed sign-in")
        self.press("Search")
        self.wait_for_text("127.0.0.1", "tbody")
        self.assertNotIn("no-token", self.find("main").text)

    def test_finds_entries_by_the_shown_words(self):
        self.call("PUT", "users/42/overrides", {"AppFeatures": {"RefreshInterval": 7}})
        self.go("audit", text="pin VALUES")
        self.wait_for_text("AppFeatures.RefreshInterval = 7", "tbody")
        self.assertEqual(len(self.find_all("tbody tr")), 1)
        self.write("Words", "publish every")
        self.write("Who", "Admin token")
        self.press("Search")
        self.wait_for(lambda: len(self.find_all("tbody tr")) == 2, "the publishes")
        self.find("[aria-label='Changes of version 3']").click()
        self.wait_for_text("Comparing version 2 with version 3", "#announcements")


class VersionUndoTests(TaskCase):
    """Version 2 changes the interval, version 3 adds a title."""

    def setUp(self):
        super().setUp()
        self.publish(with_interval("10"), "Every 10 seconds")
        template = with_interval("10")
        template["parameters"] = {"title": {"defaultValue": {"value": "New"}}}
        self.publish(template, "A title")

    def dialog_sides(self):
        """The texts on both sides of each difference in the dialog."""
        return [e.text.split("\n")[-1] for e in self.find_all("dialog .side")]

    @gate
    def test_takes_back_a_version_and_keeps_a_later_one(self):
        self.go("history")
        self.press("Undo version 2")
        self.wait_for(lambda: self.dialog_sides() == ["10", "60.0"], "what the undo changes")
        self.assertIn("what later versions changed stays", self.find("dialog").text)
        self.check_page("undo")
        self.write("Reason", "Too often")
        self.press("Undo version 2")
        self.wait_for_dialog_to_close()
        self.wait_for_text(
            "The changes of version 2 were taken back, as version 4.", "main .success")
        self.wait_for_text("Undoes version 2", "main table")
        version = self.template()["version"]
        self.assertEqual(
            (version["updateType"], version["undoneVersionNumber"], version["description"],
             version["updateOrigin"]), ("UNDO", "2", "Too often", "CONSOLE"))
        self.assertEqual(
            self.parameter("AppFeatures", "RefreshInterval")["defaultValue"]["value"], "60.0")
        self.assertIn("title", self.template()["parameters"])
        # Once more, there is nothing to undo.
        self.press("Undo version 2")
        self.wait_for_text("Nothing is left to take back: version 4 has none of the changes of "
                           "version 2.", "dialog .message")
        self.assertEqual(self.named("input", "Reason"), None)
        self.assertFalse(self.button("Undo version 2").is_enabled())
        self.check_page("undo-nothing")
        self.press("Cancel")
        self.wait_for_dialog_to_close()

    def test_names_the_later_versions_that_changed_the_same(self):
        self.publish(with_interval("20", self.template()), "Less often")
        self.go("history")
        self.press("Undo version 2")
        self.wait_for_text("AppFeatures.RefreshInterval, default value", "dialog .warning")
        self.wait_for_text("Changed by Admin token in version 4", "dialog .warning")
        self.wait_for_text("“Less often”", "dialog .warning")
        self.assertFalse(self.button("Undo version 2").is_enabled())
        self.check_page("undo-conflict")
        self.driver.switch_to.active_element.send_keys(Keys.ESCAPE)
        self.wait_for_dialog_to_close()
        self.assertEqual(self.version(), "4")

    def test_shows_what_was_published_since_the_undo_was_decided_on(self):
        self.go("history")
        self.press("Undo version 3")
        self.wait_for_text("New", "dialog .side.old")
        self.publish(with_interval("30", self.template()), "Theirs")
        self.press("Undo version 3")
        self.wait_for_text("The undo keeps its changes", "dialog")
        self.wait_for_text("Review what changed, and decide again.", "dialog [role=alert]")
        # One that leaves nothing to take back.
        self.publish(with_interval("30"), "Theirs again")
        self.press("Undo version 3")
        self.wait_for_text("Nothing is left to take back: version 5", "dialog [role=alert]")
        self.press("Undo version 3")
        self.wait_for_text("Nothing is left to take back", "dialog [role=alert]")
        self.assertEqual(self.version(), "5")

    def test_reads_a_version_that_is_published_while_it_compares(self):
        self.go("history")
        self.wait_for_text("A title", "main table")
        self.hold_answers(f"/{self.project}/remoteConfig ")
        self.press("Undo version 2")
        self.wait_for_held_answer()
        self.publish(with_interval("10"), "Theirs")
        self.release_answers()
        self.wait_for_text("What the undo changes in version 4", "dialog")
        self.assertTrue(self.button("Undo version 2").is_enabled())

    def test_opens_again_after_a_reload_with_its_reason(self):
        self.go("history")
        self.press("Undo version 2")
        self.wait_for_text("60.0", "dialog .side.new")
        self.write("Reason", "Too often")
        self.driver.refresh()
        self.wait_for_text("Undo version 2?", "dialog h2")
        self.assertEqual(self.field("Reason").get_attribute("value"), "Too often")


class VersionUndoOnAPhoneTests(TaskCase):
    size = PHONE

    def test_has_targets_for_fingers(self):
        self.publish(with_interval("10"), "Every 10 seconds")
        self.go("history")
        self.wait_for_text("Every 10 seconds", "main table")
        self.check_targets("the versions")
        self.check_page("history")
        self.press("Undo version 2")
        self.wait_for_text("60.0", "dialog .side.new")
        self.check_targets("the undo")
        self.check_page("undo")


class LargeHistoryTests(TaskCase):
    def test_keeps_going_back_above_a_version_that_changes_thousands_of_settings(self):
        self.publish(large_template(), "Large")
        self.publish(large_template(step=1), "All of them")
        for size in (PHONE, (1280, 900), (2560, 1300)):
            with self.subTest(size=size):
                self.browser.set_size(size)
                self.go("history")
                self.wait_for_text("100 changed", ".diff")
                count, height, back, changes = self.driver.execute_script("""
                    const top = (selector) => document.querySelector(selector)
                        .getBoundingClientRect().top + scrollY;
                    return [document.querySelectorAll('*').length,
                        document.documentElement.scrollHeight,
                        top('[data-focus="rollback 1"]'), top('.diff')];""")
                self.assertLess(count, 1500)
                self.assertLess(height, 3500)
                self.assertLess(back, changes + 300)
                self.assertLess(back, 1000)
                # Its changes are in sight at once.
                self.press("Show what version 2 changed")
                self.wait_for_text("100 added", ".diff")
                self.assertLess(self.driver.execute_script(
                    "return document.querySelector('.diff').getBoundingClientRect().top"), 500)
        self.check_page("history-large")
        self.press("Go back to version 2")
        self.wait_for_text("100 changed", "dialog .diff")
        self.press("Group 3 100 changed")
        self.wait_for_text("a_setting_with_number_1023", "dialog .difference-row")
        # The rows follow the scrolling of the dialog.
        self.driver.execute_script(
            "document.querySelector('.dialog-body').scrollBy(0, 3000)")
        self.wait_for_text("a_setting_with_number_993", "dialog .difference-row")
        self.check_page("rollback-large")


class AuditOnAPhoneTests(TaskCase):
    size = PHONE

    def test_shows_rows_whose_labels_do_not_overlap(self):
        self.go("audit")
        def laid_out():
            heights = self.driver.execute_script(
                "return [...document.querySelectorAll('td[data-label]:not(:empty)')].map((cell) =>"
                " [cell.offsetHeight, parseFloat(getComputedStyle(cell).lineHeight)])")
            # Zero until the page is shown; the cells of the page before may still be there.
            return heights if heights and all(height for height, _ in heights) else None
        heights = self.wait_for(laid_out, "the trail")
        self.assertEqual([height for height, line in heights if height < line], [])
        self.check_page("audit")


if __name__ == "__main__":
    unittest.main()
