"""Scheduled publishes: times in zones, what comes of them, and publishing before."""

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from browser import PHONE
from console_case import gate
from task_case import with_interval
from test_change_requests import ChangeRequestCase

BERLIN = ZoneInfo("Europe/Berlin")

# Enters a date and a time, whose keys depend on the language of the browser.
ENTER_TIME = """
    const [field, time] = arguments;
    field.value = time;
    field.dispatchEvent(new Event('input', {bubbles: true}));"""


def tomorrow(hour):
    """A time of tomorrow in Berlin."""
    day = datetime.now(BERLIN).date() + timedelta(days=1)
    return datetime(day.year, day.month, day.day, hour, tzinfo=BERLIN)


def soon():
    """A time until which a page can be opened."""
    return datetime.now(BERLIN) + timedelta(seconds=5)


def last_sunday(month):
    """The next last Sunday of a month with 31 days, when the clocks change in Berlin."""
    today = datetime.now(BERLIN).date()
    for year in (today.year, today.year + 1):
        last = date(year, month, 31)
        sunday = last - timedelta(days=(last.weekday() + 1) % 7)
        if sunday > today:
            return sunday
    raise AssertionError("next year has the month, too")


def offset(time):
    """The offset of a time, such as +01:00."""
    return time.isoformat()[-6:]


class ScheduledPublishCase(ChangeRequestCase):
    """A test in which publishes are scheduled."""

    def schedule(self, request, time, until=None, zone="Europe/Berlin"):
        """Schedules a request without the browser."""
        etag = self.call("GET", f"changeRequests/{request}")[1]["etag"]
        body = {"changeRequest": request, "at": time.isoformat()}
        body |= {"until": until.isoformat()} if until else {}
        body |= {"zone": zone} if zone else {}
        status, answer = self.call("POST", "scheduledPublishes", body, If_Match=f'"{etag}"')
        self.assertEqual(status, 201, answer)

    def shown_schedule(self, request):
        """The schedule of a request on the server."""
        return self.call("GET", f"changeRequests/{request}")[1]["schedule"]

    def enter_time(self, time, label="Date and time"):
        """Enters a local time into a form, as a time or as its text."""
        text = time if isinstance(time, str) else time.strftime("%Y-%m-%dT%H:%M")
        self.driver.execute_script(ENTER_TIME, self.field(label), text)

    def only_request(self):
        """The identifier of the only request of the project."""
        request, = self.call("GET", "changeRequests")[1]["changeRequests"]
        return request["id"]


class SchedulingTests(ScheduledPublishCase):
    @gate
    def test_schedules_a_draft_in_another_zone_and_shows_what_waits(self):
        self.go("change-requests", state="scheduled")
        self.wait_for_text("Nothing is scheduled.", "main")
        self.edit_interval("45")
        self.go("review")
        self.wait_for_text("What changes", "main")
        self.press("Schedule …")
        self.write("Title", "Look sooner")
        self.write("Time zone", "Europe/Berlin")
        self.enter_time(tomorrow(9))
        self.wait_for_text(f"Berlin ({offset(tomorrow(9))})", "dialog")
        self.field("Take it back at a later time").click()
        self.enter_time(tomorrow(8), "Date and time of the end")
        self.wait_for_text("The end must be later than the start.", "dialog")
        self.press("Schedule")
        self.wait_for_text("Nothing was scheduled.", "dialog [role=alert]")
        self.enter_time(tomorrow(17), "Date and time of the end")
        self.check_page("dialog-schedule")
        self.browser.set_size(PHONE)
        self.check_page("dialog-schedule-phone")
        self.browser.set_size(self.size)
        self.press("Schedule")
        self.wait_for_text("is made and scheduled for", "main .success")
        request = self.only_request()
        self.assertEqual(
            {name: self.shown_schedule(request)[name] for name in ("at", "until", "zone", "state")},
            {"at": tomorrow(9).isoformat(), "until": tomorrow(17).isoformat(),
             "zone": "Europe/Berlin", "state": "waiting"})
        self.press("Open the request")
        self.wait_for_text("Will be published", "main")
        self.wait_for_text("After that, it is taken back", "main")
        self.check_page("change-request-scheduled")
        self.go("change-requests", state="scheduled")
        self.wait_for_text("Waiting", "main h2")
        self.wait_for_text(f"Berlin ({offset(tomorrow(9))})", "main tbody")
        self.check_page("change-requests-scheduled")
        self.browser.set_size(PHONE)
        self.check_page("change-requests-scheduled-phone")
        self.browser.set_size(self.size)
        self.go("review")
        self.wait_for_text("Change request “Look sooner” is scheduled for", "main")
        self.assertEqual(self.version(), "1")

    @gate
    def test_schedules_moves_cancels_and_publishes_before(self):
        request = self.make_request()
        self.open_request(request)
        self.press("Schedule …")
        self.write("Time zone", "Europe/Berlin")
        self.enter_time(tomorrow(9))
        self.press("Schedule")
        self.wait_for_text("Scheduled for", "main .success")
        self.wait_for_text("Will be published", "main")
        self.press("Move …")
        self.wait_for_text("Votes given for another time no longer count.", "dialog")
        self.assertEqual(self.field("Time zone").get_attribute("value"), "Europe/Berlin")
        self.enter_time(tomorrow(10))
        self.press("Move")
        self.wait_for(lambda: self.shown_schedule(request)["at"] == tomorrow(10).isoformat(),
                      "the other time")
        self.wait_for_text("Scheduled for", "main .success")
        self.press("Cancel the schedule …")
        self.press("Cancel the schedule")
        self.wait_for_text("The schedule is cancelled.", "main .success")
        self.wait_for_text("was cancelled.", "main")
        self.assertEqual(self.state(request), "open")
        self.schedule(request, tomorrow(9))
        self.go("change-requests")
        self.wait_for_text("Scheduled for", "main tbody")
        self.open_request(request)
        self.press("Publish")
        self.wait_for_text("The request is scheduled for", "dialog")
        self.press("Publish now")
        self.wait_for_text("Published as version 2.", "main .success")
        self.assertEqual(self.shown_schedule(request)["state"], "cancelled")
        self.go("change-requests", state="scheduled")
        self.wait_for_text("Past", "main h2")
        self.wait_for_text("Cancelled", "main tbody")

    def test_follows_what_others_schedule(self):
        self.edit_interval("50")
        request = self.make_request()
        self.go("change-requests", state="scheduled")
        self.wait_for_text("Nothing is scheduled.", "main")
        self.schedule(request, tomorrow(9))
        self.wait_for_text("Will be published", "main tbody")
        self.go("review")
        self.wait_for_text("Change request “Look sooner” is scheduled for", "main")
        etag = self.call("GET", f"changeRequests/{request}")[1]["etag"]
        self.assertEqual(self.call(
            "DELETE", f"scheduledPublishes/{request}", If_Match=f'"{etag}"')[0], 200)
        self.wait_for(lambda: "is scheduled for" not in self.find("main").text, "the review")

    @gate
    def test_asks_before_a_request_is_published_to_production(self):
        self.protect(selfApproval=True)
        request = self.make_request()
        self.schedule(request, tomorrow(9), tomorrow(10))
        self.become("Bob")
        self.open_request(request)
        status, answer = self.call(
            "PATCH", "details", {"environment": "PRODUCTION"}, If_Match="*")
        self.assertEqual(status, 200, answer)
        self.wait_for_text("Production", "header .environment")
        self.assertNotIn("which is production", self.find("main").text)
        self.become("Cleo", "publisher")
        self.open_request(request)
        self.wait_for_text(f"This publishes to {self.project}, which is production", "main")
        self.press("Approve and publish")
        self.wait_for_text(
            f"This publishes “Look sooner” to {self.project}, which is production", "dialog")
        self.wait_for_text("Publishing it now cancels that; it is not taken back", "dialog")
        self.check_page("dialog-publish-early-production")
        self.press("Let it wait")
        self.wait_for_dialog_to_close()
        self.press("Cancel the schedule …")
        self.press("Cancel the schedule")
        self.wait_for_text("The schedule is cancelled.", "main .success")
        self.press("Approve and publish")
        self.wait_for_text("Approve and publish “Look sooner”?", "dialog")
        self.check_page("dialog-publish-production")
        self.press("Do not publish")
        self.wait_for_dialog_to_close()
        self.assertEqual(self.version(), "1")
        self.press("Approve and publish")
        self.wait_for_text("its users get it immediately", "dialog")
        self.press("Approve and publish")
        self.wait_for_text("Published as version 2.", "main .success")

    @gate
    def test_is_published_and_taken_back_by_itself(self):
        request = self.make_request()
        self.schedule(request, soon(), tomorrow(9), zone=None)
        self.open_request(request)
        # The page follows.
        self.wait_for_text("Published as version 2, as scheduled", "main")
        self.wait_for_text("Will be taken back", "main")
        self.assertEqual(self.state(request), "published")
        self.press("Cancel the end …")
        self.press("Cancel the end")
        self.wait_for_text("The end is cancelled.", "main .success")
        self.assertEqual(self.shown_schedule(request)["end"]["state"], "cancelled")

    @gate
    def test_asks_which_of_two_times_is_meant_when_the_clocks_go_back(self):
        request = self.make_request()
        back, forward = last_sunday(10), last_sunday(3)
        self.open_request(request)
        self.press("Schedule …")
        self.write("Time zone", "Europe/Berlin")
        self.enter_time(f"{forward}T02:30")
        self.wait_for_text("does not exist on that day", "dialog")
        self.enter_time(f"{back}T02:30")
        self.wait_for_text("comes twice on that day", "dialog")
        self.press("Schedule")
        self.wait_for_text("Nothing was scheduled.", "dialog [role=alert]")
        self.check_page("dialog-schedule-twice")
        options = [each.text for each in self.field("Which one").find_elements("tag name", "option")]
        self.choose("Which one", next(text for text in options if "+01:00" in text))
        self.wait_for_text("Berlin (+01:00)", "dialog")
        self.press("Schedule")
        self.wait_for_text("Scheduled for", "main .success")
        self.assertEqual(self.shown_schedule(request)["at"], f"{back}T02:30:00+01:00")

    @gate
    def test_says_what_is_missing_and_votes_again_after_a_move(self):
        self.protect()
        request = self.make_request()
        self.schedule(request, tomorrow(9))
        self.become("Bob")
        self.open_request(request)
        self.wait_for_text("1 approval is missing.", "main .warning")
        self.assertIn("role publisher", self.reason_of("Move …"))
        self.press("Approve")
        self.wait_for_text("You approve this request.", "main .success")
        self.wait_for_text("Will be published", "main")
        self.become("Cleo", "publisher")
        self.open_request(request)
        self.press("Move …")
        self.enter_time(tomorrow(11))
        self.press("Move")
        self.wait_for_text("Scheduled for", "main .success")
        self.wait_for_text("moved to another time since", "main")
        self.wait_for_text("Will not be published", "main .warning")


    @gate
    def test_takes_back_at_another_time_what_was_not_taken_back(self):
        request = self.make_request()
        now = datetime.now(BERLIN)
        # An end is at least a minute after the start.
        self.schedule(request, now + timedelta(seconds=1), now + timedelta(seconds=62))
        self.wait_for(lambda: self.shown_schedule(request)["state"] == "published", "the start")
        # Nobody has approved the end.
        self.protect()
        self.wait_for(lambda: datetime.now(BERLIN) > now + timedelta(seconds=50), "the end")
        self.wait_for(
            lambda: self.shown_schedule(request)["end"]["state"] == "notApproved", "the refusal")
        self.protect(requiredApprovals=0)
        self.open_request(request)
        self.wait_for_text("Published, not taken back", "main")
        self.press("Take it back at another time …")
        self.press("Set the end")
        self.wait_for_text("Nothing was scheduled.", "dialog [role=alert]")
        self.enter_time(tomorrow(17), "Date and time of the end")
        self.check_page("dialog-end-anew")
        self.press("Set the end")
        self.wait_for_text("It is taken back", "main .success")
        self.assertEqual(self.shown_schedule(request)["until"], tomorrow(17).isoformat())


class TimesOfReadersTests(ScheduledPublishCase):
    def setUp(self):
        super().setUp()
        self.set_zone("America/New_York")
        self.addCleanup(self.set_zone, "")

    def set_zone(self, zone):
        """Sets the time zone of the browser; empty for its own."""
        self.driver.execute_cdp_cmd("Emulation.setTimezoneOverride", {"timezoneId": zone})

    def test_shows_the_time_of_the_reader_beside_that_of_the_schedule(self):
        request = self.make_request()
        self.schedule(request, tomorrow(9))
        self.open_request(request)
        self.wait_for_text("your time", "main")
        self.press("Cancel the schedule …")
        self.press("Cancel the schedule")
        self.press("Schedule …")
        self.assertEqual(self.field("Time zone").get_attribute("value"), "America/New_York")

    def test_keeps_what_was_entered_when_the_request_has_changed(self):
        request = self.make_request()
        self.open_request(request)
        self.press("Schedule …")
        self.enter_time(tomorrow(9))
        status, answer = self.call(
            "PATCH", f"changeRequests/{request}", {"title": "Theirs"}, If_Match="*")
        self.assertEqual(status, 200, answer)
        self.press("Schedule")
        self.wait_for_text("This request has changed: look at what is new.", "main .warning")
        self.browser.take_errors()
        self.press("Schedule …")
        self.assertEqual(self.field("Date and time").get_attribute("value"),
                         tomorrow(9).strftime("%Y-%m-%dT%H:%M"))

    def test_names_a_conflict_before_and_after_it_has_prevented_the_publish(self):
        request = self.make_request()
        self.schedule(request, tomorrow(9))
        self.publish(with_interval("46"), "Theirs")
        self.open_request(request)
        self.wait_for_text("it conflicts with what was published since", "main .warning")
        etag = self.call("GET", f"changeRequests/{request}")[1]["etag"]
        status, answer = self.call(
            "PATCH", f"scheduledPublishes/{request}", {"at": soon().isoformat()}, If_Match=f'"{etag}"')
        self.assertEqual(status, 200, answer)
        self.driver.refresh()
        # The page follows, although no version is published.
        self.wait_for_text("Was not published", "main")
        self.assertEqual(self.shown_schedule(request)["state"], "conflict")
        self.go("change-requests", state="scheduled")
        self.wait_for_text("Not published: conflict", "main tbody")
