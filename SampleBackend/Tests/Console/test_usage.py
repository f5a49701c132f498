"""The use of apps and settings."""

import unittest
from urllib.request import urlopen

from selenium.webdriver.common.keys import Keys

from browser import PHONE
from console_case import PATIENCE, URL, gate
from task_case import TaskCase


class UsageTests(TaskCase):
    @gate
    def test_shows_apps_and_settings(self):
        with urlopen(f"{URL}/projects/{self.project}/activeconfig?app.id=com.example&app.version=2.1",
                     timeout=PATIENCE):
            pass
        self.go("usage")
        self.wait_for_text("com.example", "main")
        self.assertIn("The share is measured once a day", self.find("[aria-labelledby=share]").text)
        rows = self.driver.find_elements("css selector", "[aria-labelledby=use] tbody tr")
        self.assertGreater(len(rows), 1)
        self.check_page("usage")
        # By the keyboard: no setting of a new project is stale.
        select = self.find("[aria-labelledby=use] select")
        select.send_keys(Keys.ARROW_DOWN)
        self.wait_for_text("No setting is found.", "[aria-labelledby=use]")
        self.assertIn("filter=stale", self.driver.current_url)
        select.send_keys(Keys.ARROW_UP)
        search = self.find("[aria-labelledby=use] [type=search]")
        search.send_keys("ButtonEnabled")
        self.wait_for(lambda: len(self.driver.find_elements(
            "css selector", "[aria-labelledby=use] tbody tr")) == 1, "the setting")


    def test_draws_the_shares(self):
        """Shares are measured once a day, so the module gets them here."""
        self.go("usage")
        self.wait_for_text("Use of the settings", "main")
        line = self.driver.execute_async_script("""
            const done = arguments[arguments.length - 1];
            import('/console/usage/usage-plot.js').then(({usagePlot}) => {
                const node = usagePlot([
                    {date: '2026-11-01', version: '3', clients: 10, current: 10},
                    {date: '2026-11-02', version: '4', clients: 10, current: 2},
                    {date: '2026-11-05', version: '4', clients: 20, current: 15}]);
                document.querySelector('[aria-labelledby=share] .card-body').append(node);
                requestAnimationFrame(() => requestAnimationFrame(
                    () => done(node.querySelector('.plot-line').getAttribute('d'))));
            });""")
        self.assertEqual(line.count("M"), 2, "A day without a share leaves a gap.")
        plot = self.find("[aria-labelledby=share] svg")
        self.assertIn("on 3 days", plot.accessible_name)
        self.check_page("usage-shares")


class PhoneTests(TaskCase):
    size = PHONE

    def test_fits_a_phone(self):
        self.go("usage")
        self.wait_for_text("Use of the settings", "main")
        self.check_page("usage-phone")


if __name__ == "__main__":
    unittest.main()
