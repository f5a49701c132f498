"""Creates the pictures of the console in the documentation, light and dark: run.sh make_pictures."""

import base64
import fcntl
import time
import unittest
from pathlib import Path
from urllib.parse import urlencode
from urllib.request import urlopen

from selenium.webdriver.common.keys import Keys

from console_case import PATIENCE, URL, ConsoleCase
from task_case import TEMPLATE, TaskCase, with_interval

FOLDER = Path(__file__).parents[2] / "Operations/Pictures"

SIZE = (1120, 760)

# Larger pictures slow down the pages of the documentation.
MAXIMUM_BYTES = 200_000


class Pictures(TaskCase):
    size = SIZE

    def setUp(self):
        ConsoleCase.setUp(self)
        # One after the other: they share a project, whose name is in the pictures.
        lock = open(__file__, encoding="utf-8")
        self.addCleanup(lock.close)
        fcntl.flock(lock, fcntl.LOCK_EX)
        self.project = "shop"
        self.addCleanup(self.call, "DELETE", "draft")
        self.publish(TEMPLATE, "The sample template")

    def listen(self, count):
        """Listens as the apps of users with different versions and countries do."""
        for user in range(1, count + 1):
            signals = {"app.version": f"{1 + user % 3}.{user % 5}",
                       "device.country": ("JP", "DE", "US", "FR")[user % 4]}
            stream = urlopen(f"{URL}/projects/{self.project}/activeconfig/user/{user}/events?"
                             f"{urlencode(signals)}", timeout=PATIENCE)
            self.addCleanup(stream.close)

    def save(self, name):
        """Saves the window as WebP, which is a third of a PNG, in both schemes."""
        FOLDER.mkdir(exist_ok=True)
        for scheme in ("dark", "light"):
            self.browser.set_scheme(scheme)
            picture = base64.b64decode(self.driver.execute_cdp_cmd(
                "Page.captureScreenshot", {"format": "webp", "quality": 75})["data"])
            self.assertLess(len(picture), MAXIMUM_BYTES)
            suffix = "-dark" if scheme == "dark" else ""
            Path(FOLDER, f"{name}{suffix}.webp").write_bytes(picture)

    def test_empty_project(self):
        self.administer("POST", "/v1/projects", {"project": "blog"})
        self.continue_session()
        self.open("#/blog/settings")
        self.wait_for_text("There is nothing here yet", "main")
        self.save("empty-project")

    def test_settings(self):
        self.go("settings")
        self.switch("SampleViewConfiguration.ButtonEnabled")
        self.wait_for_text("1 change", ".draft-bar")
        self.save("settings")

    def test_condition(self):
        self.go("conditions")
        self.press("Add condition")
        self.write("Name", "Gold plan in Japan")
        self.press("Add rule")
        self.choose("Field", "Country")
        self.field("Another value").send_keys("Japan", Keys.ENTER)
        field = self.field("Expression")
        field.send_keys(Keys.END, " && app.customSignal['plan'].exactlyMatches(['gold'])")
        self.wait_for(lambda: len(self.find_all("dialog [aria-label=Field]")) == 2, "two rules")
        self.wait_for_text("The server accepts this", "dialog")
        self.save("condition")

    def test_user(self):
        self.edit_interval("45")
        self.go("user", id="3", **{"app.version": "1.9"})
        self.wait_for_text("True conditions", "main")
        self.driver.execute_script(
            "document.getElementById('true-conditions').scrollIntoView()")
        self.save("user")

    def test_review(self):
        self.listen(40)
        self.edit_interval("45")
        self.go("review")
        self.wait_for_text("AppFeatures.RefreshInterval", ".difference")
        self.wait_for_text("40", "[aria-labelledby=impact]")
        self.save("review")

    def test_live(self):
        self.listen(40)
        self.go("live")
        figure = lambda: self.find("[aria-labelledby=now] .figure").text
        self.wait_for(lambda: int(figure()) >= 40, "the connections")
        # The plot has a point for each second.
        time.sleep(40)
        self.publish(with_interval("10"), "Sooner")
        time.sleep(10)
        self.save("live")


if __name__ == "__main__":
    unittest.main()
