"""Every page and dialog at all widths, in light and dark."""

import copy
import unittest

from selenium.webdriver.common.keys import Keys

from console_case import PICTURES
from large_project import large_template
from layout import TALL_ROWS, faults
from task_case import TEMPLATE, TaskCase

WIDTHS = (320, 390, 768, 1280, 1920, 2560)

# The widths that cover each layout once: names, roles and colors are the same at the others.
LAYOUTS = (320, 768, 1280)

# Names and values of lengths found in large projects.
LONG = "a_long_name_without_any_space_" * 3
WORDS = "A long description of several words, as people write them. " * 4


def long_template():
    """The sample template with a section of long names and values."""
    template = copy.deepcopy(TEMPLATE)
    template["conditions"].append({
        "name": f"Condition {LONG}", "tagColor": "DEEP_ORANGE",
        "expression": f"user.id in ['{LONG}', 'b', 'c'] && percent('{LONG[:32]}') <= 12.5"})
    value = {"value": f'{{"{LONG}": ["{WORDS}"]}}'}
    template["parameterGroups"][f"Section {LONG}"] = {"description": WORDS, "parameters": {
        LONG: {"valueType": "JSON", "description": WORDS, "defaultValue": value,
               "conditionalValues": {f"Condition {LONG}": value, "User 1": value}},
        "short": {"defaultValue": {"value": LONG}}}}
    return template


class WidthTests(TaskCase):
    size = (1280, 900)
    is_long = True

    def setUp(self):
        super().setUp()
        self.publish(long_template(), WORDS[:250])
        self.problems = []

    def tearDown(self):
        self.browser.set_size(self.size)
        super().tearDown()

    def check(self, name):
        """Records the problems of the open page or dialog, at each width, in light and dark."""
        for width in WIDTHS:
            self.browser.set_size((width, 900))
            # After the page has adapted to the new size.
            self.driver.execute_async_script("requestAnimationFrame(() => setTimeout(arguments[0]))")
            found = [f"{name}, {width} px: {text}" for text in faults(self.driver)]
            if width in LAYOUTS:
                found += self.violations(f"{name}, {width} px")
            self.problems += found
            if found:
                self.browser.save_picture(PICTURES / "failed" / f"widths-{name}-{width}.png")
        self.browser.set_size(self.size)

    def check_dialog(self, *buttons):
        """Presses buttons one after the other, checks the dialog, and closes it."""
        for button in buttons:
            self.press(button)
        self.find("dialog[open]")
        self.check(buttons[-1])
        self.driver.switch_to.active_element.send_keys(Keys.ESCAPE)
        self.wait_for_dialog_to_close()

    def check_problems(self):
        """Fails with all problems that were noted."""
        self.assertEqual(self.problems, [], "\n".join(self.problems))

    def test_pages(self):
        for page in ("settings", "conditions", "review", "change-requests", "merge", "user", "live",
                     "usage", "history", "audit", "tokens", "webhooks", "transfer"):
            self.go(page)
            self.wait_for(lambda: "Loading" not in self.find("main").text, "the page")
            self.check(page)
        self.check_problems()

    def test_pages_with_a_draft(self):
        self.go("settings")
        self.switch("SampleViewConfiguration.ButtonEnabled")
        self.find(".pick").click()
        self.wait_for_text("1 change", ".draft-bar")
        self.check("settings-selected")
        self.publish(long_template() | {"parameters": {"x": {"defaultValue": {"value": "1"}}}},
                     WORDS[:250])
        self.wait_for_text("was published meanwhile", ".draft-bar")
        for page, text in (("review", "What changes"), ("merge", "You changed different things"),
                           ("user", "Who")):
            self.go(page)
            self.wait_for_text(text, "main")
            self.check(f"draft-{page}")
        self.go("user", id=LONG)
        self.wait_for_text("True conditions", "main")
        self.check("draft-user-of-an-id")
        self.go("history", **{"from": "1", "to": "3"})
        self.wait_for(lambda: self.find_all(".diff"), "the differences")
        self.check("history-differences")
        self.check_problems()

    def test_dialogs_of_settings(self):
        self.go("settings")
        self.check_dialog("Add section")
        self.check_dialog(f"Edit the section Section {LONG}")
        self.check_dialog(f"Delete the section Section {LONG}")
        self.check_dialog("Edit SampleViewConfiguration.ViewBackgroundColor")
        self.check_dialog(f"Edit Section {LONG}.{LONG}")
        self.check_dialog(f"More for Section {LONG}.{LONG}", "Move to another section …")
        self.check_dialog(f"More for Section {LONG}.{LONG}", "History …")
        self.find(".pick").click()
        self.check_dialog("Set for a condition …")
        self.check_dialog("Delete …")
        self.check_problems()

    def test_undo_and_copy(self):
        self.go("history")
        self.press("Undo version 2")
        self.wait_for_text("What the undo changes", "dialog")
        self.check("undo")
        self.driver.switch_to.active_element.send_keys(Keys.ESCAPE)
        self.wait_for_dialog_to_close()
        other = f"{self.project}-staging"
        template = long_template()
        group = template["parameterGroups"].pop(f"Section {LONG}")
        template["parameterGroups"][f"Other {LONG}"] = group
        template["conditions"][-1]["expression"] = f"user.id == '{LONG}' || percent('a') <= 2"
        template["conditions"].append({"name": f"New {LONG}", "expression": "percent('b') <= 1"})
        group["parameters"][LONG]["conditionalValues"][f"New {LONG}"] = {"value": "{}"}
        status, answer = self.administer(
            "PUT", f"/v1/projects/{other}/remoteConfig", template, If_Match="*")
        self.assertEqual(status, 200, answer)
        self.go("transfer")
        self.choose("Other project", other)
        self.press("Compare")
        self.field("Also remove what only this project has").click()
        self.wait_for_text("Chosen: 2 of 4 settings and 0 of 1 section.", "main")
        self.check("comparison")
        self.press("Continue with 2 settings")
        self.wait_for_text("The copied values use", "main")
        self.check("promotion")
        self.check_problems()

    def test_other_dialogs(self):
        self.go("conditions")
        self.check_dialog("Add condition")
        self.check_dialog(f"Edit Condition {LONG}")
        self.check_dialog(f"Move Condition {LONG} …")
        self.check_dialog(f"Delete Condition {LONG}")
        self.go("user", id="7")
        self.check_dialog("Pin a value")
        self.go("tokens")
        self.check_dialog("Create token")
        self.go("webhooks")
        self.check_dialog("Add webhook")
        self.go("settings")
        self.press("Edit AppFeatures.RefreshInterval")
        combobox = self.field("Condition of another value")
        combobox.click()
        self.wait_for(lambda: self.find_all("[role=option]"), "the options")
        self.check("combobox")
        self.check_problems()

    def test_pages_outside_of_a_project(self):
        self.open()
        self.find("input[type=password]")
        self.check("sign-in")
        self.enter_token(self.token)
        self.wait_for(lambda: self.find_all("main h1[tabindex]"), "the pages")
        self.driver.execute_script("location.hash = '#/no-such-project/settings'")
        self.wait_for_text("There is no project", "main")
        self.check("unknown-project")
        self.create_project("no-such-project")
        self.driver.refresh()
        self.wait_for_text("In the app", "main")
        self.check("empty-project")
        self.check_problems()


# Columns whose cells do not begin at the same place in each row, and drafts without a visible mark.
COLUMNS = """
    const isShown = (element) => element.checkVisibility() && element.getClientRects().length > 0;
    const columns = ['.setting > .setting-value', '.setting > .setting-type',
        '.setting > .setting-conditions', '.condition > .expression', '.condition > .condition-uses'];
    const isOut = (mark) => mark.getBoundingClientRect().bottom
        > mark.closest('.setting').getBoundingClientRect().bottom;
    return [...columns.filter((column) => new Set([...document.querySelectorAll(column)]
        .filter(isShown).map((cell) => Math.round(cell.getBoundingClientRect().left))).size > 1),
        ...[...document.querySelectorAll('.setting-name .badge')].filter(isOut)
            .map((mark) => `no mark: ${mark.closest('.setting').textContent}`)];"""


class ColumnTests(TaskCase):
    def test_aligns_the_cells_of_rows_and_keeps_the_mark_of_a_draft(self):
        template = long_template()
        settings = template["parameterGroups"]["AppFeatures"]["parameters"]
        del settings["SomeFeature"]["conditionalValues"]
        self.publish(template, "Long")
        self.go("settings")
        self.switch("SampleViewConfiguration.ButtonEnabled")
        self.wait_for_text("1 change", ".draft-bar")
        self.addCleanup(self.browser.set_size, self.size)
        problems = []
        for page in ("settings", "conditions"):
            self.go(page)
            self.find(".setting, .condition")
            for width in WIDTHS:
                self.browser.set_size((width, 900))
                self.driver.execute_async_script(
                    "requestAnimationFrame(() => setTimeout(arguments[0], 50))")
                problems += [f"{page}, {width} px: {text}"
                             for text in self.driver.execute_script(COLUMNS)]
        self.assertEqual(problems, [], "\n".join(problems))

    def test_names_the_first_condition_of_a_setting_and_its_switch(self):
        self.go("settings")
        self.find(".conditional-value")
        self.addCleanup(self.browser.set_size, self.size)
        for width in (1000, 1280, 2560):
            self.browser.set_size((width, 900))
            self.assertEqual(self.driver.execute_script("""
                return [...document.querySelectorAll('.setting-conditions .chip, .conditional-value')]
                    .filter((part) => /^User .$|^true$/.test(part.textContent)
                        && part.scrollWidth > part.clientWidth)
                    .map((part) => part.textContent);"""), [], width)

    def test_removes_a_rule_on_its_first_line(self):
        template = copy.deepcopy(TEMPLATE)
        users = ", ".join(f"'user {number}'" for number in range(20))
        template["conditions"][0]["expression"] = (
            f"device.country in ['JP'] && user.id in [{users}]")
        self.publish(template, "Many users")
        self.go("conditions")
        self.press("Edit User 1")
        self.find("dialog .rule-value")
        self.addCleanup(self.browser.set_size, self.size)
        for width in WIDTHS:
            self.browser.set_size((width, 900))
            self.assertEqual(self.driver.execute_script("""
                return [...document.querySelectorAll('dialog .rule-line:has([aria-label=Field])')]
                    .filter((line) => {
                        const [button, field] = ['[aria-label^="Remove rule"]', '[aria-label=Field]']
                            .map((each) => line.querySelector(each).getBoundingClientRect());
                        return button.top >= field.bottom || button.left < field.right;
                    }).map((line) => line.getAttribute('aria-label'));"""), [], width)
            self.assertEqual(faults(self.driver), [], width)


# Width of the page without its padding and the navigation, and the number of rows in the window.
SPACE = """
    const rows = [...document.querySelectorAll('.setting, .condition')]
        .filter((row) => row.getBoundingClientRect().bottom < innerHeight);
    const content = document.querySelector('.settings, .conditions');
    return [innerWidth - content.getBoundingClientRect().width, rows.length];"""


class LargeWidthTests(TaskCase):
    def test_has_rows_of_one_line_at_every_width(self):
        template = large_template()
        settings = template["parameterGroups"]["Group 0"]["parameters"]
        settings[LONG] = settings.pop("a_setting_with_number_0")
        settings[LONG]["description"] = WORDS
        settings["a_setting_with_number_30"]["conditionalValues"] = {LONG: {"value": "1"}}
        template["conditions"][1]["name"] = LONG
        del template["conditions"][0]
        for group in template["parameterGroups"].values():
            for setting in group["parameters"].values():
                setting["conditionalValues"].pop("Large condition 0", None)
                setting["conditionalValues"].pop("Large condition 1", None)
        self.publish(template, "Large")
        self.addCleanup(self.browser.set_size, self.size)
        problems = []
        for page, least in (("settings", {320: 3, 768: 9, 1440: 13, 2560: 14}),
                            ("conditions", {320: 8, 768: 11, 1440: 15, 2560: 15})):
            self.go(page)
            self.find(".setting, .condition")
            for width, rows in least.items():
                self.browser.set_size((width, 900))
                self.driver.execute_async_script(
                    "requestAnimationFrame(() => setTimeout(arguments[0], 50))")
                name = f"{page}, {width} px"
                problems += [f"{name}: {text}" for text in self.driver.execute_script(TALL_ROWS)]
                problems += [f"{name}: {text}" for text in faults(self.driver)]
                unused, count = self.driver.execute_script(SPACE)
                if unused > 520 or count < rows:
                    problems.append(f"{name}: {unused:.0f} px are not used, {count} rows are seen")
        self.assertEqual(problems, [], "\n".join(problems))


if __name__ == "__main__":
    unittest.main()
