"""The connections, and a version that arrives."""

import copy
import unittest
from urllib.request import urlopen

from console_case import URL
from task_case import TEMPLATE, TaskCase


class LiveTests(TaskCase):
    def listen(self, user):
        """Listens as a user's app does."""
        stream = urlopen(
            f"{URL}/projects/{self.project}/activeconfig/user/{user}/events", timeout=30)
        self.addCleanup(stream.close)
        return stream

    def figure(self, heading):
        """The number below a heading."""
        return self.find(f"[aria-labelledby={heading}] .figure").text

    def test_shows_how_a_version_arrives(self):
        streams = [self.listen(user) for user in range(4)]
        self.go("live")
        self.wait_for(lambda: self.figure("now") == "4", "the connections")
        self.wait_for(lambda: self.figure("share") == "100%", "the share")
        before = self.path()
        self.wait_for(lambda: self.path() != before, "the plot to move")
        template = copy.deepcopy(TEMPLATE)
        parameters = template["parameterGroups"]["AppFeatures"]["parameters"]
        parameters["RefreshInterval"]["defaultValue"]["value"] = "10"
        self.publish(template, "Sooner")
        self.wait_for_text("newest", "main tbody")
        self.wait_for(lambda: "version 2" in self.find("main svg").accessible_name, "version 2")
        self.wait_for(lambda: self.figure("share") == "100%", "the arrival")
        self.assertIn("4 of 4 connected apps have version 2", self.find("svg").accessible_name)
        self.check_page("live")
        for stream in streams[1:]:
            stream.close()
        self.wait_for(lambda: self.figure("now") == "1", "the connections to end")

    def path(self):
        """The plot's line."""
        return self.find_all(".plot-line")[0].get_attribute("d")

    def test_says_whom_a_draft_changes(self):
        for user in range(1, 4):
            self.listen(user)
        self.go("conditions")
        self.press("Edit User 2")
        self.write("Expression", "user.id == '9'")
        self.keep()
        self.go("review")
        self.wait_for_text("Of 3 connected users 1 changes.", "main")
        self.find("[aria-labelledby=impact] summary").click()
        self.assertEqual([e.text for e in self.find_all(".users li")], ["2"])
        self.check_page("review-connected")


if __name__ == "__main__":
    unittest.main()
