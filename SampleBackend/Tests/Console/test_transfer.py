"""Import and export, and the options of an empty project."""

import copy
import json
import plistlib
import tempfile
import unittest
from pathlib import Path
from uuid import uuid4
from xml.etree import ElementTree

from browser import PHONE
from console_case import ConsoleCase, gate
from faults import Faults
from task_case import TEMPLATE, TaskCase, with_interval

PARSE = {"params": {"title": "Hello", "since": {"__type": "Date", "iso": "2026-01-01T00:00:00Z"}},
         "masterKeyOnly": {}}


class ImportTests(TaskCase):
    def choose_file(self, content):
        """Chooses a file with a content."""
        file = tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8")
        self.addCleanup(file.close)
        file.write(content)
        file.flush()
        self.field("File").send_keys(file.name)
        self.wait_for(
            lambda: self.field("Or its content").get_attribute("value") == content, "the content")

    def test_takes_a_file_that_is_dropped(self):
        self.go("transfer")
        with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as file:
            file.write(json.dumps(PARSE))
            file.flush()
            box = self.find(".file-field").rect
            for kind in ("dragEnter", "dragOver", "drop"):
                self.driver.execute_cdp_cmd("Input.dispatchDragEvent", {
                    "type": kind, "x": box["x"] + box["width"] - 20,
                    "y": box["y"] + box["height"] / 2,
                    "data": {"items": [], "files": [file.name], "dragOperationsMask": 1}})
            self.wait_for_text(Path(file.name).name, ".file-field")
        self.assertEqual(
            self.field("Or its content").get_attribute("value"), json.dumps(PARSE))
        self.assertEqual(self.field("Format").get_attribute("value"), "PARSE")

    @gate
    def test_reads_parse_config_into_a_section_of_the_draft(self):
        self.go("transfer")
        self.choose_file(json.dumps(PARSE))
        self.assertEqual(self.field("Format").get_attribute("value"), "PARSE")
        self.write("Section for its settings", "Home")
        self.press("Read the file")
        self.wait_for_text("The file has 2 settings", "main")
        self.wait_for_text("params.since", ".remarks")
        self.check_page("import")
        self.press("Add what is new to the draft")
        self.wait_for_text("Review", "main h1")
        self.press("Publish")
        self.wait_for_text("Published as version 2", "main")
        template = self.template()
        self.assertEqual(
            template["parameterGroups"]["Home"]["parameters"]["title"]["defaultValue"]["value"],
            "Hello")
        self.assertIn("AppFeatures", template["parameterGroups"])
        self.assertEqual(template["conditions"], TEMPLATE["conditions"])

    def test_keeps_what_the_project_has_already(self):
        other = json.loads(json.dumps(TEMPLATE))
        parameters = other["parameterGroups"]["AppFeatures"]["parameters"]
        parameters["RefreshInterval"]["defaultValue"]["value"] = "1"
        parameters["Added"] = {"defaultValue": {"value": "x"}}
        self.go("transfer")
        self.choose_file(json.dumps(other))
        self.press("Read the file")
        self.wait_for_text("9 things of the file are in the project already, and equal", "main")
        self.wait_for_text("AppFeatures.RefreshInterval: 60.0 in the project, 1 in the file", "main")
        self.press("Add what is new to the draft")
        self.wait_for_text("1 change", ".draft-bar")
        self.go("transfer")
        self.choose_file(json.dumps(other))
        self.press("Read the file")
        self.wait_for_text("Nothing in the file is new", "main")
        self.assertFalse(self.button("Add what is new to the draft").is_enabled())
        self.press("Replace everything in the draft")
        self.wait_for_text("2 changes", ".draft-bar")

    def read_another_germany(self):
        """Reads a file whose condition Germany differs from the project's."""
        germany = {"name": "Germany", "expression": "device.country in ['de']", "tagColor": "BLUE"}
        values = {"defaultValue": {"value": "1"}, "conditionalValues": {"Germany": {"value": "2"}}}
        same = {"name": "Same", "expression": "user.id == 'me'"}
        self.publish({"conditions": [germany, same], "parameters": {"old": values}}, "Germany")
        self.go("transfer")
        self.choose_file(json.dumps({
            "conditions": [
                {"name": "Germany", "expression": "device.country in ['de', 'at']"}, same,
                {"name": "Germany 2", "expression": "user.id == '2'"}],
            "parameters": {"old": values, "new": values}}))
        self.press("Read the file")
        card = self.wait_for_text("Germany", "main fieldset")
        for text in ("device.country in ['de']", "device.country in ['de', 'at']", "Default.new"):
            self.assertIn(text, card.text)
        self.assertNotIn("Default.old", card.text)
        self.assertEqual(len(self.find_all("main fieldset")), 1)
        self.assertFalse(self.button("Add what is new to the draft").is_enabled())

    def add_with(self, choice):
        """Chooses for the condition, and adds the file; returns the draft's template."""
        self.wait_for_text(choice, "main fieldset label").click()
        self.press("Add what is new to the draft")
        self.wait_for_text("Review", "main h1")
        self.wait_for(lambda: self.call("GET", "draft")[0] == 200, "the draft")
        return self.call("GET", "draft")[1]["template"]

    def test_asks_which_condition_of_the_same_name_counts(self):
        for choice, expressions, used in (
                ("Keep the project’s", {"Germany": "device.country in ['de']"}, "Germany"),
                ("Take the file’s", {"Germany": "device.country in ['de', 'at']"}, "Germany"),
                ("Add the file’s as “Germany 3”", {
                    "Germany": "device.country in ['de']",
                    "Germany 3": "device.country in ['de', 'at']"}, "Germany 3")):
            with self.subTest(choice):
                self.read_another_germany()
                if used == "Germany 3":
                    self.check_page("import-conditions")
                template = self.add_with(choice)
                self.assertEqual(
                    {c["name"]: c["expression"] for c in template["conditions"]},
                    expressions | {"Same": "user.id == 'me'", "Germany 2": "user.id == '2'"})
                self.assertEqual(
                    list(template["parameters"]["new"]["conditionalValues"]), [used])
                self.assertEqual(
                    list(template["parameters"]["old"]["conditionalValues"]), ["Germany"])
                self.assertEqual(template["conditions"][0]["tagColor"], "BLUE")
                self.driver.get("about:blank")
                self.call("DELETE", "draft")

    def test_keeps_the_chosen_format_and_shows_no_outdated_result(self):
        self.go("transfer")
        self.choose_file(json.dumps(PARSE))
        format_of = self.field("Format")
        self.assertEqual(format_of.get_attribute("value"), "PARSE")
        for label, change in (
                ("the section", lambda: self.write("Section for its settings", "Home")),
                ("the format", lambda: self.choose("Format", "ActiveConfig")),
                ("the content", lambda: self.field("Or its content").send_keys(" "))):
            with self.subTest(label):
                self.choose("Format", "Parse Config")
                self.press("Read the file")
                self.wait_for_text("The file has 2 settings", "main")
                change()
                self.wait_for(
                    lambda: "The file has" not in self.find("main").text, "the result to go")
        self.choose("Format", "Firebase Remote Config")
        self.field("Or its content").send_keys(" ")
        self.assertEqual(format_of.get_attribute("value"), "FIREBASE")

    def test_recognises_the_format_of_a_file(self):
        email = {"updateUser": {"email": "a@example.com"}}
        self.go("transfer")
        for format_name, file, is_clear in (
                ("FIREBASE", {"conditions": [], "version": email}, True),
                ("FIREBASE", {"parameters": {}}, False),
                ("PARSE", PARSE, True),
                ("LAUNCHDARKLY", {"flags": {}, "segments": {}}, True),
                ("ACTIVECONFIG", {"conditions": []}, False)):
            with self.subTest(file):
                self.choose_file(json.dumps(file))
                self.assertEqual(self.field("Format").get_attribute("value"), format_name)
                self.assertEqual("does not state" in self.find("main").text, not is_clear)

    def test_names_the_conditions_of_a_report(self):
        self.go("transfer")
        self.choose_file(json.dumps({"version": {"updateUser": {"email": "a@example.com"}},
                                     "conditions": [{"name": "audience",
                                                     "expression": "percent <= 10"}]}))
        self.press("Read the file")
        self.wait_for_text("the condition audience: percent depends", ".remarks")

    def test_refuses_what_is_no_template(self):
        self.go("transfer")
        for format_name in (
                "ActiveConfig", "Firebase Remote Config", "LaunchDarkly", "Parse Config"):
            with self.subTest(format_name):
                self.choose_file('{"hello": {}}')
                self.choose("Format", format_name)
                self.press("Read the file")
                self.wait_for_text("it has none of", "main .message")
                self.assertEqual(self.find_all("main .card-body h3[tabindex]"), [])

    @gate
    def test_does_not_empty_the_draft_unasked(self):
        self.edit_interval("45")
        self.go("transfer")
        for content in ('{"config_sections": {}}', '{"parameters": {}, "hello": 1}'):
            self.choose_file(content)
            self.choose("Format", "ActiveConfig")
            self.press("Read the file")
            self.wait_for_text("There is nothing to add" if "config" in content
                               else "without effect: “hello”", "main")
        self.press("Replace everything in the draft")
        self.wait_for_text("the draft becomes empty: 5 settings, 2 sections and", "dialog")
        self.check_page("import-empties")
        self.press("Cancel")
        self.wait_for_dialog_to_close()
        self.assertEqual(self.interval(), "45")
        self.press("Replace everything in the draft")
        self.press("Replace everything")
        self.wait_for_text("Review and publish", "main h1")

    def test_asks_before_it_removes_sections_without_settings(self):
        self.publish({"parameterGroups": {"Home": {"description": "Prepared"}}}, "Sections")
        self.go("transfer")
        self.choose_file('{"parameters": {"new": {"defaultValue": {"value": "1"}}}}')
        self.press("Read the file")
        self.press("Replace everything in the draft")
        self.wait_for_text("1 section will be removed", "dialog")
        self.press("Cancel")
        self.press("Add what is new to the draft")
        self.wait_for_text("1 change", ".draft-bar")
        self.assertIn("Home", self.call("GET", "draft")[1]["template"]["parameterGroups"])

    def test_keeps_and_names_what_only_firebase_evaluates(self):
        personalization = {"personalizationValue": {"personalizationId": "p13n_1"}}
        self.go("transfer")
        self.choose_file(json.dumps({"parameterGroups": {"Shop": {"parameters": {
            "offer": {"valueType": "STRING", "defaultValue": personalization}}}}}))
        self.assertEqual(self.field("Format").get_attribute("value"), "FIREBASE")
        self.press("Read the file")
        self.wait_for_text("Recognized as a template of Firebase Remote Config", "main")
        self.wait_for_text("personalizationValue is kept and not evaluated", ".remarks")
        self.press("Add what is new to the draft")
        self.wait_for_text("personalizationValue", "main")
        self.press("Publish")
        self.wait_for_text("Published as version 2", "main")
        self.assertEqual(self.parameter("Shop", "offer")["defaultValue"], personalization)
        self.go("settings")
        self.wait_for_text("Firebase personalization, not evaluated", "main")
        self.press("Edit Shop.offer")
        self.wait_for_text("This personalization of Firebase is kept", "dialog")
        self.write("Description", "An offer")
        self.keep()
        self.wait_for_text("1 change", ".draft-bar")

    def test_says_once_what_is_wrong_with_a_file(self):
        self.go("transfer")
        self.choose_file(json.dumps({"conditions": [{"name": "a", "expression": "x"}]}))
        self.choose("Format", "Firebase Remote Config")
        self.press("Read the file")
        text = self.wait_for_text("The file cannot be imported: 1 problem.", "main .message").text
        self.assertEqual(text.count("the condition a, expression"), 1)
        self.assertNotIn("published", text)

    def test_says_how_many_names_it_does_not_show(self):
        parameters = {f"key_{n}": {"defaultValue": {"value": "x"}} for n in range(205)}
        self.publish({"parameters": parameters}, "Many")
        self.go("transfer")
        self.choose_file(json.dumps({"parameters": parameters}))
        self.press("Read the file")
        self.wait_for_text("205 things of the file", "main").find_element(
            "xpath", "//summary[contains(., 'things of the file')]").click()
        self.wait_for_text("185 more", "main details details summary")

    def test_says_what_is_wrong_with_a_file(self):
        self.go("transfer")
        self.press("Read the file")
        self.wait_for_text("Choose a file", "main .message")
        self.choose_file("{")
        self.press("Read the file")
        self.wait_for_text("This is not JSON", "main .message")
        self.choose_file(json.dumps({"conditions": [{"name": "a", "expression": "x"}]}))
        self.choose("Format", "Firebase Remote Config")
        self.press("Read the file")
        self.wait_for_text("the condition a, expression", "main .message")
        self.check_page("import-problem")


class SampleTests(TaskCase):
    def test_keeps_the_conditions_of_a_project_without_settings(self):
        mine = {"name": "Mine", "expression": "user.id == 'me'"}
        self.publish({"conditions": [mine]}, "Conditions")
        self.go("settings")
        self.press("Start with the sample")
        self.wait_for_text("5 settings in 2 sections", "main")
        self.wait_for(lambda: self.call("GET", "draft")[0] == 200, "the draft")
        template = self.call("GET", "draft")[1]["template"]
        self.assertEqual(template["conditions"], [mine, *TEMPLATE["conditions"]])
        self.assertEqual(template["parameterGroups"], TEMPLATE["parameterGroups"])


class ExportTests(TaskCase):
    @gate
    def test_offers_files_that_programs_read(self):
        self.go("transfer")
        links = {e.text: (e.get_attribute("href"), e.get_attribute("download"))
                 for e in self.find_all("main a[download]")}
        files = {}
        for name, (address, download) in links.items():
            files[name] = self.driver.execute_async_script(
                "const [address, done] = arguments;"
                "fetch(address).then((r) => r.text()).then(done);", address)
            self.assertTrue(download.startswith(self.project), download)
        self.assertEqual(json.loads(files["JSON"])["RefreshInterval"], "60.0")
        self.assertEqual(
            plistlib.loads(files["Property list"].encode())["RefreshInterval"], "60.0")
        entries = ElementTree.fromstring(files["XML (Android)"].encode())
        self.assertEqual(
            {e.findtext("key"): e.findtext("value") for e in entries}["RefreshInterval"], "60.0")
        bootstrap = json.loads(files["Exchange format (bootstrap)"])
        self.assertIn("AppFeatures", bootstrap["config_sections"])
        self.assertEqual(json.loads(files["Template"])["conditions"], TEMPLATE["conditions"])

    def test_hands_a_draft_of_an_editor_over_to_a_publisher(self):
        self.token = self.new_token("editor")
        self.edit_interval("45")
        self.wait_for_text("1 change", ".draft-bar")
        with self.downloads() as folder:
            self.go("review")
            self.wait_for_text("give the file to a publisher", "main form")
            self.write("Description of this version", "Why")
            self.press("Export the draft")
            file = Path(folder, f"{self.project}-draft.json")
            self.wait_for(file.exists, "the file")
            status, answer = self.call("POST", "remoteConfig:import", {
                "format": "ACTIVECONFIG", "file": json.loads(file.read_text("utf-8"))})
            self.assertEqual(status, 200, answer)
            self.assertEqual(answer["template"]["parameterGroups"]["AppFeatures"]["parameters"][
                "RefreshInterval"]["defaultValue"]["value"], "45")
            self.call("DELETE", "draft", Authorization=f"Bearer {self.token}")
            self.wait_for_text("No draft", ".step-bar")
            # What is published before the file is imported, stays.
            template = json.loads(json.dumps(TEMPLATE))
            template["parameterGroups"]["SampleViewConfiguration"]["parameters"]["LabelText"][
                "defaultValue"]["value"] = "Theirs"
            self.publish(template, "Theirs")
            self.go("transfer")
            self.field("File").send_keys(str(file))
            self.wait_for(
                lambda: self.field("Or its content").get_attribute("value"), "the content")
        self.press("Read the file")
        self.wait_for_text("It is merged with what was published since, up to version 2.", "main")
        self.check_page("import-draft")
        self.press("Replace everything in the draft")
        self.wait_for_text("1 change since version 2", ".draft-bar")
        self.assertEqual(self.field("Description of this version").get_attribute("value"), "Why")
        self.press("Undo: import")
        self.wait_for_text("No draft", ".step-bar")

    def test_downloads_a_file(self):
        with self.downloads() as folder:
            self.go("transfer")
            self.press("Property list")
            file = Path(folder, f"{self.project}-defaults.plist")
            self.wait_for(file.exists, "the file")
            self.assertEqual(plistlib.loads(file.read_bytes())["RefreshInterval"], "60.0")


class PromotionCase(TaskCase):
    """Another project, where a condition and two settings differ."""

    def setUp(self):
        super().setUp()
        self.other = f"{self.project}-staging"
        template = json.loads(json.dumps(TEMPLATE))
        newest, = [each for each in template["conditions"] if each["name"] == "New versions"]
        newest["expression"] = "app.version.>=(['3.0'])"
        template["conditions"].append({"name": "Ada", "expression": "user.id == 'ada'"})
        parameters = template["parameterGroups"]["AppFeatures"]["parameters"]
        parameters["RefreshInterval"]["defaultValue"]["value"] = "45.0"
        parameters["Added"] = {
            "defaultValue": {"value": "x"},
            "conditionalValues": {"New versions": {"value": "y"}, "Ada": {"value": "z"}}}
        status, answer = self.administer(
            "PUT", f"/v1/projects/{self.other}/remoteConfig", template, If_Match="*")
        self.assertEqual(status, 200, answer)

    def compare(self, version=1, own_version=1):
        """Compares with the other project, which has this version."""
        self.go("transfer")
        self.choose("Other project", self.other)
        self.press("Compare")
        self.wait_for_text(
            f"Version {version} of {self.other} and version {own_version} of this project", "main")


class PromotionTests(PromotionCase):
    """Copies settings from the other project."""

    @gate
    def test_copies_settings_with_their_conditions(self):
        self.compare()
        self.check_page("comparison")
        self.press("Continue with 2 settings")
        self.wait_for_text("Leaves out 1 value for “Ada”", "main")
        self.wait_for_text("1 choice left", "main")
        self.assertFalse(self.button("Put into the draft").is_enabled())
        self.wait_for_text("As in this project", "main fieldset label").click()
        self.wait_for_text("Changes in this project: 2 settings.", "main")
        self.check_page("promotion")
        self.press("Put into the draft")
        self.wait_for_text("Review", "main h1")
        self.assertEqual(
            self.field("Description of this version").get_attribute("value"),
            f"From {self.other}, version 1")
        self.press("Publish")
        self.wait_for_text("Published as version 2", "main")
        template = self.template()
        self.assertEqual(template["conditions"], TEMPLATE["conditions"])
        added = template["parameterGroups"]["AppFeatures"]["parameters"]["Added"]
        self.assertEqual(added["conditionalValues"], {"New versions": {"value": "y"}})
        interval = self.parameter("AppFeatures", "RefreshInterval")
        self.assertEqual(interval["defaultValue"]["value"], "45.0")

    def test_copies_only_what_is_chosen_and_keeps_the_draft(self):
        self.edit_interval("5")
        self.compare()
        self.named("input", "Copy AppFeatures.RefreshInterval").click()
        self.press("Continue with 1 setting")
        self.wait_for_text(f"As in {self.other}", "main fieldset label").click()
        self.wait_for_text("Can change AppFeatures.RefreshInterval, too", "main")
        self.press("Put into the draft")
        self.wait_for_text("Review", "main h1")
        # The server compares what it has saved.
        self.wait_for_text("AppFeatures.Added", ".difference")
        self.assertEqual(self.interval(), "5")
        draft = self.call("GET", "draft")[1]["template"]
        self.assertIn("Added", draft["parameterGroups"]["AppFeatures"]["parameters"])
        newest, = [each for each in draft["conditions"] if each["name"] == "New versions"]
        self.assertEqual(newest["expression"], "app.version.>=(['3.0'])")

    def test_says_where_an_edit_of_the_draft_wins(self):
        self.edit_interval("5")
        self.compare()
        # Of this setting alone, nothing would be copied.
        self.named("input", "Copy AppFeatures.Added").click()
        self.press("Continue with 1 setting")
        self.wait_for_text("it keeps its own: AppFeatures.RefreshInterval, default value", "main")
        self.wait_for_text("As in this project", "main fieldset label").click()
        self.wait_for_text("Nothing would change in your draft.", "main")
        self.press("Choose all")
        self.press("Continue with 2 settings")
        self.wait_for_text("As in this project", "main fieldset label").click()
        self.press("Put into the draft")
        self.wait_for_text("The copy is in the draft.", "main .success")
        self.press("Go to the review")
        self.wait_for_text("Review", "main h1")
        self.assertEqual(self.interval(), "5")

    def test_merges_an_outdated_draft_first(self):
        self.edit_interval("5")
        self.publish(with_interval("30.0"), "Theirs")
        self.compare(own_version=2)
        self.press("Continue with 2 settings")
        self.wait_for_text("Version 2 was published since your draft began at version 1. "
                           "Merge it on the review first.", "main")
        self.check_page("promotion-outdated")
        self.assertEqual(self.interval(), "5")

    def test_offers_a_setting_that_differs_through_a_condition_only(self):
        template = copy.deepcopy(TEMPLATE)
        newest, = [each for each in template["conditions"] if each["name"] == "New versions"]
        newest["expression"] = "app.version.>=(['3.0'])"
        status, answer = self.administer(
            "PUT", f"/v1/projects/{self.other}/remoteConfig", template, If_Match="*")
        self.assertEqual(status, 200, answer)
        self.compare(version=2)
        self.wait_for_text("Chosen: 0 of 1 setting.", "main")
        self.wait_for_text("“New versions”: expression", "main .parts")
        self.assertFalse(self.button("Continue with 0 settings").is_enabled())
        self.press("Choose all")
        self.wait_for_text("Chosen: 1 of 1 setting.", "main")
        self.press("Continue with 1 setting")
        self.wait_for_text("As in this project", "main fieldset label").click()
        self.wait_for_text("Nothing would change.", "main")
        self.assertFalse(self.button("Put into the draft").is_enabled())
        self.wait_for_text(f"As in {self.other}", "main fieldset label").click()
        self.wait_for_text("Changes in this project: 1 condition.", "main")
        self.press("Put into the draft")
        self.wait_for_text("Review", "main h1")
        self.wait_for_text("New versions", "main .difference")

    @gate
    def test_removes_only_what_is_chosen_for_it(self):
        template = with_interval("60.0")
        template["parameterGroups"]["AppFeatures"]["description"] = "Ours"
        template["parameterGroups"]["AppFeatures"]["parameters"] |= {
            "Old": {"defaultValue": {"value": "1"}}, "Kept": {"defaultValue": {"value": "2"}}}
        self.publish(template, "Two settings that only this project has")
        self.compare(own_version=2)
        self.wait_for_text("Of 2 settings, only this project has what differs", "main")
        self.assertEqual(self.named("input", "Remove AppFeatures.Old"), None)
        self.wait_for_text("Chosen: 2 of 2 settings and 1 of 1 section.", "main")
        self.field("Also remove what only this project has").click()
        self.wait_for_text("Chosen: 2 of 4 settings and 0 of 1 section.", "main")
        section = self.field("All of AppFeatures")
        self.assertTrue(section.get_property("indeterminate"))
        self.check_page("comparison-deletions")
        self.named("input", "Copy AppFeatures.RefreshInterval").click()
        self.named("input", "Copy AppFeatures.Added").click()
        self.named("input", "Remove AppFeatures.Old").click()
        self.press("Continue with 1 setting")
        self.wait_for_text("Changes in this project: 1 setting.", "main")
        self.press("Put into the draft")
        self.wait_for_text("Review", "main h1")
        self.wait_for(lambda: self.call("GET", "draft")[0] == 200, "the draft")
        group = self.call("GET", "draft")[1]["template"]["parameterGroups"]["AppFeatures"]
        self.assertNotIn("Old", group["parameters"])
        self.assertIn("Kept", group["parameters"])
        self.assertEqual(group["description"], "Ours")

    def test_copies_a_section_with_its_description(self):
        template = self.administer("GET", f"/v1/projects/{self.other}/remoteConfig")[1]
        template["parameterGroups"]["AppFeatures"]["description"] = "Theirs"
        status, answer = self.administer(
            "PUT", f"/v1/projects/{self.other}/remoteConfig", template, If_Match="*")
        self.assertEqual(status, 200, answer)
        self.compare(version=2)
        self.wait_for_text("Chosen: 2 of 2 settings and 1 of 1 section.", "main")
        section = self.field("All of AppFeatures")
        section.click()
        self.wait_for_text("Chosen: 0 of 2 settings and 0 of 1 section.", "main")
        self.named("input", "Copy the section AppFeatures").click()
        self.wait_for_text("Chosen: 2 of 2 settings and 1 of 1 section.", "main")
        self.assertTrue(section.is_selected())
        self.press("Continue with 2 settings and 1 section")
        self.wait_for_text("The copied values use", "main")
        self.wait_for_text("Choose above which one counts.", "main")
        self.wait_for_text("As in this project", "main fieldset label").click()
        self.wait_for_text("Stays as in this project.", "main")
        self.press("Put into the draft")
        self.wait_for_text("Review", "main h1")
        self.wait_for(lambda: self.call("GET", "draft")[0] == 200, "the draft")
        group = self.call("GET", "draft")[1]["template"]["parameterGroups"]["AppFeatures"]
        self.assertEqual(group["description"], "Theirs")
        self.assertIn("Added", group["parameters"])

    def test_drops_the_answer_for_an_earlier_choice(self):
        self.compare()
        faults = Faults(self.driver)
        faults.hold("POST", ":promote$", limit=1)
        self.press("Continue with 2 settings")
        self.wait_for(lambda: faults.held() == 1, "the preview")
        self.named("input", "Copy AppFeatures.Added").click()
        self.wait_for(lambda: self.button("Continue with 1 setting").is_enabled(), "the choice")
        faults.end()
        self.assertEqual(self.find_all("main fieldset"), [])
        self.press("Continue with 1 setting")
        self.wait_for_text("As in this project", "main fieldset label").click()
        self.wait_for_text("Changes in this project: 1 setting.", "main")
        self.press("Choose none")
        self.assertEqual(self.find_all("main fieldset"), [])

    def test_lets_a_viewer_compare(self):
        self.token = self.new_token("viewer")
        self.compare()
        self.assertEqual(self.find_all("main .choose"), [])
        self.assertFalse(self.button("Continue").is_enabled())
        self.check_page("comparison-viewer")

    def publish_other(self, change):
        """Publishes in the other project; `change` edits its parameters."""
        template = self.administer("GET", f"/v1/projects/{self.other}/remoteConfig")[1]
        change(template["parameterGroups"]["AppFeatures"]["parameters"])
        status, answer = self.administer(
            "PUT", f"/v1/projects/{self.other}/remoteConfig", template, If_Match="*")
        self.assertEqual(status, 200, answer)

    @gate
    def test_compares_again_when_the_other_project_has_changed(self):
        self.compare()
        self.press("Continue with 2 settings")
        self.wait_for_text("As in this project", "main fieldset label").click()
        self.wait_for_text("Changes in this project: 2 settings.", "main")

        def change(parameters):
            del parameters["Added"]
            parameters["Another"] = {"defaultValue": {"value": "1"}}
        self.publish_other(change)
        self.press("Put into the draft")
        self.wait_for_text(
            f"{self.other} has changed: compared again. 1 setting no longer differs: "
            "AppFeatures.Added. 1 setting differs now, too, and is not chosen: "
            "AppFeatures.Another. Look at what is copied, then press the button again.",
            "main .info")
        self.browser.take_errors()
        self.wait_for_text(f"Version 2 of {self.other} and version 1 of this project", "main")
        self.wait_for_text("Chosen: 1 of 2 settings.", "main")
        # The decision between the same sides is kept.
        self.wait_for_text("Changes in this project: 1 setting.", "main")
        self.wait_for_text("As in this project", "main fieldset .option:has(:checked)")
        self.check_page("promotion-again")
        self.press("Put into the draft")
        self.wait_for_text("Review", "main h1")
        self.wait_for(lambda: self.call("GET", "draft")[0] == 200, "the draft")
        parameters = self.call(
            "GET", "draft")[1]["template"]["parameterGroups"]["AppFeatures"]["parameters"]
        self.assertEqual(parameters["RefreshInterval"]["defaultValue"], {"value": "45.0"})
        self.assertNotIn("Another", parameters)

    @gate
    def test_compares_again_when_this_project_has_changed(self):
        self.compare()
        self.named("input", "Copy AppFeatures.Added").click()
        self.publish(with_interval("30.0"), "Meanwhile")
        self.press("Continue with 1 setting")
        self.wait_for_text(
            "This project has changed: compared again. 1 chosen setting differs otherwise now: "
            "AppFeatures.RefreshInterval.", "main .info")
        self.browser.take_errors()
        self.wait_for_text(f"Version 1 of {self.other} and version 2 of this project", "main")
        self.wait_for_text("Chosen: 1 of 2 settings.", "main")
        self.assertFalse(self.named("input", "Copy AppFeatures.Added").is_selected())
        self.wait_for_text("Changes in this project: 1 setting.", "main")
        self.wait_for_text("As in this project", "main fieldset label").click()
        # While the result is put into the draft.
        self.publish(with_interval("20.0"), "Again")
        self.press("Put into the draft")
        self.wait_for_text(f"Version 1 of {self.other} and version 3 of this project", "main")
        self.browser.take_errors()
        self.wait_for_text("Changes in this project: 1 setting.", "main")
        self.wait_for_text("As in this project", "main fieldset .option:has(:checked)")
        self.press("Put into the draft")
        self.wait_for_text("Review", "main h1")
        self.wait_for(lambda: self.interval() == "45.0", "the draft")

    @gate
    def test_marks_what_differs_on_purpose(self):
        self.compare()
        self.named("input", "Copy AppFeatures.Added").click()
        self.press("Differs on purpose … AppFeatures.RefreshInterval")
        self.press("Mark it")
        self.wait_for_text("say why it differs", "dialog [role=alert]")
        self.write("Why it differs", "x" * 501)
        self.press("Mark it")
        self.wait_for_text("the note has 501 characters", "dialog [role=alert]")
        self.write("Why it differs", "Faster for testers.")
        self.check_page("dialog-mark-difference")
        self.press("Mark it")
        self.wait_for_dialog_to_close()
        self.wait_for_text("Marked: AppFeatures.RefreshInterval differs on purpose.", "main .info")
        # The choice is kept.
        self.wait_for_text("Chosen: 0 of 1 setting.", "main")
        self.named("summary", "What else differs: 2 conditions").click()
        self.press("Differs on purpose … New versions")
        self.write("Why it differs", "Staging tests version 3")
        self.press("Mark it")
        self.wait_for_text("Marked: New versions differs on purpose.", "main .info")
        self.assertIsNone(self.named("button", "Differs on purpose … Ada"))
        self.named("summary", "Differs on purpose (2)").click()
        self.wait_for_text("Marked as different on purpose by Admin token", "main details")
        self.wait_for_text(": Faster for testers.", "main details")
        self.check_page("comparison-marked")

        def change(parameters):
            parameters["RefreshInterval"]["defaultValue"]["value"] = "20.0"
        self.publish_other(change)
        self.compare(version=2)
        self.wait_for_text(
            f": Faster for testers. {self.other} has changed since.", "main .difference")
        self.check_page("comparison-mark-outdated")
        self.press("Mark again … AppFeatures.RefreshInterval")
        self.assertEqual(
            self.field("Why it differs").get_attribute("value"), "Faster for testers.")
        self.press("Mark it")
        self.wait_for_text("Marked: AppFeatures.RefreshInterval differs on purpose.", "main .info")
        self.named("summary", "Differs on purpose (2)").click()
        self.press("No longer New versions")
        self.wait_for_text("New versions no longer differs on purpose.", "main .info")
        self.wait_for_text("Differs on purpose (1)", "main summary")
        # Somebody publishes while the note is written.
        self.press("Differs on purpose … AppFeatures.Added")
        self.write("Why it differs", "Not yet")
        self.publish(with_interval("30.0"), "Meanwhile")
        self.press("Mark it")
        self.wait_for_text("Nothing was marked. This project has changed: compared again.",
                           "main .info")
        self.browser.take_errors()
        self.token = self.new_token("viewer")
        self.driver.get("about:blank")
        self.continue_session()
        self.compare(version=2, own_version=2)
        self.assertIsNone(self.named("button", "Differs on purpose … AppFeatures.Added"))

    def test_asks_again_where_a_decision_was_between_other_sides(self):
        self.compare()
        self.press("Continue with 2 settings")
        self.wait_for_text(f"As in {self.other}", "main fieldset label").click()
        self.wait_for_text("Becomes as in", "main")
        template = copy.deepcopy(TEMPLATE)
        newest, = [each for each in template["conditions"] if each["name"] == "New versions"]
        newest["expression"] = "app.version.>=(['4.0'])"
        self.publish(template, "Another condition")
        self.press("Put into the draft")
        self.wait_for_text("1 decision is open again, since what it is between has changed.",
                           "main .info")
        self.browser.take_errors()
        self.wait_for_text("1 choice left", "main")
        self.assertFalse(self.button("Put into the draft").is_enabled())


class PromotionOnAPhoneTests(PromotionCase):
    size = PHONE

    def test_chooses_sections_of_many_settings(self):
        settings = {f"n{number}": {"defaultValue": {"value": "1"}} for number in range(60)}
        template = self.administer("GET", f"/v1/projects/{self.other}/remoteConfig")[1]
        template["parameterGroups"]["Many"] = {"parameters": settings}
        status, answer = self.administer(
            "PUT", f"/v1/projects/{self.other}/remoteConfig", template, If_Match="*")
        self.assertEqual(status, 200, answer)
        self.compare(version=2)
        self.wait_for_text("Chosen: 62 of 62 settings.", "main")
        self.field("All of AppFeatures").click()
        self.wait_for_text("Chosen: 60 of 62 settings.", "main")
        self.press("Many 60 added")
        self.named("input", "Copy Many.n0").click()
        self.wait_for_text("Chosen: 59 of 62 settings.", "main")
        many = self.field("All of Many")
        self.assertTrue(many.get_property("indeterminate"))
        self.check_page("comparison-large")
        self.check_targets("the comparison")
        self.wait_for(lambda: self.hits(many), "the box of the section to be hit")
        self.wait_for_text("Chosen: 60 of 62 settings.", "main")
        self.assertTrue(self.named("input", "Copy Many.n0").is_selected())

    def test_has_targets_for_fingers(self):
        self.publish(with_interval("60.0", TEMPLATE | {
            "parameters": {"own": {"defaultValue": {"value": "1"}}}}), "One of its own")
        self.compare(own_version=2)
        self.field("Also remove what only this project has").click()
        self.wait_for_text("Chosen: 2 of 3 settings.", "main")
        self.check_targets("the comparison")
        self.check_page("comparison")
        self.press("Continue with 2 settings")
        self.wait_for_text("The copied values use", "main")
        self.check_targets("the preview")
        self.check_page("promotion")


class EmptyProjectTests(TaskCase):
    def setUp(self):
        ConsoleCase.setUp(self)
        self.project = f"empty-{uuid4().hex[:8]}"

    def start(self):
        """Creates and opens a project without a published version."""
        self.continue_session()
        self.create_project(self.project)
        self.open(f"#/{self.project}/settings")
        self.wait_for_text("There is nothing here yet", "main")

    @gate
    def test_offers_a_sample_and_the_lines_for_the_app(self):
        self.start()
        code = self.find("main pre").text
        self.assertIn(f'{self.url}/projects/{self.project}")!', code)
        self.assertFalse(self.find_all("main [role=search]")[0].is_displayed())
        self.check_page("empty-project")
        self.press("Start with the sample")
        self.wait_for_text("5 settings in 2 sections", "main")
        self.go("review")
        self.press("Publish")
        self.wait_for_text("Published as version 1", "main")
        template = self.template()
        del template["version"]
        self.assertEqual(template, TEMPLATE)

    def test_leads_to_the_import(self):
        self.start()
        self.press("Import a template")
        self.wait_for_text("Import and export", "main h1")
        self.check_page("import-empty")


class EmptyProjectOnAPhoneTests(EmptyProjectTests):
    size = PHONE


if __name__ == "__main__":
    unittest.main()
