"""Distinguishing projects, connected apps in the review, and the users whom a publish changed."""

import copy
import json
import unittest
from urllib.parse import urlencode
from urllib.request import urlopen

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from console_case import PATIENCE, URL, gate
from faults import Faults
from task_case import TEMPLATE, TaskCase


class ProjectCase(TaskCase):
    """A test of the details of its project."""

    def set_details(self, **details):
        """Sets the details of the project, without the browser."""
        status, answer = self.call("PUT", "details", details, If_Match="*")
        self.assertEqual(status, 200, answer)

    def publish_interval(self, value):
        """Publishes another refresh interval, without the browser."""
        template = copy.deepcopy(TEMPLATE)
        parameters = template["parameterGroups"]["AppFeatures"]["parameters"]
        parameters["RefreshInterval"]["defaultValue"]["value"] = value
        self.publish(template, f"Every {value} s")

    def go_as_shop(self, page, environment="PRODUCTION"):
        """Goes to a page of the project, which is shown as Shop from now on."""
        self.go("settings")
        self.wait_for(lambda: "Saving" not in self.find("body").text, "the draft to be saved")
        self.set_details(displayName="Shop", environment=environment)
        self.driver.refresh()
        self.wait_for(lambda: self.driver.title == "Settings · Shop · ActiveConfig", "the title")
        self.show(page)

    def show(self, page):
        """Goes to another page."""
        self.driver.execute_script("location.hash = arguments[0]", f"/{self.project}/{page}")
        path = page.split("?")[0]
        self.wait_for(
            lambda: f"/{path}" in self.driver.current_url
            and self.find_all(f"nav a[aria-current=page][href$='/{path}']"), page)

    def bar(self):
        """The colour above the page; None for none."""
        header = self.find("header.top")
        return header.get_attribute("data-color")


class ProjectDetailsTests(ProjectCase):
    @gate
    def test_sets_the_distinguishing_details_of_a_project(self):
        self.go("projects", find=self.project)
        self.assertIsNone(self.bar())
        change = f"Change the details of {self.project}"
        self.press(change)
        self.write("Name to show", "Shop")
        self.choose("Environment", "Production")
        self.wait_for(lambda: self.find(".project-preview").text.split() == ["Shop", "Production"],
                      "the preview")
        self.check_page("dialog-project-details")
        self.press("Save the details")
        self.wait_for_dialog_to_close()
        self.assertEqual(
            self.call("GET", "details")[1], {"displayName": "Shop", "environment": "PRODUCTION"})
        self.wait_for_text("Production", "header .environment")
        self.assertEqual(self.bar(), "RED")
        self.wait_for(
            lambda: self.driver.switch_to.active_element.accessible_name == change, "the focus")
        self.wait_for(
            lambda: all(text in self.row().text for text in ("Shop", self.project, "Production")),
            "the details in the list")
        self.press(change)
        self.choose("Environment", "Staging")
        self.choose("Colour", "Teal")
        self.press("Save the details")
        self.wait_for_text("Staging", "header .environment")
        self.assertEqual(self.bar(), "TEAL")
        # The trail includes new tokens and sessions, which belong to every project.
        entries = self.call("GET", "audit")[1]["entries"]
        details = [entry["detail"] for entry in entries if entry["action"] == "SET_PROJECT_DETAILS"]
        self.assertEqual(details[0], "Shop, TEAL, STAGING")

    def row(self):
        """The project's row in the list."""
        return self.wait_for(
            lambda: next((e for e in self.find_all("tbody tr") if self.project in e.text), None),
            "the project's row")

    def test_does_not_overwrite_details_that_another_user_has_set(self):
        self.go("projects", find=self.project)
        self.press(f"Change the details of {self.project}")
        self.write("Name to show", "Mine")
        self.set_details(displayName="Theirs")
        self.press("Save the details")
        self.wait_for_text("someone else changed them meanwhile", "dialog")
        self.browser.take_errors()
        self.assertEqual(self.call("GET", "details")[1], {"displayName": "Theirs"})
        self.assertEqual(self.field("Name to show").get_attribute("value"), "Mine")
        self.driver.switch_to.active_element.send_keys(Keys.ESCAPE)
        self.press("Discard")
        self.wait_for_dialog_to_close()

    def test_saves_details_whose_answer_was_lost(self):
        self.go("projects", find=self.project)
        Faults(self.driver).lose("PATCH", "details$", limit=1)
        self.press(f"Change the details of {self.project}")
        self.write("Name to show", "Mine")
        self.press("Save the details")
        self.wait_for_text("The server does not answer", "dialog")
        self.press("Save the details")
        self.wait_for_dialog_to_close()
        self.assertEqual(self.call("GET", "details")[1], {"displayName": "Mine"})

    @gate
    def test_creates_archives_and_deletes_a_project(self):
        name = f"{self.project}-new"
        listed = lambda: {each["name"]: each
                          for each in self.administer("GET", "/v1/projects")[1]["projects"]}
        self.go("projects", find=self.project)
        self.press("Create project")
        self.write("Name", "a b")
        self.press("Create the project")
        self.wait_for_text("letters, digits", "dialog")
        self.write("Name", 101 * "x")
        self.press("Create the project")
        self.wait_for_text("this one has 101", "dialog")
        self.write("Name", name)
        self.choose("Environment", "Staging")
        self.check_page("dialog-project-new")
        self.press("Create the project")
        self.wait_for_dialog_to_close()
        self.wait_for_text("There is nothing here yet", "main")
        self.assertEqual(listed()[name]["versionNumber"], "0")
        self.assertEqual(self.field("Project").get_attribute("value"), name)
        self.wait_for_text("Staging", "header .environment")
        self.driver.execute_script("location.hash = arguments[0]", f"/{name}/projects?find={name}")
        self.press(f"Archive {name}")
        self.press("Archive the project")
        self.wait_for_dialog_to_close()
        self.wait_for_text("Archived", "header")
        self.wait_for_text("Projects", "main h1")
        self.check_page("projects-archived")
        self.driver.execute_script("location.hash = arguments[0]", f"/{name}/settings")
        self.wait_for_text("archived: it can be read, but not changed", "main")
        self.driver.execute_script("location.hash = arguments[0]", f"/{name}/projects?find={name}")
        self.press(f"Delete {name}")
        self.write(f"Type {name} to confirm", self.project)
        self.press("Delete the project")
        self.wait_for_text("Not deleted", "dialog")
        self.assertIn(name, listed())
        self.write(f"Type {name} to confirm", name)
        self.check_page("dialog-project-delete")
        self.press("Delete the project")
        self.wait_for_dialog_to_close()
        self.wait_for_text(f"Project {name} was deleted.", "main")
        self.assertNotEqual(self.field("Project").get_attribute("value"), name)
        self.assertNotIn(name, listed())

    def test_creates_a_project_whose_answer_was_lost(self):
        name = f"{self.project}-new"
        self.go("projects", find=self.project)
        Faults(self.driver).lose("POST", "/v1/projects$", limit=1)
        self.press("Create project")
        self.write("Name", name)
        self.press("Create the project")
        self.wait_for_text("The server does not answer", "dialog")
        self.press("Create the project")
        self.wait_for_dialog_to_close()
        self.wait_for_text("There is nothing here yet", "main")
        self.assertEqual(self.field("Project").get_attribute("value"), name)

    def test_follows_what_happens_to_a_project_below_a_dialog(self):
        path = f"/v1/projects/{self.project}"
        for method, resource, body, is_followed in (
                ("PATCH", f"{path}/details", {"archived": True},
                 lambda: not self.button("Add section").is_enabled()),
                ("DELETE", f"{path}?confirm={self.project}", None,
                 lambda: f"There is no project {self.project}" in self.find("main").text)):
            self.go("settings")
            self.press("Search and commands (Ctrl+K)")
            self.find("dialog[open]")
            faults = Faults(self.driver)
            status, answer = self.administer(method, resource, body)
            self.assertLess(status, 300, answer)

            def looked(faults=faults):
                self.driver.execute_script(
                    "document.dispatchEvent(new Event('visibilitychange'))")
                return faults.sent("GET", "listVersions") >= 3
            # The second one began after the change, and has ended when the third one begins.
            self.wait_for(looked, "three looks")
            self.find("dialog[open] input").send_keys(Keys.ESCAPE)
            self.wait_for_dialog_to_close()
            looked()
            self.wait_for(is_followed, f"the page after {method}")

    def test_lists_a_project_that_another_user_creates(self):
        self.go("projects", find=self.project)
        self.wait_for_text("1 project", "main")
        self.create_project(f"{self.project}-theirs")
        self.wait_for_text(f"{self.project}-theirs", "main table")

    def test_shows_on_every_page_where_one_is(self):
        self.go_as_shop("settings")
        for page in ("settings", "conditions", "user", "live", "history", "audit", "tokens",
                     "transfer", "webhooks", "projects"):
            with self.subTest(page=page):
                self.show(page)
                self.assertEqual(self.find("header .environment").text, "Production")
                self.assertEqual(self.bar(), "RED")
                self.assertIn("· Shop ·", self.driver.title)
        chosen = self.field("Project").find_element(By.CSS_SELECTOR, "option:checked")
        self.assertEqual(chosen.text, f"Shop ({self.project}), Production")
        self.choose("Project", "default")
        self.wait_for(lambda: self.bar() is None, "the other project")
        self.assertEqual(self.find_all("header .environment"), [])

    def test_every_colour_can_be_read(self):
        self.go("settings")
        for color in ("RED", "ORANGE", "GREEN", "TEAL", "BLUE", "PURPLE", "PINK", "GRAY"):
            with self.subTest(color=color):
                self.set_details(color=color, environment="DEVELOPMENT")
                self.driver.refresh()
                self.wait_for(lambda: self.bar() == color, color)
                self.wait_for(lambda: self.find_all("main h1"), "the page")
                self.check_accessibility(color)

    @gate
    def test_says_that_a_publish_reaches_production(self):
        self.edit_interval("45")
        self.go_as_shop("review")
        self.wait_for_text("This publishes to Shop, which is production", ".publish-card")
        self.check_page("review-production")
        self.press("Publish to Shop")
        self.wait_for_text("It is in Shop, production.", "main")
        self.assertEqual(self.version(), "2")

    def test_says_it_in_a_page_that_was_open_before(self):
        self.edit_interval("45")
        self.go("review")
        self.wait_for(lambda: "Checking" not in self.find("main").text, "the check")
        self.write("Description of this version", "Entered before")
        self.assertNotIn("production", self.find(".publish-card").text)
        self.set_details(displayName="Shop", environment="PRODUCTION")
        self.wait_for_text("This publishes to Shop, which is production", ".publish-card")
        self.assertEqual(
            self.field("Description of this version").get_attribute("value"), "Entered before")
        self.assertEqual(self.driver.title, "Review and publish · Shop · ActiveConfig")
        self.show("user?id=3")
        self.press("Pin a value")
        self.wait_for_text("This pins a value in Shop, which is production", "dialog")

    def test_reads_the_projects_while_another_one_is_opened(self):
        self.go("projects", find=self.project)
        faults = Faults(self.driver)
        self.press(f"Change the details of {self.project}")
        self.write("Name to show", "Shop")
        faults.hold("GET", "/v1/projects$", limit=1)
        self.press("Save the details")
        self.wait_for(faults.held, "the projects")
        faults.hold("GET", "/default/remoteConfig$", limit=1)
        self.driver.execute_script("location.hash = '/default/settings'")
        self.wait_for(lambda: faults.held() == 2, "the other project")
        self.driver.execute_async_script(
            "window.faults.rules[0].release(); setTimeout(arguments[0], 200);")
        self.assertEqual(self.field("Project").get_attribute("value"), "default")
        faults.end()
        self.wait_for(
            lambda: self.driver.title == "Settings · default · ActiveConfig", "the title")

    def test_shows_hundreds_of_projects_in_steps(self):
        self.go("settings")
        self.replace_answer("/v1/projects", {"projects": [
            {"name": f"p{n:03}", "displayName": f"Number {n}", "environment": "STAGING",
             "versionNumber": "0"} for n in range(300)]})
        self.go("projects")
        self.wait_for_text("300 projects", "main")
        rows = "main tbody tr"
        self.assertEqual(len(self.find_all(rows)), 100)
        self.press("Show more projects")
        self.wait_for(lambda: len(self.find_all(rows)) == 200, "more projects")
        self.write("Find a project", "staging 299")
        self.wait_for(lambda: len(self.find_all(rows)) == 1, "the project")
        self.assertIn("find=staging+299", self.driver.current_url)
        self.check_page("projects-many")

    def test_says_that_a_rollback_reaches_production(self):
        self.publish_interval("45")
        self.go_as_shop("history")
        self.press("Go back to version 1")
        self.wait_for_text("This goes back in Shop, which is production", "dialog")
        self.check_page("dialog-rollback-production")

    def test_says_that_a_pin_reaches_production(self):
        self.go_as_shop("user?id=3")
        self.press("Pin a value")
        self.wait_for_text("This pins a value in Shop, which is production", "dialog")

    def test_says_nothing_of_production_elsewhere(self):
        self.publish_interval("45")
        self.go_as_shop("history", environment="STAGING")
        self.press("Go back to version 1")
        self.wait_for_text("Users get it immediately.", "dialog")
        self.assertEqual(self.find_all("dialog .production"), [])


class NarrowProjectTests(ProjectCase):
    size = (320, 700)

    def test_shows_where_one_is_on_a_small_phone(self):
        self.edit_interval("45")
        self.go_as_shop("review")
        self.wait_for_text("This publishes to Shop, which is production", ".publish-card")
        word = self.find("header .environment")
        self.assertEqual(word.text, "Production")
        self.assertTrue(self.field("Project").is_displayed())
        self.check_page("review-production")
        self.press("Menu")
        self.find("nav a")
        self.check_page("menu-production")
        self.press("Projects")
        self.wait_for_text("Projects", "main h1")
        # A table without a field has few rows.
        if self.wait_for(lambda: self.find_all("tbody tr"), "the projects")[9:]:
            self.write("Find a project", self.project)
        self.press(f"Change the details of {self.project}")
        self.find("dialog[open]")
        self.check_page("dialog-project-details")


class ViewerTests(TaskCase):
    def test_only_publishers_set_the_details(self):
        self.token = self.new_token("editor")
        self.go("projects", find=self.project)
        button = self.button(f"Change the details of {self.project}")
        self.assertFalse(button.is_enabled())
        reason = self.driver.execute_script(
            "return document.getElementById(arguments[0]).textContent",
            button.get_attribute("aria-describedby"))
        self.assertIn("publisher", reason)


class ConnectedAppTests(TaskCase):
    """Connected apps in the review and on the live page."""

    def listen(self, user, **signals):
        """Listens as a user's app does."""
        stream = urlopen(
            f"{URL}/projects/{self.project}/activeconfig/user/{user}/events?{urlencode(signals)}",
            timeout=PATIENCE)
        self.addCleanup(stream.close)
        return stream

    def review_new_versions(self):
        """Opens the review of a draft that changes something from version 2.0 on."""
        self.go("settings")
        self.press("Edit AppFeatures.RefreshInterval")
        self.write("Value for New versions", "5")
        self.keep()
        self.go("review")

    def test_takes_the_signals_of_a_connected_app_for_one_user(self):
        self.listen(4, **{"app.version": "3.0", "signal.plan": "gold"})
        self.review_new_versions()
        self.write("Also preview these users", "4, 5")
        self.press("Preview")
        offer = "Take these signals for 4: app.version = 3.0, plan = gold"
        self.button(offer)
        self.assertEqual(len(self.find_all("[data-focus^=take]")), 1)
        self.check_page("review-connected-app")
        self.press(offer)
        self.wait_for_text("A connected app of this user sends these: app.version = 3.0, plan = gold.",
                           "[aria-labelledby=impact]")
        first, second = self.find_all("[aria-labelledby=impact] .difference")
        self.assertIn("1 setting", first.text)
        self.assertNotIn("Unknown: ", first.text)
        # The information about the other user is kept.
        self.assertIn("Unknown: app.version", second.text)
        self.assertIn("user 4", self.driver.switch_to.active_element.get_attribute("data-focus"))
        self.driver.refresh()
        self.wait_for_text("A connected app of this user sends these", "[aria-labelledby=impact]")
        folds = self.find_all("[aria-labelledby=impact] form summary")
        self.assertIn("2 signals", folds[0].text)
        self.assertIn("nothing entered", folds[1].text)

    def test_takes_the_signals_that_a_user_sent_last(self):
        for user in range(5):
            with urlopen(f"{URL}/projects/{self.project}/activeconfig/user/{user}"
                         f"?signal.plan=gold&signal.mail=m{user}", timeout=PATIENCE) as answer:
                answer.read()
        self.go("user", id="4")
        self.wait_for_text("Within the last day, an app of this user sent: plan = gold. Values that "
                           "fewer than five users sent are left out.", "main")
        self.press("Take these signals for 4: plan = gold")
        self.wait_for_text("Within the last day, an app of this user sent these: plan = gold.", "main")
        self.assertIn("plan=gold", self.driver.current_url)

    def test_keeps_the_signals_of_each_user(self):
        self.review_new_versions()
        self.write("Also preview these users", "4, 5")
        self.press("Preview")
        self.wait_for(
            lambda: len(self.find_all("[aria-labelledby=impact] form summary")) == 2, "the forms")
        # The preview moves the form.
        self.wait_for(
            lambda: len(self.find_all("[aria-labelledby=impact] .difference")) == 2, "the preview")
        fold = self.find_all("[aria-labelledby=impact] form summary")[1]
        # The card with the button to publish covers the end of the window.
        self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", fold)
        fold.click()
        self.write("App version", "3.0")
        self.press("Preview")
        self.wait_for(lambda: ["1 setting" in e.text for e in self.find_all(
            "[aria-labelledby=impact] .difference")] == [False, True], "what changes for 5")
        self.check_page("review-named-users")
        # A user who is no longer listed is forgotten.
        self.write("Also preview these users", "5")
        self.press("Preview")
        self.wait_for(
            lambda: len(self.find_all("[aria-labelledby=impact] form summary")) == 1, "one form")
        kept = self.driver.execute_script(
            "return localStorage.getItem(arguments[0])",
            f"activeconfig.impact.environment.{self.project}")
        self.assertEqual(
            json.loads(kept), {"users": "5", "signalsByUser": {"5": {"app.version": "3.0"}}})

    def test_tries_a_connected_user_with_the_signals_of_its_app(self):
        self.listen(4, **{"app.version": "3.0"})
        self.go("live")
        self.wait_for(lambda: self.find_all(".live-users a"), "the connected user")
        self.press("4")
        self.wait_for_text("A connected app of this user sends these: app.version = 3.0.", "main")
        self.assertEqual(self.field("App version").get_attribute("value"), "3.0")
        self.assertTrue(
            self.driver.current_url.endswith("?id=4&app.version=3.0"), self.driver.current_url)
        self.driver.back()
        self.wait_for(lambda: self.find_all(".live-users a"), "the live page")

    def test_tries_a_user_with_the_signals_of_the_connected_app(self):
        self.listen(4, **{"app.version": "3.0"})
        self.go("user", id="4")
        self.press("Take these signals for 4: app.version = 3.0")
        self.wait_for_text("A connected app of this user sends these: app.version = 3.0.", "main")
        self.assertIn("app.version=3.0", self.driver.current_url)
        self.assertEqual(self.field("App version").get_attribute("value"), "3.0")

    def test_says_whom_the_last_publish_changed(self):
        for user in range(1, 5):
            self.listen(user)
        self.go("live")
        self.wait_for(
            lambda: self.find("[aria-labelledby=now] .figure").text == "4", "the connections")
        self.assertNotIn("It changed", self.find("main").text)
        template = copy.deepcopy(TEMPLATE)
        for condition in template["conditions"]:
            if condition["name"] == "User 2":
                condition["expression"] = "user.id == '9'"
        self.publish(template, "Nobody is user 2")
        tile = self.wait_for_text(
            "It changed something for 1 of 4 users connected when it was published.",
            "[aria-labelledby=share]")
        self.assertIn("Version 2, ", tile.text)
        self.check_page("live-effect")


if __name__ == "__main__":
    unittest.main()
