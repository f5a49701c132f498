"""Conditions: their individual rules, their order, and finding them."""

import random
import tempfile
import unittest

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from browser import PHONE
from console_case import gate
from task_case import TaskCase


def texts(generator, count=3):
    """A list of texts, some of them with quotes, backslashes and commas."""
    words = ("gold", "DE", "it's", "a\\b", "c, d", "]", "&& ||", "Zürich 👩‍🚀", "\\'", "1.0")
    return [generator.choice(words) for _ in range(generator.randint(1, count))]


def quoted(text):
    """A text as a literal."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def listed(generator):
    """A list of literals, with spaces in some places."""
    space = generator.choice(("", " "))
    return "[" + f"{space},{space}".join(quoted(text) for text in texts(generator)) + "]"


def rule(generator):
    """An expression of one rule."""
    order = generator.choice(("<", "<=", ">", ">="))
    comparison = generator.choice(("<", "<=", ">", ">=", "==", "!="))
    method = generator.choice(("contains", "notContains", "exactlyMatches"))
    return generator.choice((
        lambda: f"user.id {generator.choice(('==', '!='))} {quoted(texts(generator)[0])}",
        lambda: f"device.os in {listed(generator)}",
        lambda: f"device.country in {listed(generator)}",
        lambda: f"app.version.{comparison}(['{generator.randint(0, 9)}.10'])",
        lambda: f"app.build.{method}({listed(generator)})",
        lambda: f"app.customSignal[{quoted(texts(generator)[0])}].{method}({listed(generator)})",
        lambda: f"app.customSignal['n']{comparison}{generator.choice(('-1.50', '.5', '+3', '7.'))}",
        lambda: f"version(app.customSignal['v']) {comparison} '1.2.0'",
        lambda: f"percent {generator.choice(('<=', '>'))} {generator.choice(('10', '12.50'))}",
        lambda: f"percent('a.b-{generator.randint(1, 9)}') between 10 and 20.25",
        lambda: f"dateTime {order} dateTime('2026-01-31T09:02:30')",
        lambda: f"dateTime {order} dateTime('2026-01-31T09:02:30', 'Europe/Lisbon')",
        lambda: f"app.audiences.inAtLeastOne({listed(generator)})",
        lambda: generator.choice(("true", "false")),
    ))()


def expression(generator, depth=3):
    """A random expression."""
    kind = generator.random()
    if depth == 0 or kind < 0.35:
        return rule(generator)
    if kind < 0.5:
        return f"!({expression(generator, depth - 1)})"
    operator = generator.choice((" && ", " || "))
    return operator.join(
        generator.choice(("({})", "{}")).format(expression(generator, depth - 1))
        for _ in range(generator.randint(2, 3)))


class BuilderTests(TaskCase):
    def add_condition(self, name):
        """Opens the form for a new condition."""
        self.go("conditions")
        self.press("Add condition")
        self.write("Name", name)

    def expression(self):
        """The text of the expression."""
        return self.field("Expression").get_attribute("value")

    def test_takes_the_spelling_that_apps_send(self):
        # That another condition has a value does not mean that an app sends it.
        self.add_condition("Services in Japan")
        self.write("Expression", "device.country in ['jp']")
        self.keep()
        self.press("Add condition")
        self.write("Name", "Japan")
        self.press("Add rule")
        self.choose("Field", "Country")
        for text in ("jp", "DE", "de", "Japan"):
            self.field("Another value").send_keys(text, Keys.ENTER)
        self.assertEqual(self.expression(), "device.country in ['JP', 'DE']")
        self.wait_for_text("The server accepts this.", "dialog .check-state")
        self.field("Another value").send_keys("Atlantis", Keys.ENTER)
        self.wait_for_text("“Atlantis” is not a known country", "dialog .rule-line")
        self.wait_for_text("but see the note at the rule", "dialog .check-state")
        self.write("Expression", "device.country in ['jp']")
        self.wait_for_text("“jp” is not a known country: apps send JP.", "dialog")

    @gate
    def test_writes_an_expression_of_known_values(self):
        self.add_condition("Beta in Japan")
        self.press("Add rule")
        self.choose("Field", "Country")
        self.field("Another value").send_keys("Japan", Keys.ENTER)
        self.field("Another value").send_keys("de", Keys.ENTER)
        self.assertEqual(self.expression(), "device.country in ['JP', 'DE']")
        self.press("Add rule")
        self.wait_for(lambda: len(self.find_all("dialog [aria-label=Field]")) == 2, "two rules")
        second = self.find("dialog [role=group][aria-label='Rule 2']")
        self.choose_in(second, "Field", "Custom signal")
        second = self.find("dialog [role=group][aria-label='Rule 2']")
        second.find_element(By.CSS_SELECTOR, "[aria-label='Name of the signal']").send_keys("plan")
        second.find_element(By.CSS_SELECTOR, "[aria-label='Another value']").send_keys(
            "gold", Keys.ENTER)
        text = "device.country in ['JP', 'DE'] && app.customSignal['plan'].exactlyMatches(['gold'])"
        self.assertEqual(self.expression(), text)
        self.wait_for_text("The server accepts this", "dialog")
        self.check_page("condition-builder")
        self.keep()
        self.go("review")
        self.press("Publish")
        self.wait_for_text("Published as version 2", "main")
        self.assertEqual(self.template()["conditions"][-1]["expression"], text)

    def test_begins_a_rollout_with_the_name_as_its_seed(self):
        self.add_condition("New check")
        self.press("Add rule")
        self.assertEqual(self.expression(), "percent('new-check') <= 10")
        self.field("Name").send_keys("out")
        self.assertEqual(self.expression(), "percent('new-checkout') <= 10")
        self.field("Seed of the percentage").send_keys("-2")
        self.field("Name").send_keys(" 3")
        self.assertEqual(self.expression(), "percent('new-checkout-2') <= 10")
        self.choose("Field", "App version")
        self.assertEqual(self.field("Value").get_attribute("value"), "")
        self.wait_for_text("Enter the version.", "dialog .rule-line")

    def test_gives_a_percentage_that_has_no_seed_on_purpose_none(self):
        self.add_condition("")
        self.write("Expression", "percent <= 10")
        self.wait_for(lambda: self.named("select", "Field"), "the rule")
        self.field("Name").send_keys("New")
        self.assertEqual(self.expression(), "percent <= 10")
        self.write("Name", "")
        self.press("Add rule")
        self.field("Name").send_keys("New")
        self.assertEqual(self.expression(), "percent <= 10 && percent('new') <= 10")

    def test_takes_a_list_of_users(self):
        self.add_condition("Testers")
        self.press("Add rule")
        self.choose("Field", "User ID")
        self.driver.execute_script("""
            const [field, text] = arguments;
            const clipboardData = new DataTransfer();
            clipboardData.setData('text', text);
            field.dispatchEvent(new ClipboardEvent(
                'paste', {clipboardData, bubbles: true, cancelable: true}));""",
            self.field("Another value"), "alice, bob, carol\ndave")
        self.assertEqual(self.expression(), "user.id in ['alice', 'bob', 'carol', 'dave']")
        self.wait_for_text("4 user IDs", "dialog .rule-values")
        self.field("Another value").send_keys("eve; frank; alice", Keys.ENTER)
        self.wait_for_text("6 user IDs", "dialog .rule-values")
        self.driver.execute_script("""
            const dataTransfer = new DataTransfer();
            dataTransfer.items.add(new File([arguments[1]], 'users.csv'));
            for (const type of ['dragover', 'drop']) {
                arguments[0].dispatchEvent(new DragEvent(
                    type, {dataTransfer, bubbles: true, cancelable: true}));
            }""", self.find("dialog .rule-values"), "\n".join(f"u{n}" for n in range(100)))
        self.wait_for_text("106 user IDs", "dialog .rule-values")
        with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
            file.write("u99\nu100")
            file.flush()
            self.field("From a file …").send_keys(file.name)
            self.wait_for_text("107 user IDs", "dialog .rule-values")
        self.assertEqual(len(self.find_all("dialog .rule-value")), 50)
        self.check_page("condition-list-of-users")
        self.press("Show 57 more")
        self.wait_for(lambda: len(self.find_all("dialog .rule-value")) == 107, "all users")
        self.keep()
        self.wait_for_text("1 change", ".draft-bar")

    def test_refuses_a_file_that_is_not_text_and_remarks_on_hidden_characters(self):
        self.add_condition("Some")
        self.press("Add rule")
        self.choose("Field", "User ID")
        with tempfile.NamedTemporaryFile("wb", suffix=".png") as file:
            file.write(b"\x89PNG\r\n\x1a\n,1,2")
            file.flush()
            self.field("From a file …").send_keys(file.name)
            self.wait_for_text("is not a text file in UTF-8.", "dialog .rule-values")
        self.assertFalse(self.find_all("dialog .rule-value"))
        with tempfile.NamedTemporaryFile("w", suffix=".csv", encoding="utf-8") as file:
            file.write("u1\nu\u200b2")
            file.flush()
            self.field("From a file …").send_keys(file.name)
            self.wait_for_text("has an invisible character, U+200B. It is another user ID",
                               "dialog .rule-values")
        self.check_page("condition-hidden-character")

    def test_keeps_no_share_that_a_slider_cannot_have(self):
        self.add_condition("Some")
        self.press("Add rule")
        self.write("Seed of the percentage", "")
        self.wait_for_text("The server accepts this", "dialog")
        share = self.field("Users up to this percentage")
        share.send_keys("00")
        self.wait_for_text("Enter a number from 0 to 100.", "dialog .sliders")
        self.assertFalse(self.button("Keep in the draft").is_enabled())
        share.send_keys(Keys.BACKSPACE)
        self.wait_for_text("The server accepts this", "dialog")
        self.assertEqual(self.expression(), "percent <= 100")

    def test_takes_no_part_of_a_mistyped_share(self):
        self.add_condition("Some")
        self.press("Add rule")
        share = self.field("Value")
        for text, problem in (("2,5", "Write the number with a point: 2.5."),
                              ("1e1", "Enter a number from 0 to 100."),
                              ("105", "Enter a number from 0 to 100.")):
            with self.subTest(text=text):
                share.clear()
                share.send_keys(text)
                self.wait_for_text(problem, "dialog .rule-line .problems")
                self.assertEqual(share.get_attribute("aria-invalid"), "true")
                self.assertEqual(share.get_attribute("value"), text)
                self.assertEqual(self.expression(), f"percent('some') <= {text}")
                self.assertNotIn("Column", self.find("dialog").text)
                self.assertFalse(self.button("Keep in the draft").is_enabled())
        share.clear()
        share.send_keys("2.5")
        self.wait_for_text("The server accepts this", "dialog")
        exact = self.field("Users up to this percentage of “some”")
        exact.clear()
        exact.send_keys("2,5")
        self.wait_for_text("Write the number with a point: 2.5.", "dialog .sliders")
        self.assertEqual(exact.get_attribute("value"), "2,5")
        self.assertFalse(self.button("Keep in the draft").is_enabled())

    def test_says_what_is_missing_or_wrong_at_its_rule(self):
        self.add_condition("Later versions")
        self.wait_for_text("Add a rule, or write an expression.", "dialog .check-state")
        self.assertEqual(self.find_all("dialog .problems li"), [])
        self.press("Add rule")
        self.wait_for_text("The server accepts this", "dialog")
        self.field("Seed of the percentage").send_keys("a seed")
        self.wait_for_text("A seed has 1 to 32 characters", "dialog .rule-line .problems")
        self.assertEqual(
            self.field("Seed of the percentage").get_attribute("aria-invalid"), "true")
        self.field("Seed of the percentage").send_keys(5 * Keys.BACKSPACE)
        self.wait_for_text("The server accepts this", "dialog")
        self.assertEqual(self.find_all("dialog .problems li"), [])
        self.choose("Field", "App version")
        self.field("Value").clear()
        self.field("Value").send_keys("v2.0")
        self.wait_for_text("v2.0", "dialog .rule-line .problems")
        self.assertEqual(self.field("Value").get_attribute("aria-invalid"), "true")

    def test_chooses_a_field_by_typing_its_name(self):
        self.add_condition("Typed")
        self.press("Add rule")
        for label, text, expression in (
                ("Field", "cus", "app.customSignal[''].exactlyMatches([])"),
                ("Comparison", "contains n", "app.customSignal[''].notContains([])")):
            select = self.field(label)
            select.send_keys(text)
            self.wait_for(
                lambda text=expression: self.expression() == text, f"{expression!r}")
            self.assertEqual(self.driver.switch_to.active_element, select)

    def choose_in(self, place, label, text):
        """Chooses an option of a select within an element."""
        place.find_element(By.CSS_SELECTOR, f"[aria-label='{label}']").find_element(
            By.XPATH, f"./option[.='{text}']").click()

    def test_asks_for_a_value_before_it_speaks_of_a_mistake(self):
        self.add_condition("Some countries")
        self.press("Add rule")
        for field, hint in (
                ("Country", "Choose at least one country."),
                ("Custom signal", "Choose at least one value."), ("Time", "Enter the time."),
                ("System", "Choose at least one system.")):
            with self.subTest(field=field):
                self.choose("Field", field)
                self.wait_for_text(hint, "dialog .rule-line")
                self.wait_for_text("A rule is incomplete.", "dialog .check-state")
                self.assertEqual(self.find_all("dialog .problems li"), [])
                self.assertFalse(self.button("Keep in the draft").is_enabled())
        self.check_page("condition-without-value")
        self.choose("Comparison", "is")
        self.wait_for_text("Enter the system.", "dialog .rule-line")
        self.field("Value").send_keys("ios")
        self.wait_for_text("The server accepts this", "dialog")
        self.assertNotIn("Enter the", self.find("dialog .builder").text)
        self.field("Value").send_keys(3 * Keys.BACKSPACE)
        self.wait_for_text("Enter the system.", "dialog .rule-line")
        # A typed text is validated as it is.
        self.write("Expression", "device.country in []")
        self.wait_for_text("The list is empty", "dialog .problems")
        self.write("Expression", "user.id == ''")
        self.wait_for_text("The server accepts this", "dialog")
        self.field("not").click()
        self.wait_for(lambda: self.expression() == "!(user.id == '')", "the negation")
        self.wait_for_text("The server accepts this", "dialog")

    def test_reads_an_expression_and_follows_its_text(self):
        self.add_condition("x")
        self.write("Expression", "user.id != '1' && !(percent('s') between 5 and 10.5 || "
                   "app.audiences.inAtLeastOne(['a']))")
        self.wait_for(lambda: len(self.find_all("dialog .rule-group")) == 2, "the groups")
        self.wait_for_text("app.audiences.inAtLeastOne(['a'])", "dialog .builder")
        values = [e.get_attribute("value") for e in self.find_all("dialog [aria-label=Value]")]
        self.assertEqual(values, ["1", "5", "10.5"])
        self.press("Remove rule 3")
        self.assertEqual(
            self.expression(), "user.id != '1' && !(percent('s') between 5 and 10.5)")
        self.write("Expression", "user.id !")
        self.wait_for_text("when the expression is valid", "dialog .builder")
        self.write("Expression", " || ".join(f"percent > {n}" for n in range(50)))
        self.wait_for_text("too many rules", "dialog .builder")

    def test_suggests_what_other_conditions_name(self):
        self.publish({"conditions": [
            {"name": "a", "expression": "app.customSignal['plan'].exactlyMatches(['gold'])"}]}, "x")
        self.add_condition("b")
        self.press("Add rule")
        self.choose("Field", "Custom signal")

        def options(label):
            box = self.field(label).get_attribute("list")
            return self.driver.execute_script(
                "return [...(arguments[0] ?? document.body).options ?? []].map((o) => o.value)",
                self.driver.find_element(By.ID, self.field(label).get_dom_attribute("list"))
                if box is not None else None)
        self.wait_for(lambda: options("Name of the signal") == ["plan"], "the signal")

    def test_writes_generated_expressions_as_they_were(self):
        seed = random.randrange(1 << 32)
        generator = random.Random(seed)
        expressions = [expression(generator) for _ in range(400)]
        self.go("conditions")
        wrong = self.driver.execute_async_script("""
            const [texts, done] = arguments;
            (async () => {
                // The modules of the page, which have its session.
                const {src} = document.querySelector('script[type=module]');
                const file = (name) => import(new URL(name, src));
                const {expressionText, parseExpressions} = await file('conditions/condition-expression.js');
                const {groupView, treeOf, viewOf} = await file('conditions/condition-view.js');
                const trees = await parseExpressions(texts);
                const bad = texts.filter((_, index) => !trees[index].tree);
                if (bad.length) return bad.map((text) => ({text, reason: 'not read'}));
                const plain = (tree) => JSON.stringify(tree, (name, value) => (
                    name === 'text' ? undefined : value));
                const written = trees.map(({tree}) => expressionText(tree));
                const again = await parseExpressions(written);
                // What the form shows, and writes without a change.
                const shown = trees.map(({tree}) => expressionText(treeOf(groupView(viewOf(tree)))));
                return texts.map((text, index) => ({text, written: written[index],
                    shown: shown[index]})).filter(({written: one, shown: other}, index) => (
                    plain(trees[index].tree) !== plain(again[index].tree) || one !== other));
            })().then(done, (error) => done([String(error)]));""", expressions)
        self.assertEqual(wrong, [], f"seed {seed}")

    def test_marks_the_character_of_a_problem_after_characters_of_many_scalars(self):
        self.add_condition("x")
        # Each of these is one character of several scalars.
        self.driver.execute_script(
            "const [field, text] = arguments; field.value = text;"
            "field.dispatchEvent(new Event('input', {bubbles: true}));",
            self.field("Expression"), "user.id == '👩‍🚀e\u0301' ? true")
        # Until then the mark is that of the empty expression.
        self.wait_for(lambda: [e.text for e in self.find_all("dialog mark")] == ["?"], "the mark")

    def test_is_made_within_a_setting(self):
        self.go("settings")
        self.press("Edit AppFeatures.RefreshInterval")
        self.write("Description", "Often")
        self.press("New condition …")
        self.write("Name", "Testers")
        self.write("Expression", "user.id == 'tester'")
        self.press("Keep in the draft")
        self.wait_for(lambda: len(self.find_all("dialog[open]")) == 1, "the setting's form")
        self.write("Value for Testers", "5")
        self.assertEqual(self.field("Description").get_attribute("value"), "Often")
        self.wait_for_text("The server accepts this", "dialog")
        self.keep()
        self.go("review")
        self.press("Publish")
        self.wait_for_text("Published as version 2", "main")
        values = self.parameter("AppFeatures", "RefreshInterval")["conditionalValues"]
        self.assertEqual(values["Testers"], {"value": "5"})

    def test_is_made_within_a_json_setting_with_conditional_values(self):
        old = self.parameter("SampleViewConfiguration", "ViewBackgroundColor")
        self.go("settings")
        self.press("Edit SampleViewConfiguration.ViewBackgroundColor")
        self.press("New condition …")
        self.write("Name", "Testers")
        self.write("Expression", "user.id == 'tester'")
        self.press("Keep in the draft")
        self.wait_for(lambda: len(self.find_all("dialog[open]")) == 1, "the setting's form")
        self.wait_for(lambda: [e.text for e in self.find_all("dialog .conditional .chip")]
                      == ["User 1", "User 2", "User 3", "Testers"], "the value")
        self.keep()
        self.wait_for_text("2 changes", ".draft-bar")
        groups = self.call("GET", "draft")[1]["template"]["parameterGroups"]
        color = groups["SampleViewConfiguration"]["parameters"]["ViewBackgroundColor"]
        self.assertEqual(
            color["conditionalValues"],
            old["conditionalValues"] | {"Testers": old["defaultValue"]})


class KnownSignalTests(TaskCase):
    def setUp(self):
        super().setUp()
        # The server parses 100 conditions at a time.
        self.publish({"conditions": [
            {"name": str(n), "expression": f"user.id == '{n}'"} for n in range(250)]}, "Many")

    def requests(self):
        """Number of requests that parsed expressions."""
        return self.driver.execute_script("return heldRequests")

    def test_ends_reading_them_when_the_form_closes(self):
        self.go("conditions")
        self.hold_answers("conditions:parse")
        self.press("Add condition")
        self.wait_for_held_answer()
        self.press("Cancel")
        self.wait_for_dialog_to_close()
        self.release_answers()
        self.assertEqual(self.requests(), 1)

    def test_reads_them_once(self):
        self.go("conditions")
        self.hold_answers("conditions:parse")
        for _ in range(2):
            self.press("Add condition")
            self.press("Add rule")
            self.choose("Field", "User ID")
            self.wait_for(lambda: self.release_answers() or self.suggestions(), "suggestions")
            self.press("Close")
            self.press("Discard")
            self.wait_for_dialog_to_close()
        self.assertEqual(self.requests(), 3)

    def suggestions(self):
        """The suggested values of the rule."""
        return self.driver.execute_script(
            "return [...document.querySelectorAll('dialog datalist option')].map((o) => o.value)")


class BuilderOnAPhoneTests(TaskCase):
    size = PHONE

    def test_fits(self):
        self.go("conditions")
        self.check_page("conditions")
        self.press("Add condition")
        self.press("Add rule")
        self.choose("Field", "Time")
        self.check_page("condition-builder")

    def test_has_the_buttons_of_a_row_in_a_menu(self):
        self.go("conditions")
        self.check_targets("the page")
        self.press("More for User 3")
        self.press("Move to the top")
        self.wait_for(lambda: self.find_all(".condition h2")[0].text == "User 3", "the top")
        self.press("More for User 3")
        self.press("Delete …")
        self.press("Delete the condition")
        self.wait_for(lambda: "User 3" not in self.find(".conditions").text, "the condition to go")


class OrderTests(TaskCase):
    def names(self):
        """The names of the conditions in their order."""
        return [e.text for e in self.find_all(".condition h2")]

    def wait_for_order(self, *names):
        """Waits until the first conditions have these names."""
        self.wait_for(lambda: self.names()[:len(names)] == list(names), f"{names}")

    def active_name(self):
        """The accessible name of the control with the focus."""
        return self.driver.switch_to.active_element.accessible_name

    @gate
    def test_moves_to_the_top_to_the_bottom_and_above_another(self):
        self.go("conditions")
        before = self.names()
        self.press(f"Move {before[-1]} to the top")
        self.wait_for_order(before[-1], *before[:-1])
        self.press(f"Move {before[0]} …")
        self.press("To the bottom")
        self.wait_for_dialog_to_close()
        self.wait_for(lambda: self.names()[-1] == before[0], "the bottom")
        self.assertEqual(self.active_name(), f"Move {before[0]} …")
        self.press(f"Move {before[0]} …")
        self.write("Find a condition", before[2])
        self.check_page("condition-move")
        self.press(f"Above {before[2]}")
        self.wait_for_dialog_to_close()
        self.wait_for_order(before[-1], before[1], before[0], before[2])

    def test_moves_one_row_of_many(self):
        self.publish({"conditions": [
            {"name": f"c{n}", "expression": f"user.id == '{n}'"} for n in range(100)]}, "Many")
        self.go("conditions")
        self.find(".condition")
        self.driver.execute_script("window.scrollTo(0, document.body.scrollHeight)")
        self.wait_for(lambda: "c99" in self.names(), "the last condition")
        self.driver.execute_script("""
            const read = () => new Set(document.querySelectorAll('.condition'));
            window.shown = read();
            window.built = 0;
            new MutationObserver(() => {
                built += [...read()].filter((row) => !shown.has(row)).length;
                shown = read();
            }).observe(document.querySelector('.conditions'), {childList: true, subtree: true});""")
        self.press("Move c99 up")
        self.wait_for(lambda: self.names()[-2:] == ["c99", "c98"], "the last but one place")
        self.press("Move c98 up")
        self.wait_for(lambda: self.names()[-2:] == ["c98", "c99"], "the first order")
        self.assertEqual(self.driver.execute_script("return built"), 0)
        self.press("Move c99 to the top")
        self.wait_for_order("c99", "c0")
        self.press("Move c99 down")
        self.wait_for_order("c0", "c99", "c1")
        self.assertEqual(
            [e.text for e in self.find_all(".condition .rank > span:first-child")][:3],
            ["1", "2", "3"])

    def test_moves_by_keys(self):
        self.go("conditions")
        before = self.names()
        self.button(f"Edit {before[2]}").send_keys(Keys.ALT + Keys.HOME)
        self.wait_for_order(before[2], before[0])
        self.assertEqual(self.active_name(), f"Edit {before[2]}")
        self.driver.switch_to.active_element.send_keys(Keys.ALT + Keys.ARROW_DOWN)
        self.wait_for_order(before[0], before[2])

    def test_moves_by_dragging(self):
        self.go("conditions")
        before = self.names()
        handles = self.find_all(".drag-handle")
        target = self.find_all(".condition")[0]
        ActionChains(self.driver).click_and_hold(handles[2]).move_to_element_with_offset(
            target, 0, -target.size["height"] // 2 + 4).perform()
        self.find(".drop-above")
        ActionChains(self.driver).release().perform()
        self.wait_for_order(before[2], before[0], before[1])

    def test_finds_conditions_by_words_and_by_a_link(self):
        self.go("conditions", find="users%20SomeFeature")
        self.wait_for_text("1 condition found", "main")
        self.assertEqual(self.names(), ["Some feature, half of the users"])
        self.write("Find", "user.id")
        self.wait_for_text("3 conditions found", "main")
        self.assertIn("find=user.id", self.driver.current_url)


class LargeOrderTests(TaskCase):
    """As many conditions as the server accepts, of which only those near the window are shown."""

    COUNT = 500

    def setUp(self):
        super().setUp()
        self.publish({"conditions": [
            {"name": f"c{n}", "expression": f"user.id == '{n}'", "tagColor": "BLUE"}
            for n in range(self.COUNT)]}, "Large")
        self.go("conditions")
        self.find(".condition")

    def rows(self):
        """The position, the name and the rank of each row in the page."""
        return self.driver.execute_script("""
            return [...document.querySelectorAll('.condition')].map((row) => [
                Number(row.ariaPosInSet), row.querySelector('h2').textContent,
                Number(row.querySelector('.rank > span').textContent)]);""")

    def order(self):
        """The names of the conditions in the page by position."""
        return {position: name for position, name, _ in self.rows()}

    def active(self):
        """The accessible name of the control with the focus."""
        return self.driver.switch_to.active_element.accessible_name

    def type(self, *keys):
        """Presses keys where the focus is."""
        self.driver.switch_to.active_element.send_keys(*keys)

    def seen(self):
        """True if the control with the focus is within the window."""
        return self.driver.execute_script("""
            const {top, bottom} = document.activeElement.getBoundingClientRect();
            return top >= 0 && bottom <= innerHeight;""")

    def scroll_to(self, name):
        """Scrolls until the row of a condition is in the page, and returns its main button."""
        def shown():
            self.driver.execute_script("""
                const list = document.querySelector('.conditions');
                const {top, height} = list.getBoundingClientRect();
                window.scrollTo(0, scrollY + top + height * arguments[0] - innerHeight / 2);""",
                int(name[1:]) / self.COUNT)
            return self.find_all(f"[data-focus='open {name}']")
        return self.wait_for(shown, name)[0]

    def count(self):
        """Number of elements of the page."""
        return self.driver.execute_script("return document.querySelectorAll('*').length")

    def test_has_only_rows_near_the_window(self):
        self.assertLess(self.count(), 1500)
        self.assertEqual(self.find(".condition").get_attribute("aria-setsize"), "500")
        height = self.find(".conditions").size["height"]
        self.assertGreater(height, self.COUNT * 38)
        self.scroll_to("c499")
        self.assertIn([500, "c499", 500], self.rows())
        self.assertNotIn([1, "c0", 1], self.rows())
        self.assertLess(self.count(), 1500)
        self.assertEqual(self.find(".conditions").size["height"], height)
        self.check_page("conditions-large")

    def test_moves_a_row_far_away_and_keeps_the_focus(self):
        self.scroll_to("c300").send_keys(Keys.ALT + Keys.HOME)
        self.wait_for(lambda: self.order().get(1) == "c300", "the top")
        self.assertEqual(self.active(), "c300")
        self.wait_for(self.seen, "the row to be seen")
        self.type(Keys.ALT + Keys.ARROW_DOWN)
        self.wait_for(lambda: self.order().get(2) == "c300", "the second place")
        self.type(Keys.ALT + Keys.END)
        self.wait_for(lambda: self.order().get(500) == "c300", "the bottom")
        self.assertEqual(self.active(), "c300")
        self.wait_for(self.seen, "the row to be seen")
        self.assertIn([499, "c499", 499], self.rows())
        self.assertLess(self.count(), 1500)

    def test_returns_the_focus_after_a_dialog_that_moves_it(self):
        self.scroll_to("c250")
        self.press("Move c250 …")
        self.press("To the top")
        self.wait_for_dialog_to_close()
        self.wait_for(lambda: self.order().get(1) == "c250", "the top")
        self.wait_for(lambda: self.active() == "Move c250 …", "the focus")
        self.assertTrue(self.seen())

    def test_renames_a_row_far_below(self):
        self.scroll_to("c400").send_keys(Keys.ENTER)
        self.write("Name", "renamed")
        self.keep()
        self.assertEqual(self.active(), "renamed")
        self.assertIn([401, "renamed", 401], self.rows())

    def test_moves_through_all_rows_by_the_arrow_keys(self):
        self.find(".name-button").send_keys(Keys.ARROW_DOWN)
        self.assertEqual(self.active(), "c1")
        self.type(*[Keys.ARROW_DOWN] * 120)
        self.assertEqual(self.active(), "c121")
        self.type(Keys.ARROW_UP)
        self.assertEqual(self.active(), "c120")

    def test_drags_a_row_out_of_its_window(self):
        # A little above the middle of the third row.
        y = self.find_all(".condition")[2].rect["y"] + 14
        self.scroll_to("c100")
        handle = self.driver.execute_script("""
            const row = document.querySelector("[data-focus='open c100']").closest('.condition');
            const handle = row.querySelector('.drag-handle');
            handle.addEventListener('pointerdown', () => setTimeout(() => scrollTo(0, 0), 100));
            return handle;""")
        top = self.driver.execute_script(
            "const {top, height} = arguments[0].getBoundingClientRect(); return top + height / 2",
            handle)
        ActionChains(self.driver).click_and_hold(handle).move_by_offset(0, 5).pause(
            1).move_by_offset(0, round(y - top - 5)).release().perform()
        self.wait_for(lambda: self.order().get(3) == "c100", "the third place")
        self.assertEqual(self.find_all(".dragged"), [])

    def test_leads_to_a_condition_by_a_link_and_by_the_palette(self):
        self.go("conditions", at="c333")
        self.wait_for(lambda: self.active() == "c333", "the condition")
        self.assertTrue(self.seen())
        self.type(Keys.CONTROL + "k")
        self.wait_for(lambda: self.find_all(".palette input"), "the palette")
        self.type("c444", Keys.ENTER)
        self.wait_for_text("Edit c444", "dialog h2")
        self.type(Keys.ESCAPE)
        self.wait_for_dialog_to_close()
        self.wait_for(lambda: self.active() == "c444", "the condition")
        self.go("conditions", at="c999")
        self.wait_for_text("renamed or deleted", "main")

    def test_has_all_rows_on_paper(self):
        self.driver.execute_script("""
            window.printed = 0;
            addEventListener('beforeprint', () => {
                printed = document.querySelectorAll('.condition').length;
            });""")
        self.driver.execute_cdp_cmd("Page.printToPDF", {})
        self.assertEqual(self.driver.execute_script("return printed"), self.COUNT)
        self.wait_for(lambda: self.count() < 1500, "the rows of the window only")


if __name__ == "__main__":
    unittest.main()
