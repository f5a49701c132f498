"""Rollouts: plan and start, progress, and what people do with one."""

from selenium.webdriver.common.keys import Keys

from browser import PHONE
from console_case import gate
from task_case import with_interval
from test_scheduled_publishes import ScheduledPublishCase, tomorrow

NAME = "Some feature, half of the users"


def with_percent(percent):
    """A copy of the sample with another percentage of the condition."""
    template = with_interval("60")
    condition = next(each for each in template["conditions"] if each["name"] == NAME)
    condition["expression"] = f"percent('SomeFeature') <= {percent}"
    return template


class RolloutCase(ScheduledPublishCase):
    """A test in which a condition is rolled out."""

    def start_rollout(self, *percents):
        """Starts a rollout without the browser; returns its identifier once it runs."""
        status, answer = self.call("POST", "rollouts", {
            "condition": NAME, "percents": percents, "intervalMinutes": 60})
        self.assertEqual(status, 201, answer)
        self.wait_for(lambda: self.rollout(answer["id"])["state"] == "running", "the start")
        return answer["id"]

    def rollout(self, request):
        """The rollout of a request on the server."""
        return self.shown_schedule(request)["rollout"]

    def expression(self):
        """The condition's expression in the current template."""
        return next(each["expression"] for each in self.template()["conditions"]
                    if each["name"] == NAME)

    def open_rollout(self, request):
        """Opens the page of a request whose rollout has started."""
        self.go("change-request", id=request)
        self.wait_for_text("step 1 of", "main")

    def check_widths(self, name):
        """Checks the page in a wide window and in that of a phone."""
        self.check_page(name)
        self.browser.set_size(PHONE)
        self.check_page(f"{name}-phone")
        self.browser.set_size(self.size)


class RollingOutTests(RolloutCase):
    @gate
    def test_plans_starts_holds_resumes_takes_back_and_stops(self):
        self.go("conditions")
        self.press(f"Roll out {NAME} …")
        self.assertEqual(self.field("Percentages").get_attribute("value"), "75, 100")
        self.write("Percentages", "70, 60")
        self.wait_for_text("Each percentage must be above the one before", "dialog")
        self.write("Percentages", "40, 60")
        self.wait_for_text("is at 50% now: begin above 50.", "dialog")
        self.press("Show the plan")
        self.wait_for_text("Nothing was planned.", "dialog [role=alert]")
        self.write("Percentages", "60, 80, 100")
        self.write("Time between two steps", "1")
        self.choose("Unit", "minutes")
        self.write("Apps that have to report before a step", "0")
        self.wait_for_text("60%, then 80%, then 100%: 3 steps", "dialog")
        self.check_widths("dialog-rollout")
        self.press("Show the plan")
        self.wait_for_text("It starts at once.", "dialog")
        self.check_widths("dialog-rollout-plan")
        self.press("Change it")
        self.assertEqual(self.field("Percentages").get_attribute("value"), "60, 80, 100")
        self.press("Show the plan")
        self.press("Start rollout")
        self.wait_for_text("is at 60%, step 1 of 3.", "main")
        self.wait_for_text("Next step to 80%", "main")
        self.assertEqual(self.expression(), "percent('SomeFeature') <= 60")
        self.check_widths("change-request-rollout")

        self.press("Hold …")
        self.write("Reason", "Wait for Monday.")
        self.press("Hold")
        self.wait_for_text("The rollout is held.", "main .success")
        self.wait_for_text("is held at 60%, step 1 of 3. Wait for Monday.", "main .warning")
        self.go("change-requests", state="scheduled")
        self.wait_for_text("Rolling out", "main h2")
        self.wait_for_text("It goes on to 80% when somebody resumes it.", "main tbody")
        self.check_widths("change-requests-rollout")

        self.press(f"Roll out {NAME}")
        self.press("Resume …")
        self.field("Take the next step now").click()
        self.field("Whatever apps report").click()
        self.press("Resume")
        # The page follows.
        self.wait_for_text("is at 80%, step 2 of 3.", "main")
        self.assertEqual(self.expression(), "percent('SomeFeature') <= 80")
        self.press("Take back …")
        self.wait_for_text("goes from 80% back to 60%", "dialog")
        self.press("Take back")
        self.wait_for_text("The last step is taken back.", "main .success")
        self.wait_for_text("Taken back to this, live", "main tbody")
        self.assertEqual(self.expression(), "percent('SomeFeature') <= 60")
        self.press("Stop …")
        self.press("Stop the rollout")
        self.wait_for_text("The rollout is stopped.", "main .success")
        self.wait_for_text("was stopped at 60%.", "main")

    @gate
    def test_rolls_out_a_request_at_a_time(self):
        base = f'"etag-{self.project}-{self.version()}"'
        status, answer = self.call("POST", "changeRequests", {
            "title": "More", "template": with_percent(60), "base": base})
        self.assertEqual(status, 201, answer)
        request = answer["id"]
        self.open_request(request)
        self.press("Roll out …")
        self.assertEqual(self.field("Percentages").get_attribute("value"), "60, 100")
        self.choose("Start", "At a time …")
        self.write("Time zone", "Europe/Berlin")
        self.enter_time(tomorrow(9))
        self.wait_for_text("Berlin", "dialog")
        self.press("Show the plan")
        self.wait_for_text("Nothing is published before its time.", "dialog")
        self.press("Schedule")
        self.wait_for_text("The rollout is scheduled.", "main .success")
        self.wait_for_text("Will be published", "main")
        self.wait_for_text("goes to 60%, 100%", "main")
        self.assertEqual(self.shown_schedule(request)["at"], tomorrow(9).isoformat())
        self.press("Move …")
        self.assertIsNone(self.named("input", "Take it back at a later time"))
        self.enter_time(tomorrow(10))
        self.press("Move")
        self.wait_for(lambda: self.shown_schedule(request)["at"] == tomorrow(10).isoformat(),
                      "the other time")
        self.wait_for_text("goes to 60%, 100%", "main")
        self.press("Publish")
        self.wait_for_text("no step of the rollout follows", "dialog")
        self.press("Let it wait")
        self.assertEqual(self.version(), "1")

    @gate
    def test_leads_to_the_review_from_a_condition_that_is_not_published(self):
        draft = with_interval("60")
        draft["conditions"].append({"name": "New", "expression": "percent('new') <= 5"})
        status, answer = self.call("PUT", "draft", {"baseVersion": "1", "template": draft},
                                   If_None_Match="*")
        self.assertIn(status, (200, 201), answer)
        self.go("conditions")
        self.press("Roll out New …")
        self.wait_for_text("Request a review of your draft", "dialog")
        self.press("Review the draft")
        self.wait_for_text("What changes", "main")

    def test_takes_all_back_from_the_first_step(self):
        request = self.start_rollout(60, 100)
        self.open_rollout(request)
        self.press("Take back …")
        self.wait_for_text("This is the first step", "dialog")
        self.press("Take back")
        self.wait_for_text("The rollout is taken back, and stopped.", "main .success")
        self.wait_for_text("and taken back as version 3", "main")
        self.assertEqual(self.expression(), "percent('SomeFeature') <= 50")

    def test_shows_what_others_have_done(self):
        request = self.start_rollout(60, 80, 100)
        self.open_rollout(request)
        etag = self.call("GET", f"changeRequests/{request}")[1]["etag"]
        status, answer = self.call("POST", f"rollouts/{request}:hold", {"reason": "Theirs."},
                                   If_Match=f'"{etag}"')
        self.assertEqual(status, 200, answer)
        # The page follows.
        self.wait_for_text("is held at 60%, step 1 of 3. Theirs.",
                           "main .warning")
        self.become("Bob")
        self.open_rollout(request)
        for button in ("Resume …", "Take back …", "Stop …"):
            self.assertIn("role publisher", self.reason_of(button))
        self.go("conditions")
        self.assertIsNone(self.named("button", f"Roll out {NAME} …"))

    def test_names_production_before_what_changes_it(self):
        request = self.start_rollout(60, 80, 100)
        status, answer = self.call(
            "PATCH", "details", {"environment": "PRODUCTION"}, If_Match="*")
        self.assertEqual(status, 200, answer)
        self.open_rollout(request)
        self.wait_for_text("Production", "header .environment")
        for button, is_named in (("Hold …", False), ("Stop …", False), ("Take back …", True)):
            self.press(button)
            self.find("dialog")
            self.assertEqual("This changes what is live in" in self.find("dialog").text, is_named)
            self.press("Cancel")
            self.wait_for_dialog_to_close()

    def test_names_the_approvals_that_are_missing(self):
        self.protect()
        self.become("Cleo", "publisher")
        self.go("conditions")
        self.press(f"Roll out {NAME} …")
        self.press("Show the plan")
        self.wait_for_text("choose “At a time …” as the start", "dialog .warning")
        self.press("Start rollout")
        self.wait_for_text("1 more approval is needed", "dialog [role=alert]")
        self.browser.take_errors()
        self.press("Change it")
        self.choose("Start", "At a time …")
        self.press("Show the plan")
        self.wait_for_text("1 approval is missing.", "dialog .warning")


class PhoneTests(RolloutCase):
    size = PHONE

    def test_starts_with_the_keyboard(self):
        self.go("conditions")
        self.button(f"More for {NAME}").send_keys(Keys.ENTER)
        self.wait_for_text("Roll out …", "[role=menu]")
        self.driver.switch_to.active_element.send_keys(Keys.ARROW_DOWN)
        self.driver.switch_to.active_element.send_keys(Keys.ENTER)
        field = self.field("Percentages")
        self.wait_for(lambda: self.driver.switch_to.active_element == field, "the field")
        field.send_keys(Keys.CONTROL + "a", Keys.NULL, "70, 100", Keys.ENTER)
        self.wait_for_text("It starts at once.", "dialog")
        self.button("Start rollout").send_keys(Keys.ENTER)
        self.wait_for_text("is at 70%, step 1 of 2.", "main")
        self.check_targets("a rollout")
