"""Tokens, webhooks, and the limits of roles."""

import unittest
from datetime import datetime

from selenium.webdriver.common.keys import Keys

from console_case import gate
from faults import Faults
from sign_in_turns import take_sign_in_turn
from task_case import TaskCase


class TokenTests(TaskCase):
    def row(self, name):
        """The row of a token."""
        return next((e for e in self.find_all("tbody tr") if name in e.text), None)

    @gate
    def test_creates_a_token_shows_it_once_and_revokes_it(self):
        name = f"ci of {self.project}"
        self.go("tokens")
        self.press("Create token")
        self.press("Create the token")
        self.wait_for_text("name is missing", "dialog")
        self.write("Name", name)
        self.choose("Role", "Editor")
        self.wait_for_text("Also edits drafts, imports", "dialog")
        self.choose("Expires after", "30 days")
        self.write("Belongs to", "Ada")
        self.field("May publish without approval").click()
        self.check_page("token-new")
        self.press("Create the token")
        secret = self.field("Token").get_attribute("value")
        self.check_page("token-secret")
        self.press("Copy")
        self.press("Done")
        self.wait_for_dialog_to_close()
        row = self.wait_for(lambda: self.row(name), "the token")
        self.assertIn("Editor", row.text)
        self.assertIn("Belongs to Ada", row.text)
        self.assertIn("Publishes without approval", row.text)
        self.assertIn("Active", row.text)
        self.assertNotIn(secret, self.driver.page_source)
        self.check_page("tokens")

        self.press(f"Revoke {name}")
        self.press("Revoke the token")
        self.wait_for(lambda: (row := self.row(name)) and "Revoked" in row.text, "the end")
        self.browser.forget(self.url)
        self.open()
        self.enter_token(secret)
        self.wait_for_text("unknown, expired or revoked")

    def test_copies_a_link_that_signs_in(self):
        self.driver.execute_cdp_cmd("Browser.grantPermissions", {
            "permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]})
        name = f"linked of {self.project}"
        self.go("tokens")
        self.press("Create token")
        self.write("Name", name)
        self.press("Create the token")
        secret = self.field("Token").get_attribute("value")
        # Also after the token itself was copied.
        self.press("Copy")
        self.wait_for_text("Copied", "dialog")
        self.press("Copy sign-in link")
        self.wait_for_text("Copied the link", "dialog")
        link = self.driver.execute_async_script(
            "navigator.clipboard.readText().then(arguments[0])")
        self.assertEqual(link, f"{self.url}/console/#token={secret}")
        self.press("Done")
        self.wait_for_dialog_to_close()
        self.browser.forget(self.url)
        take_sign_in_turn(self.url)
        self.driver.get(link)
        self.wait_for_text(name, ".who")

    def test_limits_a_token_to_projects(self):
        name = f"limited of {self.project}"
        self.go("tokens")
        self.press("Create token")
        self.write("Name", name)
        self.choose("Access to", "Only some projects")
        self.press("Create the token")
        self.wait_for_text("Choose a role in at least one project", "dialog")
        self.choose(self.project, "Editor")
        self.check_page("token-limited")
        self.press("Create the token")
        secret = self.field("Token").get_attribute("value")
        self.press("Done")
        self.wait_for_dialog_to_close()
        row = self.wait_for(lambda: self.row(name), "the token")
        self.assertIn(f"Editor in {self.project}", row.text)
        self.browser.forget(self.url)
        self.sign_in(secret)
        self.wait_for_text("editor", ".account")
        chosen = [e.text for e in self.field("Project").find_elements("css selector", "option")]
        self.assertEqual(chosen, [self.project])
        self.driver.execute_script("location.hash = arguments[0]", f"/{self.project}/tokens")
        self.wait_for_text("limited to some projects", "main")

    def test_creates_tokens_for_a_short_time(self):
        self.go("tokens")
        for text, hours in (("12 hours", 12), ("1 day", 24), ("7 days", 7 * 24)):
            name = f"{text} of {self.project}"
            self.press("Create token")
            self.write("Name", name)
            self.choose("Expires after", text)
            self.press("Create the token")
            self.press("Done")
            self.wait_for_dialog_to_close()
            token = next(t for t in self.administer("GET", "/v1/tokens")[1]["tokens"]
                         if t["name"] == name)
            end, start = (datetime.fromisoformat(token[f"{each}Time"].replace("Z", "+00:00"))
                          for each in ("expiration", "creation"))
            self.assertAlmostEqual((end - start).total_seconds(), hours * 3600, delta=120)

    def test_shows_no_list_that_was_overtaken(self):
        first, second = (f"{each} of {self.project}" for each in ("first", "second"))
        for name in (first, second):
            self.administer("POST", "/v1/tokens", {"name": name, "role": "viewer"})
        self.go("tokens")
        self.wait_for(lambda: self.row(second), "the tokens")
        faults = Faults(self.driver)
        faults.hold("GET", "/v1/tokens", limit=1)
        self.press(f"Revoke {first}")
        self.press("Revoke the token")
        self.wait_for(faults.held, "the list after the first end")
        self.press(f"Revoke {second}")
        self.press("Revoke the token")
        self.wait_for(lambda: "Revoked" in self.row(second).text, "the end of the second token")
        faults.end()
        self.assertIn("Revoked", self.row(second).text)

    @gate
    def test_finds_a_token_whose_answer_was_lost(self):
        name = f"lost of {self.project}"
        self.go("tokens")
        faults = Faults(self.driver)
        faults.lose("POST", "/v1/tokens", limit=1)
        self.press("Create token")
        self.write("Name", name)
        self.press("Create the token")
        self.wait_for_text("was created, but it was lost with the response", "dialog")
        self.check_page("token-lost")
        self.press("Revoke the lost token")
        self.wait_for_text("You can try again", "dialog")
        self.press("Create the token")
        self.field("Token")
        self.press("Done")
        self.wait_for_dialog_to_close()
        tokens = [t for t in self.administer("GET", "/v1/tokens")[1]["tokens"]
                  if t["name"] == name]
        self.assertEqual(len([t for t in tokens if not t.get("revocationTime")]), 1)

    @gate
    def test_asks_before_it_closes_a_token_that_was_not_copied(self):
        name = f"shown of {self.project}"
        self.go("tokens")
        self.press("Create token")
        self.write("Name", name)
        faults = Faults(self.driver)
        faults.hold("POST", "/v1/tokens", limit=1)
        self.press("Create the token")
        self.wait_for(lambda: faults.held() == 1, "the request")
        self.driver.switch_to.active_element.send_keys(Keys.ESCAPE)
        self.wait_for_text("“Create the token” is running", "dialog")
        faults.end()
        self.field("Token")
        self.driver.switch_to.active_element.send_keys(Keys.ESCAPE)
        self.wait_for_text("it cannot be shown again", "dialog:last-of-type")
        self.press("Back")
        self.wait_for(lambda: len(self.find_all("dialog")) == 1, "the token")
        self.driver.switch_to.active_element.send_keys(Keys.ESCAPE)
        self.wait_for(lambda: self.find_all("dialog .danger"), "the question")[0].click()
        self.wait_for_dialog_to_close()
        self.press("Create token")
        self.write("Name", f"copied of {self.project}")
        self.press("Create the token")
        self.field("Token")
        self.driver.execute_script("navigator.clipboard.writeText = () => Promise.resolve();")
        self.press("Copy")
        self.wait_for_text("Copied", "dialog")
        self.driver.switch_to.active_element.send_keys(Keys.ESCAPE)
        self.wait_for_dialog_to_close()

    def test_shows_a_thousand_tokens_in_steps(self):
        self.go("settings")
        self.replace_answer("/v1/tokens", {"tokens": [
            {"id": str(n), "name": f"token {n}", "role": "viewer",
             "creationTime": f"2026-01-01T10:{n // 60:02}:{n % 60:02}.000Z"} for n in range(1000)]})
        self.go("tokens")
        self.wait_for_text("1,000 tokens", "main")
        self.assertLess(
            self.driver.execute_script("return document.querySelectorAll('*').length"), 4000)
        self.assertIn("token 999", self.find("tbody tr").text)
        self.write("Find a token", "viewer 17 active")
        self.wait_for_text("20 tokens of 1000", "main")
        self.assertTrue(self.row("token 317"))
        self.check_page("tokens-many")


class WebhookTests(TaskCase):
    @gate
    def test_adds_a_webhook_shows_its_deliveries_and_removes_it(self):
        self.go("webhooks")
        self.wait_for_text("There are no webhooks", "main")
        self.press("Add webhook")
        self.write("Address", "nowhere")
        self.press("Add the webhook")
        self.wait_for_text("The webhook address is not valid", "dialog")
        self.write("Address", "https://webhook.invalid/hook")
        self.press("Add the webhook")
        self.assertTrue(self.field("Secret").get_attribute("value"))
        self.press("Done")
        self.wait_for_text("https://webhook.invalid/hook", "tbody")
        self.press("Add webhook")
        self.write("Address", "https://webhook.invalid/hook")
        self.wait_for_text("already receives the events of this project", "dialog .message")
        self.check_page("webhook-again")
        self.field("Address").send_keys("2")
        self.wait_for(lambda: not self.find_all("dialog .message"), "no warning")
        self.press("Cancel")
        self.press("Discard")
        self.wait_for_dialog_to_close()
        self.publish(self.template(), "Tell them")
        self.press("Deliveries to https://webhook.invalid/hook")
        self.wait_for_text("Version 2", "dialog table")
        self.check_page("deliveries")
        self.press("Close")
        self.wait_for_dialog_to_close()
        self.check_page("webhooks")
        self.press("Remove https://webhook.invalid/hook")
        self.press("Remove the webhook")
        self.wait_for_text("There are no webhooks", "main")

    def test_adds_a_webhook_for_steps_of_change_requests(self):
        self.go("webhooks")
        self.press("Add webhook")
        self.write("Address", "https://webhook.invalid/steps")
        self.field("Also at each step of a change request").click()
        self.press("Add the webhook")
        self.press("Done")
        self.wait_for_text("Also steps of change requests", "tbody")
        self.assertEqual(self.call("GET", "webhooks")[1]["webhooks"][0]["events"],
                         ["publish", "changeRequest"])
        version = self.call("GET", "remoteConfig")[1]["version"]["versionNumber"]
        status, answer = self.call("POST", "changeRequests", {
            "title": "Later", "base": f"etag-{self.project}-{version}",
            "template": {"parameters": {"a": {"defaultValue": {"value": "1"}}}}})
        self.assertEqual(status, 201, answer)
        self.press("Deliveries to https://webhook.invalid/steps")
        self.wait_for_text(f"Change request {answer['id']} opened", "dialog table")
        self.check_page("deliveries-of-steps")

    def test_adds_a_webhook_that_is_asked_before_each_step_of_a_rollout(self):
        self.go("webhooks")
        self.press("Add webhook")
        self.write("Address", "https://webhook.invalid/rollouts")
        self.field("Ask before each step of a rollout").click()
        self.press("Add the webhook")
        self.press("Done")
        self.wait_for_text("Also asked before each step of a rollout", "tbody")
        self.assertEqual(self.call("GET", "webhooks")[1]["webhooks"][0]["events"],
                         ["publish", "rolloutStep"])

    def test_shows_a_failing_delivery_without_a_reload(self):
        self.go("webhooks")
        self.wait_for_text("There are no webhooks", "main")
        self.assertLess(self.call("POST", "webhooks", {"url": "https://webhook.invalid/hook"})[0],
                        300)
        self.publish(self.template(), "Tell them")
        self.wait_for_text("Failing", "main tbody")
        self.assertIn("next attempt at", self.find("main tbody").text)

    def test_finds_a_webhook_whose_answer_was_lost(self):
        address = "https://webhook.invalid/lost"
        self.go("webhooks")
        faults = Faults(self.driver)
        faults.lose("POST", "/webhooks$", limit=1)
        self.press("Add webhook")
        self.write("Address", address)
        self.press("Add the webhook")
        self.wait_for_text("its secret was lost with the response", "dialog")
        self.press("Add the webhook")
        self.wait_for_text("its secret was lost with the response", "dialog")
        self.assertEqual(len(self.call("GET", "webhooks")[1]["webhooks"]), 1)
        self.press("Remove the added webhook")
        self.wait_for_text("You can try again", "dialog")
        faults.fail("POST", "/webhooks$", limit=1)
        self.press("Add the webhook")
        self.wait_for_text("nothing was created", "dialog")
        self.press("Add the webhook")
        self.field("Secret")
        self.press("Done")
        self.wait_for_dialog_to_close()
        self.assertEqual(
            [each["url"] for each in self.call("GET", "webhooks")[1]["webhooks"]], [address])

    def test_lists_a_webhook_whose_answer_was_lost(self):
        self.go("webhooks")
        Faults(self.driver).lose("POST", "/webhooks$", limit=1)
        self.press("Add webhook")
        self.write("Address", "https://webhook.invalid/lost")
        self.press("Add the webhook")
        self.wait_for_text("its secret was lost with the response", "dialog")
        self.press("Cancel")
        self.press("Discard")
        self.wait_for_dialog_to_close()
        self.wait_for_text("https://webhook.invalid/lost", "tbody")


class RoleTests(TaskCase):
    def sign_in_as(self, role):
        """Signs in with a new token of a role."""
        status, answer = self.administer("POST", "/v1/tokens", {"name": role, "role": role})
        self.assertEqual(status, 200, answer)
        self.token = answer["token"]

    def test_shows_a_viewer_everything_and_lets_them_change_nothing(self):
        self.sign_in_as("viewer")
        self.go("settings")
        self.wait_for_text("viewer", ".account")
        self.wait_for_text("Your role is viewer: you can see all values, but change none.", "main")
        self.assertFalse(self.button("Add section").is_enabled())
        self.assertEqual(self.find_all("main .settings button:disabled, main input[role=switch]"), [])
        self.press("More for AppFeatures.RefreshInterval")
        self.assertEqual(
            [e.text for e in self.find_all("[role=menuitem]")], ["Show", "History …", "Copy link"])
        self.press("Show")
        self.wait_for_text("60.0", "dialog .values")
        self.check_page("setting-viewer")
        self.press("Close")
        self.wait_for_dialog_to_close()
        self.check_page("settings-viewer")
        for page in ("conditions", "review", "user", "live", "history", "audit", "tokens",
                     "webhooks"):
            self.go(page)
            enabled = [e.accessible_name for e in self.find_all("main button")
                       if e.is_enabled() and e.is_displayed()]
            changing = {"Add condition", "Publish", "Create token", "Add webhook"}
            self.assertEqual(changing.intersection(enabled), set(), page)
            self.check_accessibility(page)
            self.assertEqual(self.find_all(".message.error"), [], page)

    def test_says_before_the_click_what_a_viewer_may_not_do(self):
        self.call("POST", "webhooks", {"url": "https://webhook.invalid/hook?key=secret"})
        self.call("PUT", "users/42/overrides", {"AppFeatures": {"RefreshInterval": 7}})
        self.token = self.new_token("viewer")
        self.go("webhooks")
        self.wait_for_text("https://webhook.invalid/hook?key=***", "tbody")
        self.assertNotIn("secret", self.find("main").text)
        for name in ("Add webhook", "Remove https://webhook.invalid/hook?key=***"):
            self.assertFalse(self.button(name).is_enabled(), name)
        # A tap or the tabulator key shows why.
        group = self.button("Add webhook").find_element("xpath", "..")
        self.driver.execute_script("arguments[0].focus()", group)
        self.wait_for(
            lambda: group.find_element("css selector", ".reason").size["width"] > 100, "the reason")
        self.assertIn("This needs the role publisher", group.text)
        self.press("Deliveries to https://webhook.invalid/hook?key=***")
        self.wait_for_text("Nothing was delivered yet", "dialog")
        self.press("Close")
        self.wait_for_dialog_to_close()
        links = {e.text.split("\n")[0] for e in self.find_all("nav a[title]")}
        self.assertEqual({text.split(" ")[0] for text in links}, {"Review", "Tokens"})
        self.go("user")
        self.assertFalse(self.button("Preview").is_enabled())
        self.write("User ID", "42")
        self.press("Show pinned values")
        self.wait_for_text("AppFeatures.RefreshInterval", "main tbody")
        self.check_page("user-viewer")
        self.go("tokens")
        self.wait_for_text("Publishers see and manage tokens. Your role is viewer.", "main")
        self.assertFalse(self.button("Create token").is_enabled())

    def test_explains_the_review_to_a_viewer(self):
        self.token = self.new_token("viewer")
        self.go("review")
        self.wait_for_text("Viewers have no drafts and see what is published.", "main")
        self.assertNotIn("Go to the settings", self.find("main").text)
        self.press("See the history")
        self.wait_for_text("History", "main h1")

    @gate
    def test_lets_an_editor_make_a_draft_and_not_publish_it(self):
        self.sign_in_as("editor")
        self.edit_interval("45")
        self.go("review")
        self.wait_for_text("This needs the role publisher", "main")
        self.assertFalse(self.button("Publish").is_enabled())
        self.check_page("review-editor")


class SessionTests(TaskCase):
    @gate
    def test_keeps_the_draft_when_the_session_ends(self):
        self.edit_interval("45")
        self.wait_for_text("1 change", ".draft-bar")
        self.driver.delete_all_cookies()
        self.press("History")
        self.wait_for_text("The session of Admin token has ended")
        # Someone else would not see the edits.
        with self.downloads() as folder:
            self.press("Download the edits")
            file = folder / f"{self.project}-draft.json"
            self.wait_for(file.exists, "the file")
            self.assertIn('"45"', file.read_text("utf-8"))
        self.check_page("sign-in-again-edits")
        self.enter_token(self.token)
        self.wait_for_text("The sample template", "main")
        self.wait_for_text("1 change", ".draft-bar")

    @gate
    def test_keeps_the_draft_over_signing_out_and_leaves_nothing_in_the_browser(self):
        self.edit_interval("45")
        self.go("user", id="secret")
        self.wait_for_text("User secret", "main h2")
        self.go("review")
        self.write("Also preview these users", "secret")
        self.press("Preview")
        self.wait_for_text("secret", "[aria-labelledby=impact] .difference-head")
        self.press("Sign out")
        self.wait_for_text("You are signed out. Your draft is kept")
        self.assertEqual(self.driver.get_cookies(), [])
        self.assertEqual(self.driver.execute_script(
            "return [localStorage, sessionStorage].flatMap((each) => Object.keys(each))"),
            ["activeconfig.project"])
        self.enter_token(self.token)
        self.go("review")
        self.wait_for_text("1 change", ".draft-bar")

    def test_shows_the_next_user_nothing_of_what_was_entered(self):
        self.edit_interval("45")
        self.go("review")
        self.write("Also preview these users", "secret-named")
        self.press("Preview")
        self.wait_for_text("secret-named", "[aria-labelledby=impact] .difference-head")
        self.go("user")
        self.write("User ID", "secret-tried")
        self.press("Preview")
        self.wait_for_text("User secret-tried", "main h2")
        self.driver.delete_all_cookies()
        self.press("Preview")
        self.wait_for_text("The session of Admin token has ended")
        # The page below has a button that submits, too.
        take_sign_in_turn(self.url)
        self.write("Token", self.new_token("publisher"))
        self.press("Sign in")
        self.wait_for_text("publisher ", ".who")
        self.assertEqual(self.field("User ID").get_attribute("value"), "")
        self.assertNotIn("secret", self.driver.current_url)
        self.edit_interval("99")
        self.go("review")
        self.assertEqual(self.field("Also preview these users").get_attribute("value"), "")
        self.assertNotIn("secret", self.find("main").text)


if __name__ == "__main__":
    unittest.main()
