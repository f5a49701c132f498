"""The review: changes line by line, the affected users, reverting changes, and undoing."""

import copy
import unittest
from urllib.request import urlopen

from selenium.webdriver.common.keys import Keys

from browser import DESKTOP, PHONE
from console_case import PATIENCE, URL, gate
from faults import Faults
from large_project import large_template
from task_case import TEMPLATE, TaskCase


class ReviewCase(TaskCase):
    """Base class with the review of a draft that is made without the browser."""

    def start_draft(self, change):
        """Stores a draft in which a function has changed the template, and opens the review."""
        template = self.template()
        base = template.pop("version")["versionNumber"]
        change(template)
        status, answer = self.call(
            "PUT", "draft", {"baseVersion": base, "template": template}, If_None_Match="*")
        self.assertEqual(status, 200, answer)
        self.go("review")
        self.wait_for_text("What changes", "main")

    def ask_as_users(self, number, query):
        """Asks for the documents of users, as their apps do."""
        for user in range(number):
            with urlopen(f"{URL}/projects/{self.project}/activeconfig/user/u{user}?{query}",
                         timeout=PATIENCE) as answer:
                answer.read()


class ReviewTests(ReviewCase):
    def test_marks_the_changed_words_of_long_values_and_folds_the_rest(self):
        old = '{"items": [' + ",".join(f'{{"id": {n}, "name": "Item {n}"}}' for n in range(60)) + "]}"
        template = copy.deepcopy(TEMPLATE)
        template["parameterGroups"]["AppFeatures"]["parameters"]["Items"] = {
            "defaultValue": {"value": old}, "valueType": "JSON"}
        self.publish(template, "Items")

        def change(template):
            items = template["parameterGroups"]["AppFeatures"]["parameters"]["Items"]
            items["defaultValue"]["value"] = old.replace("Item 30", "Thing 30").replace(": ", ":   ")
        self.start_draft(change)
        self.wait_for_text("AppFeatures.Items", ".difference")
        self.assertEqual([e.text for e in self.find_all(".diff-line mark")], ["Item", "Thing"])
        self.assertEqual(len(self.find_all(".diff-line.old")), 1)
        self.assertEqual(len(self.find_all(".diff-line.new")), 1)
        self.wait_for_text("unchanged lines", ".diff-fold")
        self.check_page("review-lines")

    @gate
    def test_takes_one_change_back(self):
        self.edit_interval("45")
        self.press("Edit SampleViewConfiguration.LabelText")
        self.write("Default value", "Mine")
        self.keep()
        self.go("conditions")
        self.press("Edit User 2")
        self.write("Expression", "user.id == '9'")
        self.keep()
        self.wait_for_text("3 changes", ".draft-bar")
        self.go("review")
        self.press("Revert AppFeatures.RefreshInterval")
        self.wait_for_text("2 changes", ".draft-bar")
        self.press("Revert User 2")
        self.wait_for_text("1 change", ".draft-bar")
        self.wait_for(lambda: "Saving" not in self.find("body").text, "the draft to be saved")
        draft = self.call("GET", "draft")[1]
        names = [c["name"] for c in draft["template"]["conditions"]]
        self.assertEqual(names, [c["name"] for c in TEMPLATE["conditions"]])
        self.assertEqual(
            [e["key"] for e in draft["changes"]["parameters"]], ["LabelText"])
        self.press("Revert SampleViewConfiguration.LabelText")
        self.wait_for_text("There is no draft", "main")
        self.wait_for(lambda: self.call("GET", "draft")[0] == 204, "the draft to be removed")

    def test_says_that_a_reverted_change_waits_for_its_save(self):
        def change(template):
            for group in template["parameterGroups"].values():
                group["description"] = "Mine"
        self.start_draft(change)
        faults = Faults(self.driver)
        faults.hold("PATCH", "/draft")
        faults.hold("PUT", "/draft")
        self.press("Revert AppFeatures")
        self.wait_for_text("Reverted", ".difference")
        self.wait_for_text("You can publish when the changed draft is saved", ".publish-card")
        self.assertFalse(self.button("Publish").is_enabled())
        faults.end()
        self.wait_for(lambda: len(self.find_all(".difference")) == 1, "the change that is left")
        self.press("Publish")
        self.wait_for_text("Published as version 2.", "main")

    def test_names_the_settings_that_a_condition_concerns(self):
        self.go("conditions")
        self.press("Edit User 2")
        self.write("Expression", "user.id == '9'")
        self.keep()
        self.go("review")
        # The result of a check moves the page meanwhile: a click may miss.
        self.wait_for_text("Concerns", ".difference summary").send_keys(Keys.ENTER)
        self.wait_for_text("SampleViewConfiguration.LabelText", ".difference details")

    def test_says_where_an_added_condition_stands(self):
        def change(template):
            template["conditions"].insert(1, {"name": "Apple", "expression": "device.os == 'ios'"})
        self.start_draft(change)
        apple = self.wait_for_text("Apple", ".difference").text
        total = len(TEMPLATE["conditions"]) + 1
        self.assertIn(f"Place among the conditions\nAfter\n2 of {total}", apple)

    def test_warns_of_a_value_that_a_condition_above_takes(self):
        self.ask_as_users(6, "device.os=ios")

        def change(template):
            template["conditions"] = [
                {"name": "All systems", "expression": "device.os in ['ios', 'android']"},
                *template["conditions"], {"name": "Apple", "expression": "device.os == 'ios'"}]
            label = template["parameterGroups"]["SampleViewConfiguration"]["parameters"]["LabelText"]
            label.setdefault("conditionalValues", {}).update(
                {"All systems": {"value": "all"}, "Apple": {"value": "apple"}})
        self.start_draft(change)
        self.wait_for_text("1 changed value reaches nobody", "[aria-labelledby=impact]")
        impact = self.wait_for_text("“All systems” takes 6", "[aria-labelledby=impact]").text
        self.assertIn("LabelText, for “Apple”", impact)
        self.assertIn("About 100% of recent users change", impact)
        self.check_page("review-shadowed")
        # Reverting a condition also reverts the values for it.
        self.press("Revert Apple")
        self.wait_for_text("2 changes", ".draft-bar")
        status, draft = self.call("GET", "draft")
        self.assertEqual(draft["problems"], [])
        self.assertNotIn("apple", str(draft["template"]))

    def test_folds_values_beyond_the_first(self):
        self.ask_as_users(6, "device.os=ios")

        def change(template):
            template["conditions"] = [
                {"name": "All systems", "expression": "device.os in ['ios', 'android']"},
                {"name": "Apple", "expression": "device.os == 'ios'"}]
            template["parameterGroups"] = {"Many": {"parameters": {
                f"key_{n}": {"defaultValue": {"value": "x"}, "conditionalValues": {
                    "All systems": {"value": "all"}, "Apple": {"value": "apple"}}}
                for n in range(25)}}}
        self.start_draft(change)
        impact = self.wait_for_text("50 changed values reach nobody", "[aria-labelledby=impact]")
        rest = impact.find_element("xpath", ".//summary[.='30 more']")
        self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", rest)
        rest.click()
        self.assertEqual(len([e for e in self.find_all("[aria-labelledby=impact] .warning li")
                              if e.is_displayed()]), 50)

    def test_lists_the_warnings_of_the_server(self):
        def change(template):
            parameter = template["parameterGroups"]["AppFeatures"]["parameters"]["RefreshInterval"]
            parameter["conditionalValues"]["User 1"] = {
                "rolloutValue": {"rolloutId": "r", "value": "9", "percent": 5}}
            parameter["conditionalValues"]["User 3"] = {
                "rolloutValue": {"rolloutId": "r", "value": "9", "percent": 5}}
        self.start_draft(change)
        items = self.wait_for(lambda: self.find_all("main .message.warning li"), "the warnings")
        self.assertEqual(len(items), 2)
        for item in items:
            self.assertTrue(item.text.startswith("In AppFeatures.RefreshInterval, value for “"), item.text)
        self.assertNotIn("199", self.find("main .message.warning").text)

    def test_names_the_condition_of_a_warning_and_leaves_others_alone(self):
        rule = "app.audiences.inAtLeastOne(['beta']) || device.os == 'iOS'"
        template = copy.deepcopy(TEMPLATE)
        template["conditions"].append({"name": "Old", "expression": rule})
        self.publish(template, "Old")

        def change(template):
            template["conditions"].append({"name": "New", "expression": rule})
        self.start_draft(change)
        self.wait_for_text("In the condition New, expression: app.audiences", ".warning li")
        others = "1 remark on other conditions"
        self.wait_for_text(others, "main summary").click()
        self.wait_for_text("In the condition Old, expression: app.audiences", ".warning li")
        impact = self.wait_for_text("1 rule is probably true for no user", "[aria-labelledby=impact]")
        self.assertNotIn("Old", impact.text)
        self.press("Revert New")
        self.wait_for_text("There is no draft", "main")
        self.start_draft(lambda template: template["conditions"][0].update(tagColor="PINK"))
        self.wait_for_text(others, "main summary")
        self.wait_for_text("Compared with version 2", "[aria-labelledby=impact]")
        self.assertNotIn("probably", self.find("main").text)

    def test_warns_of_a_condition_for_which_a_setting_gets_a_value(self):
        template = copy.deepcopy(TEMPLATE)
        template["conditions"].append({
            "name": "Old", "expression": "app.audiences.inAtLeastOne(['beta'])"})
        self.publish(template, "Old")

        def change(template):
            parameters = template["parameterGroups"]["AppFeatures"]["parameters"]
            parameters["RefreshInterval"].setdefault(
                "conditionalValues", {})["Old"] = {"value": "30"}
        self.start_draft(change)
        self.wait_for_text("In the condition Old, expression: app.audiences", ".warning li")

    def test_previews_the_users_that_were_asked_for_last_and_says_how_many(self):
        self.edit_interval("45")
        self.go("review")
        impact = self.find("[aria-labelledby=impact]")
        self.hold_answers('"userID":"first"')
        self.write("Also preview these users", "first")
        self.press("Preview")
        self.wait_for_held_answer()
        users = ", ".join(f"u{n}" for n in range(101))
        self.driver.execute_script("arguments[0].value = arguments[1]",
                                   self.field("Also preview these users"), users)
        self.press("Preview")
        self.wait_for_text(
            "Only the first 100 of 101 users are previewed", "[aria-labelledby=impact]")
        self.release_answers()
        self.assertIn("Only the first 100 of 101 users are previewed", impact.text)
        self.assertNotIn("first 1 setting", impact.text.replace("\n", " "))

    def test_shows_changes_of_white_space_and_of_repeated_members(self):
        space = '{"name": "A text", "other": "that is long enough for lines of its own, and more"}'
        members = '{"a": 1, "a": 2, "other": "long enough for lines of its own, as the other one"}'
        template = copy.deepcopy(TEMPLATE)
        settings = template["parameterGroups"]["AppFeatures"]["parameters"]
        settings["Text"] = {"defaultValue": {"value": space}, "valueType": "STRING"}
        settings["Tree"] = {"defaultValue": {"value": members}, "valueType": "JSON"}
        self.publish(template, "Both")

        def change(template):
            settings = template["parameterGroups"]["AppFeatures"]["parameters"]
            settings["Text"]["defaultValue"]["value"] = space.replace("name\": \"A", "name\":\"B")
            settings["Tree"]["defaultValue"]["value"] = members.replace('"a": 1, ', "")
        self.start_draft(change)
        text, tree = [e.text for e in self.find_all(".difference")]
        self.assertIn('"name":"B text"', text)
        self.assertIn('"a": 1', tree)
        self.press("Publish")
        self.wait_for_text("Published as version 3", "main")
        self.go("history")
        self.wait_for_text('"name":"B text"', ".difference")
        # White space of JSON is shown where nothing else differs.
        template = self.template()
        tree = template["parameterGroups"]["AppFeatures"]["parameters"]["Tree"]
        tree["defaultValue"]["value"] += 30 * " "
        self.publish(template, "With spaces")
        self.go("settings")
        self.go("history")
        self.wait_for_text("AppFeatures.Tree", ".difference")
        self.assertEqual(len(self.find_all(".diff-line.new")), 1)

    def test_takes_changes_of_both_parts_of_the_section_default_back(self):
        both = {"parameters": {"alone": {"defaultValue": {"value": "1"}}},
                "parameterGroups": {"Default": {"parameters": {
                    "grouped": {"defaultValue": {"value": "2"}}}}}}
        self.publish(both, "Both")

        def change(template):
            template["parameters"]["alone"]["defaultValue"]["value"] = "3"
            del template["parameterGroups"]["Default"]["parameters"]["grouped"]
            template["parameterGroups"]["Default"]["parameters"]["new"] = {
                "defaultValue": {"value": "4"}}
        self.start_draft(change)
        self.press("Revert Default.grouped")
        self.wait_for_text("2 changes", ".draft-bar")
        self.press("Revert Default.new")
        self.wait_for_text("1 change", ".draft-bar")
        template = self.call("GET", "draft")[1]["template"]
        self.assertEqual(template["parameterGroups"], both["parameterGroups"])
        self.press("Revert Default.alone")
        self.wait_for_text("There is no draft", "main")

    def test_names_the_value_that_was_probably_meant(self):
        def change(template):
            template["conditions"].append(
                {"name": "Apple", "expression": "device.os == 'iOS' || device.country in ['Japan']"})
        self.start_draft(change)
        impact = self.wait_for_text("probably true for no user", "[aria-labelledby=impact]").text
        self.assertIn("Clients send device.os as 'ios'", impact)
        self.assertIn("Clients send device.country as 'JP'", impact)

    @gate
    def test_says_what_apps_have_after_a_publish_and_undoes_it(self):
        stream = urlopen(
            f"{URL}/projects/{self.project}/activeconfig/user/1/events", timeout=PATIENCE)
        self.addCleanup(stream.close)
        self.edit_interval("45")
        self.go("review")
        self.press("Publish")
        self.wait_for_text("Published as version 2.", "main")
        self.wait_for_text("1 of 1 connected app has it.", "main")
        self.check_page("review-published")
        self.press("Undo")
        self.wait_for(lambda: self.version() == "3", "the undo")
        interval = self.parameter("AppFeatures", "RefreshInterval")
        self.assertEqual(interval["defaultValue"], {"value": "60.0"})
        self.assertEqual(self.template()["version"]["undoneVersionNumber"], "2")

    def test_asks_before_an_undo_removes_most_settings(self):
        self.start_draft(lambda template: template["parameterGroups"].update({"Many": {
            "parameters": {f"key_{n}": {"defaultValue": {"value": "x"}} for n in range(30)}}}))
        self.press("Publish")
        self.wait_for_text("Published as version 2.", "main")
        self.press("Undo")
        self.wait_for_text("This removes 30 of ", "dialog")
        self.press("Cancel")
        self.wait_for_text("Not undone. You can try again.", "main")
        self.assertEqual(self.version(), "2")
        self.press("Undo")
        self.press("Remove 30 settings")
        self.wait_for_text("The changes of version 2 were taken back, as version 3.", ".success")

    def test_says_that_it_was_undone_and_brings_it_back_as_a_draft(self):
        stream = urlopen(
            f"{URL}/projects/{self.project}/activeconfig/user/1/events", timeout=PATIENCE)
        self.addCleanup(stream.close)
        self.edit_interval("45")
        self.go("review")
        self.write("Description of this version", "Look sooner")
        self.press("Publish")
        self.wait_for_text("Published as version 2.", "main")
        self.press("Undo")
        self.wait_for_text("The changes of version 2 were taken back, as version 3.", ".success")
        self.wait_for_text("1 of 1 connected app has it.", ".success")
        self.assertNotIn("Published as version 2.", self.find("main").text)
        self.check_page("review-undone")
        self.press("Edit it again as a draft")
        self.wait_for_text("since version 3", ".draft-bar")
        self.wait_for_text("AppFeatures.RefreshInterval", ".difference")
        self.assertEqual(
            [e.text.split("\n") for e in self.find_all(".diff .side")],
            [["Before", "60.0"], ["After", "45"]])
        self.assertEqual(self.find_all(".success"), [])
        self.press("Publish")
        self.wait_for_text("Published as version 4.", "main")
        self.assertEqual(self.template()["version"]["description"], "Look sooner")

    def test_brings_back_what_was_undone_beside_what_others_published_since(self):
        self.publish_interval()
        self.press("Undo")
        self.wait_for_text("The changes of version 2 were taken back, as version 3.", ".success")
        theirs = copy.deepcopy(TEMPLATE)
        theirs["parameterGroups"]["AppFeatures"]["description"] = "Theirs"
        self.publish(theirs, "Theirs")
        self.press("Edit it again as a draft")
        self.wait_for_text("since version 4", ".draft-bar")
        self.wait_for_text("AppFeatures.RefreshInterval", ".difference")
        self.assertEqual(len(self.find_all(".difference")), 1)

    def test_does_not_undo_changes_that_another_user_published_since(self):
        self.edit_interval("45")
        self.go("review")
        self.press("Publish")
        self.wait_for_text("Published as version 2.", "main")
        self.publish(TEMPLATE, "Theirs")
        self.press("Undo")
        self.wait_for_text("Not undone, since a newer version was published", "main")
        self.assertEqual(self.version(), "3")

    def publish_interval(self):
        """Publishes a draft as version 2; returns the faults of the network."""
        self.edit_interval("45")
        self.go("review")
        self.press("Publish")
        self.wait_for_text("Published as version 2.", "main")
        return Faults(self.driver)

    def test_offers_the_undo_again_when_it_did_not_reach_the_server(self):
        faults = self.publish_interval()
        faults.fail("POST", ":undo")
        self.press("Undo")
        self.wait_for_text("Not undone. You can try again.", "main")
        faults.end()
        self.press("Undo")
        self.wait_for(lambda: self.version() == "3", "the undo")

    def test_finds_out_that_it_was_undone_when_the_response_is_lost(self):
        faults = self.publish_interval()
        faults.lose("POST", ":undo")
        self.press("Undo")
        self.wait_for_text("There is no draft", "main")
        self.wait_for(
            lambda: "Published as version 2." not in self.find("main").text, "the review to end")
        self.assertEqual(self.version(), "3")
        self.assertEqual(self.template()["version"]["undoneVersionNumber"], "2")

    def test_keeps_the_description_over_a_reload_and_a_merge(self):
        self.edit_interval("45")
        self.go("review")
        self.write("Description of this version", "Look sooner")
        self.find("main h1").click()
        self.wait_for(
            lambda: self.call("GET", "draft")[1]["template"].get("version")
            == {"description": "Look sooner"}, "the description in the draft")
        self.driver.refresh()
        self.wait_for(
            lambda: self.field("Description of this version").get_attribute("value")
            == "Look sooner", "the description")
        theirs = copy.deepcopy(TEMPLATE)
        label = theirs["parameterGroups"]["SampleViewConfiguration"]["parameters"]["LabelText"]
        label["defaultValue"]["value"] = "Theirs"
        self.publish(theirs, "Theirs")
        self.press("Publish")
        self.press("Take this into the draft")
        self.wait_for(lambda: "/review" in self.driver.current_url, "the review")
        self.press("Publish")
        self.wait_for_text("Published as version 3.", "main")
        self.assertEqual(self.template()["version"]["description"], "Look sooner")

    def test_merges_the_fields_of_one_setting(self):
        self.edit_interval("45")
        self.wait_for_text("1 change", ".draft-bar")
        theirs = copy.deepcopy(TEMPLATE)
        interval = theirs["parameterGroups"]["AppFeatures"]["parameters"]["RefreshInterval"]
        interval["description"] = "Theirs"
        self.publish(theirs, "Theirs")
        self.go("review")
        self.press("Publish")
        self.wait_for_text("You changed different things", "main")
        self.press("Take this into the draft")
        self.wait_for(lambda: "/review" in self.driver.current_url, "the review")
        self.press("Publish")
        self.wait_for_text("Published as version 3.", "main")
        merged = self.parameter("AppFeatures", "RefreshInterval")
        self.assertEqual(merged["description"], "Theirs")
        self.assertEqual(merged["defaultValue"], {"value": "45"})


# Controls of the page that are under a sticky element, or outside of the window, while focused.
COVERED = """
    return [...document.querySelectorAll('main :is(button, a, summary, input)')]
        .filter((element) => element.checkVisibility() && !element.disabled)
        .filter((element) => {
            element.focus();
            const {left, top, width, height} = element.getBoundingClientRect();
            const hit = document.elementFromPoint(left + width / 2, top + height / 2);
            return !element.contains(hit) && !hit?.contains(element);
        }).map((element) => element.outerHTML.slice(0, 100));"""

# Share of the window's height that sticky elements leave to the content, where the most of them
# stick.
FREE = """
    const heights = [...document.querySelectorAll('.top, .draft-line, .publish-card')]
        .filter((element) => getComputedStyle(element).position === 'sticky')
        .map((element) => element.offsetHeight);
    return 1 - heights.reduce((sum, height) => sum + height, 0) / innerHeight;"""


class StickyTests(ReviewCase):
    size = PHONE

    def start_long_draft(self):
        """Opens the review of a draft that is much longer than the window."""
        def change(template):
            template["conditions"].append({"name": "Apple", "expression": "device.os == 'ios'"})
            template["parameterGroups"] = {"Many": {"parameters": {
                f"key_{n}": {"defaultValue": {"value": "x"}, "conditionalValues": {
                    "Apple": {"value": "apple"}}} for n in range(12)}}}
        self.ask_as_users(3, "device.os=ios")
        self.start_draft(change)
        self.wait_for_text("Users reached by 12 changed values", "[aria-labelledby=impact]")

    def scroll_to_end(self):
        """Scrolls to the end of the page."""
        self.driver.execute_script("scrollTo(0, document.documentElement.scrollHeight)")

    def test_keeps_the_draft_bar_in_sight_in_one_line(self):
        for width in (390, 320):
            self.browser.set_size((width, 844))
            self.edit_interval("45" if width == 390 else "46")
            self.wait_for_text("1 change", ".draft-bar")
            self.scroll_to_end()
            line, review = self.find(".draft-line"), self.button("Review and publish")
            header = self.find(".top")
            self.assertAlmostEqual(line.rect["y"] - self.driver.execute_script(
                "return scrollY"), header.rect["height"], delta=1)
            self.assertLess(line.rect["height"], 60)
            self.assertTrue(self.driver.execute_script(
                "const {left, top, width, height} = arguments[0].getBoundingClientRect();"
                "return arguments[0].contains(document.elementFromPoint("
                "left + width / 2, top + height / 2))", review))
        self.check_page("draft-bar")

    def test_covers_nothing_that_is_focused(self):
        self.start_long_draft()
        summary = self.find("[aria-labelledby=impact] summary")
        self.driver.execute_script("arguments[0].scrollIntoView({block: 'end'})", summary)
        summary.click()
        for size in (PHONE, (320, 568), DESKTOP):
            self.browser.set_size(size)
            self.scroll_to_end()
            # The page makes room for sticky elements once it has its new size.
            self.wait_for(lambda: not self.driver.execute_script(COVERED),
                          f"what is focused to be in sight at {size}")

    def test_leaves_half_of_a_small_window_to_the_content(self):
        self.start_long_draft()
        for size in (PHONE, (390, 664), (320, 568), (320, 740)):
            self.browser.set_size(size)
            self.assertGreaterEqual(self.driver.execute_script(FREE), 0.5, size)


# The vertical positions of parts of the review, where the page begins.
PLACES = """
    return Object.fromEntries(['publish', 'impact', 'changes'].map((id) => [
        id, document.querySelector(`[aria-labelledby=${id}]`).getBoundingClientRect().top
            + scrollY]));"""

# Scrolls down through a page in steps of half a window; the median and the longest time between two
# frames in milliseconds, and the tasks that the browser calls long.
SCROLL_TIMES = """
    const [done] = arguments;
    const times = [];
    const tasks = [];
    const observer = new PerformanceObserver((list) => tasks.push(
        ...list.getEntries().map(({duration}) => duration)));
    observer.observe({type: 'longtask'});
    let last = 0;
    const step = (now) => {
        if (last) times.push(now - last);
        last = now;
        window.scrollBy(0, innerHeight / 2);
        if (times.length < 120) requestAnimationFrame(step);
        else setTimeout(() => {
            observer.disconnect();
            times.sort((left, right) => left - right);
            done([times[60], times.at(-1), tasks]);
        }, 100);
    };
    requestAnimationFrame(step);"""


class LargeReviewTests(ReviewCase):
    def setUp(self):
        super().setUp()
        self.publish(large_template(), "Large")

    def size_of_page(self):
        """The number of elements, and the height of the page in pixels."""
        return self.driver.execute_script(
            "return [document.querySelectorAll('*').length,"
            " document.documentElement.scrollHeight]")

    def rows(self):
        """The shown rows of differences."""
        return self.find_all(".difference-row")

    def test_folds_thousands_of_changes_below_the_actions(self):
        changed = large_template(step=1)
        self.start_draft(lambda template: template.update(changed))
        self.wait_for_text("3,000 settings since version 2", "[aria-labelledby=changes]")
        self.wait_for_text("Compared with version 2", "[aria-labelledby=impact]")
        for size in (PHONE, (768, 900), DESKTOP, (2560, 1300)):
            with self.subTest(size=size):
                self.browser.set_size(size)
                count, height = self.size_of_page()
                self.assertLess(count, 2500)
                self.assertLess(height, 3500)
                places = self.driver.execute_script(PLACES)
                self.assertLessEqual(places["publish"], places["impact"])
                self.assertLessEqual(places["impact"], places["changes"] + 1000)
                self.assertEqual(
                    [e.get_attribute("aria-labelledby") for e in self.find_all("main section.card")],
                    ["publish", "impact", "changes"])
        self.browser.set_size(DESKTOP)
        self.check_page("review-large")

    def test_shows_rows_near_the_window_and_reverts_one(self):
        changed = large_template(step=1)
        self.start_draft(lambda template: template.update(changed))
        self.press("Unfold all sections")
        self.wait_for(self.rows, "the rows")
        count, height = self.size_of_page()
        self.assertLess(count, 4000)
        self.assertGreater(height, 3000 * 38)
        self.assertEqual(self.rows()[0].get_attribute("aria-setsize"), "100")
        self.press("Fold all sections")
        self.wait_for(lambda: not self.rows(), "the folds")
        self.press("Group 7 100 changed")
        row = self.wait_for(self.rows, "the rows")[0]
        self.assertIn('{"title": "Number 1027", "sizes": [1, 2, 3]} → {"title": "Number 1031"',
                      " ".join(row.text.split()))
        fold = row.find_element("css selector", ".fold")
        fold.click()
        self.assertEqual(fold.get_attribute("aria-expanded"), "true")
        self.assertEqual(len(row.find_elements("css selector", ".parts dt")), 1)
        # An open row stays when it is scrolled out of the window.
        self.driver.execute_script("scrollTo(0, 0)")
        self.assertTrue(fold.is_displayed())
        self.check_page("review-large-open")
        self.write("Find a change", "number")
        self.press("Revert Group 7.a_setting_with_number_1027")
        self.wait_for_text("2,999 changes", ".draft-bar")
        self.wait_for_text("2,999 settings since version 2", "[aria-labelledby=changes]")
        self.assertEqual(self.field("Find a change").get_attribute("value"), "number")
        self.write("Find a change", "")
        # The sections and rows that were open are open still.
        self.wait_for_text("99 changed", "[aria-labelledby=changes]")
        self.assertTrue(self.rows())

    def test_scrolls_through_ten_thousand_changes(self):
        self.start_draft(lambda template: template["conditions"].pop())
        self.driver.execute_async_script("""
            const [done] = arguments;
            Promise.all(['/console/differences/diff-view.js', '/console/controls/dom.js'].map((path) => import(path)))
                .then(([{diffView}, {fill}]) => {
                    const parameters = Array.from({length: 10_000}, (_, n) => ({
                        change: 'CHANGED', section: `Group ${n % 4}`, key: `setting_${n}`,
                        parts: [{name: 'defaultValue', old: {value: `Old ${n}`},
                            new: {value: `{"new": ${n}}`}}]}));
                    fill(document.querySelector('main'),
                        diffView({parameters, conditions: [], groups: []}));
                    done();
                });""")
        self.press("Unfold all sections")
        self.wait_for(self.rows, "the rows")
        median, longest, tasks = self.driver.execute_async_script(SCROLL_TIMES)
        print(f"10,000 changes: a frame takes {median:.1f} ms, at most {longest:.1f} ms; "
              f"long tasks: {tasks}")
        self.assertLess(median, 20)
        self.assertLess(max(tasks, default=0), 100)


if __name__ == "__main__":
    unittest.main()
