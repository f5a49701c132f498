"""The pages as the program has them: few files, of which most load on demand."""

from backend import Backend
from console_case import gate
from own_server_case import OwnServerCase
from test_pages import PAGES

# What the page has loaded, without the browser's cache.
REQUESTS = "return performance.getEntriesByType('resource').map(({name}) => name)"


class BundleTests(OwnServerCase):
    def make_backend(self):
        return Backend(pages=None)

    @gate
    def test_shows_every_page(self):
        for page in PAGES:
            with self.subTest(page=page):
                self.go(page)
                self.wait_for(lambda: "Loading" not in self.find("main").text, "the page")

    def test_starts_with_few_requests(self):
        self.go("settings")
        self.driver.refresh()
        self.wait_for_text("Settings", "main h1")
        requests = self.driver.execute_script(REQUESTS)
        self.assertLessEqual(len(requests), 14, requests)
        # Who changed what last, and the number of open change requests, are shown later.
        later = (":settingHistory", "/changeRequests:count")
        self.assertEqual([name for name in requests
                          if "/v1/" in name and not name.endswith(later)], [])

    def test_opens_again_without_asking_for_its_files(self):
        files = """
            return performance.getEntriesByType('resource')
                .filter(({name}) => /\\.(js|css|svg)$/.test(name))
                .map(({name, transferSize}) => [name, transferSize]);"""
        self.go("settings")
        known = {name for name, _ in self.driver.execute_script(files)}
        self.assertGreater(len(known), 3)
        self.driver.get("about:blank")
        self.driver.get(f"{self.url}/console/#/default/settings")
        self.wait_for_text("Settings", "main h1")
        again = self.driver.execute_script(files)
        self.assertEqual([name for name, size in again if size > 0 and name in known], [])

    @gate
    def test_a_page_that_does_not_load_offers_a_reload(self):
        self.driver.execute_cdp_cmd("Network.enable", {})
        self.driver.execute_cdp_cmd("Network.setBlockedURLs", {"urls": ["*history-page.js*"]})
        self.go("settings")
        self.driver.execute_script("location.hash = '#/default/history'")
        self.wait_for_text("could not be loaded", "main")
        self.driver.execute_cdp_cmd("Network.setBlockedURLs", {"urls": []})
        self.browser.take_errors()
        self.press("Reload")
        self.wait_for_text("History", "main h1")
        self.assertNotIn("could not be loaded", self.find("main").text)
