"""The connections, and a version that arrives."""

import unittest
from urllib.request import urlopen

from console_case import PATIENCE, URL, gate
from task_case import TaskCase, with_interval

# Cards of the page that are narrower than it, and elements with a scroll bar of their own.
UNUSED = """
    const {clientWidth} = document.querySelector('main .review');
    const isSmall = (e) => e.matches('.card') && e.offsetWidth < clientWidth;
    return [...document.querySelectorAll('main *')]
        .filter((e) => isSmall(e) || e.scrollHeight > e.clientHeight + 1
            && ['auto', 'scroll'].includes(getComputedStyle(e).overflowY))
        .map((e) => e.outerHTML.slice(0, 100));"""


class LiveTests(TaskCase):
    def listen(self, user):
        """Listens as a user's app does."""
        stream = urlopen(
            f"{URL}/projects/{self.project}/activeconfig/user/{user}/events", timeout=PATIENCE)
        self.addCleanup(stream.close)
        return stream

    def figure(self, heading):
        """The number below a heading."""
        return self.find(f"[aria-labelledby={heading}] .figure").text

    @gate
    def test_shows_how_a_version_arrives(self):
        streams = [self.listen(user) for user in range(4)]
        self.go("live")
        self.wait_for(lambda: self.figure("now") == "4", "the connections")
        self.wait_for(lambda: self.figure("share") == "100%", "the share")
        before = self.path()
        self.wait_for(lambda: self.path() != before, "the plot to move")
        self.publish(with_interval("10"), "Sooner")
        self.wait_for_text("newest", "main tbody")
        self.wait_for(lambda: "version 2" in self.find("main svg").accessible_name, "version 2")
        self.wait_for(lambda: self.figure("share") == "100%", "the arrival")
        self.assertIn("4 of 4 connected apps have version 2", self.find("main svg").accessible_name)
        self.check_page("live")
        for stream in streams[1:]:
            stream.close()
        self.wait_for(lambda: self.figure("now") == "1", "the connections to end")

    @gate
    def test_browsers_read_the_events_of_a_user(self):
        self.go("live")
        self.driver.execute_script("""
            window.events = [];
            const source = new EventSource(arguments[0]);
            for (const name of ['hello', 'update']) {
                source.addEventListener(name, (event) => window.events.push([name, event.lastEventId]));
            }""", f"/projects/{self.project}/activeconfig/user/1/events")

        def events():
            return self.driver.execute_script("return window.events")
        self.wait_for(lambda: events() == [["hello", "1"]], "the first event")
        self.publish(with_interval("10"), "Sooner")
        self.wait_for(lambda: events() == [["hello", "1"], ["update", "2"]], "the change")

    def path(self):
        """The plot's line."""
        return self.find_all(".plot-line")[0].get_attribute("d")

    def test_draws_the_plot_in_the_pixels_of_the_page(self):
        self.addCleanup(self.browser.set_size, self.size)
        self.go("live")
        self.find("svg.plot")
        for width in (320, 1280, 390):
            self.browser.set_size((width, 900))
            self.wait_for(lambda: self.driver.execute_script(
                "return document.querySelector('svg.plot').getScreenCTM().a") == 1,
                f"text of full size at {width} px")

    def test_says_whom_a_draft_changes(self):
        # User 2 has two devices.
        for user in (1, 2, 2, 3):
            self.listen(user)
        self.go("conditions")
        self.press("Edit User 2")
        self.write("Expression", "user.id == '9'")
        self.keep()
        self.go("review")
        self.wait_for_text("Of 4 connected apps 2 change.", "main")
        summary = self.find("[aria-labelledby=impact] summary")
        self.assertEqual(summary.text, "Who changes")
        summary.click()
        self.assertEqual([e.text for e in self.find_all(".users li")], ["2"])
        self.check_page("review-connected")

    def test_lists_who_changes_in_order_and_over_the_whole_width(self):
        for user in ("u10", "9", "u9", "100", "20"):
            self.listen(user)
        self.edit_interval("45")
        self.go("review")
        self.write("Also preview these users", "42, 7, 100")
        self.press("Preview")
        self.wait_for(lambda: len(self.find_all("[aria-labelledby=impact] .difference")) == 3,
                      "the preview")
        self.named("summary", "Who changes").click()
        self.assertEqual(
            [e.text for e in self.find_all(".users li")], ["9", "20", "100", "u9", "u10"])
        self.addCleanup(self.browser.set_size, self.size)
        for width in (320, 390, 1280, 1440, 2560):
            self.browser.set_size((width, 900))
            with self.subTest(width):
                self.assertEqual(self.driver.execute_script(UNUSED), [])

    def test_counts_what_an_outdated_draft_changes_of_what_is_current(self):
        for user in range(1, 6):
            self.listen(user)
        self.go("conditions")
        self.press("Edit User 2")
        self.write("Expression", "user.id == '9'")
        self.keep()
        # Another user changes a setting for all users.
        self.publish(with_interval("10"), "Sooner")
        self.go("review")
        self.write("Also preview these users", "4, 9")
        self.press("Preview")
        self.wait_for_text("Of 5 connected apps 1 changes.", "main")
        impact = self.wait_for_text("9", "[aria-labelledby=impact] ul:not(.users)").text
        self.assertNotIn("RefreshInterval", impact)
        self.assertIn("SampleViewConfiguration.LabelText", impact)
        self.wait_for_text("Compared with version 2, which is current", "[aria-labelledby=impact]")
        self.wait_for_text("since version 1", "[aria-labelledby=changes]")
        self.check_page("review-outdated")
        # A user's whole configuration is merged with version 2, too.
        self.go("user", id="9")
        self.wait_for_text("Draft, merged with version 2", "main h3")
        row = next(e.text for e in self.find_all("tbody tr") if "RefreshInterval" in e.text)
        self.assertIn("10", row)

    def test_counts_yours_where_both_changed_the_same(self):
        self.edit_interval("45")
        self.publish(with_interval("10"), "Sooner")
        self.go("review")
        self.write("Also preview these users", "4")
        self.press("Preview")
        self.wait_for(
            lambda: [e.text.split("\n")[-1] for e in self.find_all(
                "[aria-labelledby=impact] .side")] == ["10.0", "45.0"]
            or [e.text.split("\n")[-1] for e in self.find_all(
                "[aria-labelledby=impact] .side")] == ["10", "45"], "what changes")
        self.wait_for_text("1 thing that you both changed", "[aria-labelledby=impact]")

    def test_says_which_signals_it_does_not_know(self):
        self.go("settings")
        self.press("Edit AppFeatures.RefreshInterval")
        self.write("Value for New versions", "5")
        self.keep()
        self.go("review")
        self.write("Also preview these users", "4")
        self.press("Preview")
        impact = self.wait_for_text("app.version", "[aria-labelledby=impact]").text
        self.assertIn("Nothing changes with these signals", impact)
        self.assertIn("Unknown: app.version. Conditions on it count as false.", impact)
        self.find("[aria-labelledby=impact] form summary").click()
        self.check_page("review-unknown-signals")
        self.write("App version", "3.0")
        self.press("Preview")
        self.wait_for_text("1 setting", "[aria-labelledby=impact]")
        self.assertNotIn("Unknown: ", self.find("[aria-labelledby=impact]").text)
        self.go("user", id="4")
        self.wait_for_text("Unknown: app.version. Conditions on it count as false.", "main")


if __name__ == "__main__":
    unittest.main()
