"""Change requests: asking for a review, voting, conflicts, and protected projects."""

from urllib.request import urlopen
from uuid import uuid4

from selenium.webdriver.common.by import By

from browser import PHONE
from console_case import PATIENCE, URL, gate
from faults import Faults
from task_case import TaskCase, with_interval


class ChangeRequestCase(TaskCase):
    """A test with tokens of people."""

    def setUp(self):
        super().setUp()
        self.tokens = {}

    def protect(self, **members):
        """Protects the project, by default with one approval."""
        status, answer = self.call("PUT", "protection", {"requiredApprovals": 1} | members, If_Match="*")
        self.assertEqual(status, 200, answer)

    def token_of(self, person, role="editor"):
        """The token of a person."""
        if person not in self.tokens:
            status, answer = self.administer("POST", "/v1/tokens", {
                "name": f"{person} {uuid4().hex[:8]}", "role": role, "owner": person})
            self.assertEqual(status, 200, answer)
            self.tokens[person] = answer["token"]
        return self.tokens[person]

    def become(self, person, role="editor"):
        """Continues as a person, in another session."""
        self.token = self.token_of(person, role)
        # The page of the session before must not report that it has ended.
        self.driver.get("about:blank")
        self.continue_session()

    def make_request(self, value="45", title="Look sooner"):
        """Makes a request for another interval, without the browser; returns its identifier."""
        base = f'"etag-{self.project}-{self.version()}"'
        status, answer = self.call("POST", "changeRequests", {
            "title": title, "template": with_interval(value), "base": base})
        self.assertEqual(status, 201, answer)
        return answer["id"]

    def state(self, request):
        """The state of a request on the server."""
        return self.call("GET", f"changeRequests/{request}")[1]["state"]

    def open_request(self, request):
        """Opens the page of a request."""
        self.go("change-request", id=request)
        self.wait_for_text("What it changes", "main")

    def reason_of(self, button):
        """The reason for which a button is disabled."""
        place = self.button(button).find_element(By.XPATH, "..")
        return place.get_attribute("title")


class ReviewingTests(ChangeRequestCase):
    @gate
    def test_asks_for_a_review_until_others_approve_and_publish(self):
        self.protect()
        self.become("Ada")
        self.edit_interval("45")
        self.go("review")
        self.wait_for_text("A publish in this project needs 1 approval.", "main")
        self.press("Request review …")
        self.press("Request review")
        self.wait_for_text("give a title", "dialog [role=alert]")
        self.write("Title", "Look sooner")
        self.write("Text", "Less waiting.")
        self.press("Request review")
        self.wait_for_text("The change request “Look sooner” is made.", "main .success")
        self.press("Open the request")
        self.wait_for_text("Less waiting.", "main")
        self.assertEqual([e.text.split("\n") for e in self.find_all(".diff .side")],
                         [["Before", "60.0"], ["After", "45"]])
        self.assertIn("somebody else must vote", self.reason_of("Approve"))
        self.check_page("change-request")

        self.become("Bob")
        self.go("change-requests")
        self.wait_for_text("0 of 1", "main")
        self.check_page("change-requests")
        self.press("Look sooner")
        self.press("Ask for changes")
        self.wait_for_text("Write what should change.", "main")
        self.choose("About", "AppFeatures.RefreshInterval")
        self.write("Your comment", "Too often.")
        self.press("Ask for changes")
        self.wait_for_text("You ask for changes.", "main .success")
        self.assertEqual(self.field("Your comment").get_attribute("value"), "")
        self.wait_for_text("AppFeatures.RefreshInterval: Too often.", "main")

        self.become("Ada")
        self.edit_interval("50")
        self.wait_for_text("1 change", ".draft-bar")
        self.go("change-requests", state="changesRequested")
        self.press("Look sooner")
        self.wait_for_text("Bob asks for changes.", "main")
        self.press("Replace with my draft …")
        self.press("Replace the content")
        self.wait_for_text("The request has the content of your draft.", "main .success")
        self.write("Your comment", "Better?")
        self.press("Comment")
        self.wait_for_text("You have commented.", "main .success")

        self.become("Bob")
        self.go("change-requests")
        self.press("Look sooner")
        self.wait_for_text("Better?", "main")
        self.press("Approve")
        self.wait_for_text("You approve this request.", "main .success")
        self.wait_for_text("1 of 1 approval", "main")
        self.assertIn("role publisher", self.reason_of("Publish"))

        self.become("Cleo", "publisher")
        self.go("change-requests", state="approved")
        self.press("Look sooner")
        self.press("Publish")
        self.wait_for_text("Published as version 2.", "main .success")
        self.wait_for_text("Version 2 has these changes", "main")
        self.assertEqual(self.parameter("AppFeatures", "RefreshInterval")["defaultValue"], {"value": "50"})
        self.assertEqual(self.find_all("[aria-labelledby=impact]"), [])
        self.go("change-requests")
        self.wait_for_text("No change request has this state.", "main")

    @gate
    def test_counts_the_open_requests_in_the_navigation(self):
        def link():
            return next(e for e in self.find_all("nav a") if e.text.startswith("Change requests"))
        self.go("settings")
        self.wait_for_text("Change requests", "nav")
        self.assertEqual(link().accessible_name, "Change requests")
        first = self.make_request("45", "One")
        self.make_request("50", "Two")
        self.wait_for(lambda: link().accessible_name == "Change requests 2 open", "two requests")
        self.check_page("navigation-with-requests")
        self.driver.execute_script("arguments[0].focus()", link())
        etag = self.call("GET", f"changeRequests/{first}")[1]["etag"]
        self.assertEqual(
            self.call("POST", f"changeRequests/{first}:close", {}, If_Match=f'"{etag}"')[0], 200)
        self.wait_for(lambda: link().accessible_name == "Change requests 1 open", "one request")
        self.assertEqual(self.driver.switch_to.active_element, link())

    @gate
    def test_keeps_what_was_entered_when_the_request_has_changed(self):
        request = self.make_request()
        self.open_request(request)
        self.press("Edit title and text")
        self.write("Title", "Mine")
        self.write("Your comment", "Not sent yet")
        status, answer = self.call(
            "PATCH", f"changeRequests/{request}", {"title": "Theirs"}, If_Match="*")
        self.assertEqual(status, 200, answer)
        self.press("Save")
        self.wait_for_text("This request has changed: look at what is new.", "main .warning")
        self.wait_for_text("The title is now “Theirs”.", "main .warning")
        self.browser.take_errors()
        self.go("settings")
        self.open_request(request)
        self.assertEqual(self.field("Title").get_attribute("value"), "Mine")
        self.assertEqual(self.field("Your comment").get_attribute("value"), "Not sent yet")
        self.press("Save")
        self.wait_for_text("Title and text are saved.", "main .success")
        self.wait_for_text("Mine", "h1")
        self.press("Close the request …")
        self.wait_for_text("Not sent yet", "dialog")
        self.press("Close the request")
        self.wait_for_text("The request is closed.", "main .success")
        self.assertEqual(self.state(request), "closed")

    def vote_as(self, person, request, act, **body):
        """A person votes or comments, without the browser."""
        token = self.token_of(person)
        etag = self.call("GET", f"changeRequests/{request}")[1]["etag"]
        status, answer = self.call("POST", f"changeRequests/{request}{act}", body,
                                   Authorization=f"Bearer {token}", If_Match=f'"{etag}"')
        self.assertIn(status, (200, 201), answer)

    def announced(self):
        return self.find_all("#announcements")[0].get_attribute("textContent")

    @gate
    def test_shows_votes_and_comments_of_others_while_it_is_open(self):
        self.protect(requiredApprovals=2)
        request = self.make_request()
        self.become("Ada")
        self.open_request(request)
        self.press("Edit title and text")
        self.write("Title", "Not saved yet")
        comment = self.field("Your comment")
        comment.send_keys("Half a sen")
        approve = self.field("Your comment").find_element(By.XPATH, "//button[.='Approve']")
        self.vote_as("Bob", request, ":approve")
        self.wait_for_text("1 of 2 approvals", "main")
        self.wait_for_text("Bob approved.", "main .info")
        self.wait_for(lambda: self.announced().strip() == "Bob approved.", "the announcement")
        # The field stays in place, as does a button that somebody is about to press.
        self.assertEqual(self.driver.switch_to.active_element, comment)
        comment.send_keys("tence")
        self.assertEqual(comment.get_attribute("value"), "Half a sentence")
        self.assertTrue(approve.is_enabled())
        self.assertEqual(self.field("Title").get_attribute("value"), "Not saved yet")
        self.vote_as("Cleo", request, "/comments", text="Why now?")
        self.wait_for_text("Why now?", "[aria-label=Comments]")
        self.wait_for(lambda: self.announced().strip() == "Cleo commented.", "the announcement")
        self.assertEqual([e.text for e in self.find_all("main .info li")],
                         ["Bob approved.", "Cleo commented."])
        self.check_page("change-request-news")
        self.press("Approve")
        self.wait_for_text("You approve this request.", "main .success")
        self.assertEqual(self.state(request), "approved")

    @gate
    def test_does_not_replace_what_is_being_reviewed(self):
        request = self.make_request()
        self.become("Bob")
        self.open_request(request)
        self.write("Your comment", "Fine")
        base = f'"etag-{self.project}-{self.version()}"'
        status, answer = self.call("PATCH", f"changeRequests/{request}", {
            "template": with_interval("5"), "base": base}, If_Match="*")
        self.assertEqual(status, 200, answer)
        self.wait_for_text("What this request changes was edited since you opened it.",
                           "main .warning")
        self.assertEqual([e.text.split("\n")[1] for e in self.find_all(".diff .side")],
                         ["60.0", "45"])
        self.check_page("change-request-edited")
        # A vote on what is shown is refused.
        self.press("Approve")
        self.wait_for_text("Nothing was done; what you entered is kept.", "main .warning")
        self.browser.take_errors()
        self.assertEqual(self.call("GET", f"changeRequests/{request}")[1]["votes"], [])
        self.wait_for(lambda: [e.text.split("\n")[1] for e in self.find_all(".diff .side")]
                      == ["60.0", "5"], "the new content")
        status, answer = self.call("PATCH", f"changeRequests/{request}", {
            "template": with_interval("6"), "base": base}, If_Match="*")
        self.assertEqual(status, 200, answer)
        self.press("Show what it is now")
        self.wait_for(lambda: [e.text.split("\n")[1] for e in self.find_all(".diff .side")]
                      == ["60.0", "6"], "the newest content")
        self.press("Approve")
        self.wait_for_text("You approve this request.", "main .success")

    @gate
    def test_follows_the_list_while_it_is_open(self):
        self.protect()
        self.go("change-requests")
        self.wait_for_text("No change request has this state.", "main")
        first = self.make_request(title="One")
        self.wait_for_text("One", "main tbody")
        self.wait_for_text("0 of 1", "main tbody")
        self.vote_as("Bob", first, ":approve")
        self.wait_for_text("1 of 1", "main tbody")
        self.wait_for(lambda: self.announced().strip() == "“One”: Approved, 1 of 1 approval.",
                      "the announcement")

    @gate
    def test_names_conflicts_and_opens_the_request_in_the_draft(self):
        request = self.make_request()
        self.publish(with_interval("46"), "Theirs")
        self.open_request(request)
        self.wait_for_text("AppFeatures.RefreshInterval", "main .error")
        self.assertIn("conflicts", self.reason_of("Publish"))
        self.edit_interval("47")
        self.wait_for_text("1 change", ".draft-bar")
        self.open_request(request)
        self.press("Open in my draft")
        self.press("Replace the draft")
        self.wait_for_text("It is in your draft.", "main .success")
        self.wait_for(lambda: self.interval() == "45", "the draft on the server")
        self.go("review")
        self.wait_for(lambda: self.field("Description of this version").get_attribute("value")
                      == "Look sooner", "the title as the description")
        self.press("Merge")
        self.find("input[value=mine]").click()
        self.press("Take this into the draft")
        self.wait_for_text("What changes", "main")
        self.open_request(request)
        self.press("Replace with my draft …")
        self.press("Replace the content")
        self.wait_for_text("The request has the content of your draft.", "main .success")
        self.assertEqual(self.state(request), "open")

    @gate
    def test_shows_whom_a_request_reaches_and_what_is_published_since(self):
        for user in (1, 2):
            stream = urlopen(
                f"{URL}/projects/{self.project}/activeconfig/user/{user}/events", timeout=PATIENCE)
            self.addCleanup(stream.close)
        request = self.make_request()
        self.become("Bob")
        self.open_request(request)
        self.wait_for_text("Of 2 connected apps 2 change.", "[aria-labelledby=impact]")
        self.named("summary", "Users reached by 1 changed value").click()
        self.wait_for_text("AppFeatures.RefreshInterval, default value 2 users of 2 get it",
                           ".reach")
        self.write("Also preview these users", "9")
        self.press("Preview")
        self.wait_for_text("45", ".previewed-users .side.new")
        self.check_page("change-request-reach")
        self.publish(with_interval("46"), "Theirs")
        self.wait_for_text("Compared with version 2, which is current: the request is merged with "
                           "it, as when it is published. For 1 thing that was changed since, too, "
                           "this uses the request.", "[aria-labelledby=impact]")
        self.become("Vera", "viewer")
        self.open_request(request)
        self.wait_for_text("Your role is viewer.", "[aria-labelledby=impact]")

    def test_finds_out_whether_an_approval_was_stored(self):
        request = self.make_request()
        self.become("Bob")
        self.open_request(request)
        Faults(self.driver).lose("POST", ":approve$", limit=1)
        self.press("Approve")
        self.wait_for_text("You approve this request.", "main .success")
        self.assertEqual(len(self.call("GET", f"changeRequests/{request}")[1]["votes"]), 1)

    def test_says_to_viewers_what_they_may_not_do(self):
        request = self.make_request()
        self.become("Vera", "viewer")
        self.open_request(request)
        for button in ("Approve", "Comment", "Edit title and text", "Open in my draft", "Publish"):
            self.assertIn("Your role is viewer.", self.reason_of(button))
        self.check_page("change-request-viewer")

    def test_shows_a_list_in_pages_and_on_a_phone(self):
        for number in range(22):
            self.make_request(title=f"Request {number}")
        self.browser.set_size(PHONE)
        self.go("change-requests")
        self.wait_for(lambda: len(self.find_all("tbody tr")) == 20, "the first page")
        self.check_page("change-requests-many")
        self.press("Show older requests")
        self.wait_for(lambda: len(self.find_all("tbody tr")) == 22, "all requests")
        self.press("Request 0")
        self.wait_for_text("What it changes", "main")
        self.check_page("change-request-many")


class ProtectedProjectTests(ChangeRequestCase):
    def test_undoes_a_version_of_a_protected_project_by_a_request(self):
        self.publish(with_interval("45", self.template()), "Look sooner")
        self.protect()
        self.become("Ada", "publisher")
        self.go("history")
        self.press(f"Undo version {self.version()}")
        self.wait_for_text("A publish in this project needs 1 approval.", "dialog .info")
        self.press("Put the result into the draft")
        self.wait_for_text("Request review …", "main")
        self.press("Request review …")
        self.press("Request review")
        self.wait_for_text("The change request “Undo of version 2” is made.", "main .success")

    @gate
    def test_protects_a_project_and_publishes_without_approval(self):
        self.edit_interval("45")
        self.go("review")
        self.wait_for_text("What changes", "main")
        self.protect()
        self.press("Publish")
        self.wait_for_text("Nothing was published: this project is protected.", "main")
        self.browser.take_errors()
        self.assertEqual(self.version(), "1")
        self.go("projects", find=self.project)
        self.press(f"Protection of {self.project}")
        self.choose("Needed for a publish", "2 approvals")
        self.check_page("dialog-protection")
        self.press("Save the protection")
        self.wait_for_dialog_to_close()
        self.assertEqual(self.call("GET", "protection")[1], {
            "requiredApprovals": 2, "selfApproval": False, "rollbackWithoutApproval": False})
        self.go("review")
        self.wait_for_text("A publish in this project needs 2 approvals.", "main")
        self.check_page("review-protected")
        self.press("Publish without approval …")
        self.press("Publish without approval")
        self.wait_for_text("give a reason", "dialog [role=alert]")
        self.write("Reason", "The shop is down")
        self.press("Publish without approval")
        self.wait_for_text("Published as version 2.", "main")
        self.assertIn("The shop is down", self.template()["version"]["description"])

    def test_names_production_to_those_who_can_publish(self):
        status, answer = self.call(
            "PATCH", "details", {"environment": "PRODUCTION"}, If_Match="*")
        self.assertEqual(status, 200, answer)
        self.become("Bob")
        self.edit_interval("45")
        self.go("review")
        self.wait_for_text("What changes", "main")
        self.assertNotIn("which is production", self.find(".publish-card").text)
        self.become("Cleo", "publisher")
        self.edit_interval("45")
        self.go("review")
        self.wait_for_text("which is production", ".publish-card")
        self.protect()
        self.go("settings")
        self.go("review")
        self.wait_for_text("A publish in this project needs 1 approval.", "main")
        self.assertNotIn("which is production", self.find(".publish-card").text)

    def test_bypasses_the_approvals_of_a_request(self):
        self.protect()
        request = self.make_request()
        self.open_request(request)
        self.assertEqual(self.reason_of("Publish"), "1 approval is missing.")
        self.press("Publish without approval …")
        self.write("Reason", "The shop is down")
        self.press("Publish without approval")
        self.wait_for_text("published without approval: The shop is down", "main")
        self.assertEqual(self.state(request), "published")

    def test_sends_only_the_chosen_changes(self):
        self.become("Ada")
        self.edit_interval("45")
        self.wait_for_text("1 change", ".draft-bar")
        self.change_own_draft()
        self.go("review")
        self.press("Choose none")
        self.field("Request AppFeatures.RefreshInterval").click()
        self.press("Request review …")
        self.write("Title", "Only one")
        self.press("Request review")
        self.press("Open the request")
        self.wait_for_text("1 setting since version 1", "main")

    def change_own_draft(self):
        """Adds a setting to the draft of the person."""
        bearer = {"Authorization": f"Bearer {self.token}"}
        self.wait_for(lambda: self.call("GET", "draft", **bearer)[0] == 200, "the saved draft")
        draft = self.call("GET", "draft", **bearer)[1]
        draft["template"].setdefault("parameters", {})["added"] = {"defaultValue": {"value": "1"}}
        status, answer = self.call("PUT", "draft", {
            name: draft[name] for name in ("baseVersion", "template")}, If_Match="*", **bearer)
        self.assertEqual(status, 200, answer)
        self.driver.refresh()
