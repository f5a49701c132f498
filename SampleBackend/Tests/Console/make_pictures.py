"""Creates the pictures of the article Working-in-the-console.md: run.sh make_pictures."""

import base64
import unittest
from pathlib import Path

from selenium.webdriver.common.keys import Keys

from console_case import ConsoleCase
from task_case import TEMPLATE, TaskCase

FOLDER = Path(__file__).parents[2] / "Operations/Pictures"

SIZE = (1120, 760)


class Pictures(TaskCase):
    size = SIZE

    def setUp(self):
        ConsoleCase.setUp(self)
        self.project = "shop"
        self.addCleanup(self.call, "DELETE", "draft")
        if self.call("GET", "remoteConfig")[0] == 404:
            self.publish(TEMPLATE, "The sample template", expected="*")

    def save(self, name):
        """Saves the window as WebP, which is a third of a PNG."""
        picture = self.driver.execute_cdp_cmd(
            "Page.captureScreenshot", {"format": "webp", "quality": 75})
        FOLDER.mkdir(exist_ok=True)
        Path(FOLDER, f"{name}.webp").write_bytes(base64.b64decode(picture["data"]))

    def test_empty_project(self):
        self.continue_session()
        self.open("#/blog/settings")
        self.press("Start the project blog")
        self.wait_for_text("There is nothing here yet", "main")
        self.save("empty-project")

    def test_settings(self):
        self.go("settings")
        self.field("SampleViewConfiguration.ButtonEnabled").click()
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
        self.edit_interval("45")
        self.go("review")
        self.wait_for_text("AppFeatures.RefreshInterval", ".difference")
        self.save("review")


if __name__ == "__main__":
    unittest.main()
