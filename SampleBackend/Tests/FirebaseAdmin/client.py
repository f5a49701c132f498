"""Evaluates templates with Firebase's server library, and compares each value with the backend's:
client.py URL ARTICLE

The token is in ACTIVECONFIG_ADMIN_TOKEN. ARTICLE has the examples, which are run.
"""

import asyncio
import itertools
import json
import logging
import os
import random
import re
import sys
import urllib.request

import firebase_admin
from firebase_admin import exceptions, remote_config
from google.auth.exceptions import RefreshError
from google.oauth2.credentials import Credentials

from cases import CONDITIONS, DIFFERENCES, SIGNALS

URL, ARTICLE = sys.argv[1:]
TOKEN = os.environ["ACTIVECONFIG_ADMIN_TOKEN"]
PATH = "/v1/projects/{}/namespaces/firebase-server/serverRemoteConfig"
failures = 0
logging.disable(logging.WARNING)  # The library logs each missing signal.


def check(what, seen, wanted):
    """Compares a result with the expected one."""
    global failures
    if seen != wanted:
        failures += 1
        print(f"FAIL {what}: {seen!r}, not {wanted!r}")


def call(method, path, body=None, **fields):
    """The response of the backend: its JSON and its header fields."""
    request = urllib.request.Request(
        URL + path, method=method, data=None if body is None else json.dumps(body).encode(),
        headers={"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json", **fields})
    with urllib.request.urlopen(request) as response:
        return json.loads(response.read() or "null"), response.headers


def publish(template, project="default"):
    call("PUT", f"/v1/projects/{project}/remoteConfig", template, **{"If-Match": "*"})


def app(name, token=TOKEN, project="default"):
    """An app whose templates come from the backend, as the article describes."""
    app = firebase_admin.initialize_app(Credentials(token), {"projectId": project}, name)
    template = remote_config.init_server_template(app)
    template._rc_service._client._base_url = URL
    return app


def library_template(name, **options):
    return asyncio.run(remote_config.get_server_template(app(name), **options))


def library_value(config, key, kind):
    """A value of the library; None for one that the template does not have."""
    if config.get_value_source(key) != "remote":
        return None
    match kind:
        case "BOOLEAN":
            return config.get_boolean(key)
        case "NUMBER":
            return config.get_float(key)
        case "JSON":
            return json.loads(config.get_string(key))
    return config.get_string(key)


def backend_values(user_id, signals):
    """The values of the backend's own evaluation, by section and key."""
    context = dict(signals)
    if user_id is not None:
        context["targetingKey"] = user_id
    answer, _ = call("POST", "/ofrep/v1/evaluate/flags", {"context": context})
    for flag in answer["flags"]:
        # OpenFeature has no arrays as values of flags.
        assert "errorCode" not in flag or flag["errorCode"] == "GENERAL", flag
    return {flag["key"]: flag.get("value") for flag in answer["flags"]}


def library_context(user_id, signals):
    return dict(signals) if user_id is None else {"randomization_id": user_id, **signals}


def parameter(value, kind="STRING", **conditional_values):
    return {"defaultValue": {"value": value}, "valueType": kind,
            "conditionalValues": {name: {"value": text} for name, text in conditional_values.items()}}


def compounds(draw, count):
    """Random conditions of several, without those that cannot be negated."""
    parts = [condition for condition in CONDITIONS if not re.search(r"\.matches|😀", condition)]
    for _ in range(count):
        chosen = [draw.choice(["({})", "!({})"]).format(part) for part in draw.sample(parts, 3)]
        yield draw.choice(["{} && {} || {}", "{} || {} && {}", "!({} && {}) && {}",
                           "!({} || {}) || {}"]).format(*chosen)


def evaluate_many():
    """Compares the values of many users for all conditions."""
    order = random.Random(1)
    conditions = CONDITIONS + list(compounds(order, 60))
    names = [f"c{index}" for index in range(len(conditions))]
    parameters, kinds = {}, {}
    for index, name in enumerate(names):
        parameters[f"p{index}"] = parameter("no", **{name: "yes"})
        others = order.sample(names, 4)
        parameters[f"q{index}"] = parameter(
            "default", **{other: f"of {other}" for other in others})
    typed = {
        "boolean": ("BOOLEAN", "false", "TRUE"), "number": ("NUMBER", "1.50", "2e3"),
        "object": ("JSON", '{"a": [1, null]}', '{"b": "\\u00e9"}'), "text": ("STRING", "", "ü😀"),
    }
    for key, (kind, default, other) in typed.items():
        parameters[key], kinds[key] = parameter(default, kind, c0=other), kind
    parameters["inApp"] = {"defaultValue": {"useInAppDefault": True},
                           "conditionalValues": {"c0": {"value": "remote"}}}
    parameters["inAppIf"] = {"defaultValue": {"value": "remote"},
                             "conditionalValues": {"c0": {"useInAppDefault": True}}}
    parameters["noDefault"] = {"conditionalValues": {"c0": {"value": "remote"}}}
    half = len(parameters) // 2
    publish({
        "conditions": [{"name": name, "expression": expression}
                       for name, expression in zip(names, conditions)],
        "parameters": dict(itertools.islice(parameters.items(), half)),
        "parameterGroups": {
            "Group": {"parameters": dict(itertools.islice(parameters.items(), half, None))}},
    })
    _, headers = call("GET", PATH.format("default"))
    check("warnings", headers.get_all("Warning"), None)
    template = library_template(
        "many", default_config={"inApp": "mine", "inAppIf": "mine", "noDefault": "mine"})

    draw = random.Random(2)
    count, seen = 0, {}
    for number in range(80):
        user_id = draw.choice([None, "7", "42", str(number), f"user-{number}", "é😀"])
        signals = {key: draw.choice(values) for key, values in SIGNALS.items() if draw.random() < 0.7}
        config = template.evaluate(library_context(user_id, signals))
        for path, value in backend_values(user_id, signals).items():
            key = path.split(".", 1)[1]
            result = library_value(config, key, kinds.get(key))
            expression = conditions[int(key[1:])] if key[1:].isdigit() else ""
            check(f"{key} {expression} of {user_id} with {signals}", result, value)
            seen.setdefault(key, set()).add(json.dumps(result))
            count += 1
        check("a default of the app", config.get_string("inApp") in ("mine", "remote"), True)
    for index, expression in enumerate(CONDITIONS):
        check(f"the results of {expression}", seen[f"p{index}"], {'"yes"', '"no"'})
    return count


def differ():
    """Checks each difference of the table in Templates and conditions."""
    publish({
        "conditions": [{"name": f"d{index}", "expression": row[1]}
                       for index, row in enumerate(DIFFERENCES)],
        "parameters": {f"p{index}": parameter("false", "BOOLEAN", **{f"d{index}": "true"})
                       for index in range(len(DIFFERENCES))},
    })
    template = library_template("differences")
    for index, (what, _, signals, here, python) in enumerate(DIFFERENCES):
        user_id = signals.get("user.id", "7")
        signals = {key: value for key, value in signals.items() if key != "user.id"}
        config = template.evaluate(library_context(user_id, signals))
        check(f"{what}: the library", config.get_boolean(f"p{index}"), python)
        check(f"{what}: here", backend_values(user_id, signals)[f"Default.p{index}"], here)
        check(f"{what}: a difference", here != python, True)
    return len(DIFFERENCES)


def other_differences():
    """Checks the differences that are none of conditions."""
    publish({
        "conditions": [
            {"name": "not", "expression": "!app.customSignal['plan'].matches(['a'])"},
            {"name": "time", "expression": "dateTime >= dateTime('2020-01-01T00:00:00')"},
        ],
        "parameters": {
            "a": parameter("Hello ${user.id}"), "n": parameter("1.0", "NUMBER"),
            "not": parameter("default", **{"not": "conditional"}),
            "time": parameter("default", time="conditional"),
        },
        "parameterGroups": {
            "Home": {"parameters": {
                "a": parameter("home"),
                "secret": {"defaultValue": {"value": "s"}, "masterKeyOnly": True}}}},
    })
    call("PUT", "/v1/projects/default/users/7/overrides", {"Home": {"a": "pinned"}})
    template = library_template("others")
    config = template.evaluate({"randomization_id": "7", "plan": "b"})
    check("a placeholder", config.get_string("a"), "Hello ${user.id}")
    check("the second of equal keys, without its pin", config.get_string("Home.a"), "home")
    check("an integer with a fraction", (config.get_int("n"), config.get_float("n")), (0, 1.0))
    check("a hidden setting", config.get_value_source("secret"), "static")
    check("a rule that cannot be written", config.get_string("not"), "default")
    check("a time that has come", config.get_string("time"), "conditional")
    values = backend_values("7", {"plan": "b"})
    check("the backend's values", values, {
        "Default.a": "Hello 7", "Default.n": 1.0, "Default.not": "conditional",
        "Default.time": "conditional", "Home.a": "pinned"})
    _, headers = call("GET", PATH.format("default"))
    warnings = headers.get_all("Warning")
    for text, part in zip(warnings, ["a regular expression cannot be negated", "${user.id}",
                                     "Home.a has this name", "pinned for users, 1"]):
        check(f"the warning {text}", part in text, True)
    check("the number of warnings", len(warnings), 4)
    call("DELETE", "/v1/projects/default/users/7/overrides")


def refuse():
    """Checks the errors that a program sees."""
    for name, token, project, expected in [
        ("no project", TOKEN, "none", exceptions.NotFoundError),
        ("a wrong token", "wrong", "default", RefreshError),
    ]:
        try:
            asyncio.run(remote_config.get_server_template(app(name, token, project)))
            check(name, "no error", expected)
        except Exception as error:  # pylint: disable=broad-except
            check(name, type(error), expected)


def run_examples():
    """Runs the article's examples for Python."""
    publish({
        "conditions": [
            {"name": "gold", "expression": "app.customSignal['plan'].exactlyMatches(['gold'])"}],
        "parameters": {"title": parameter("Hello", gold="Hello, gold")},
    })
    with open(ARTICLE, encoding="utf-8") as file:
        examples = re.findall(r"```python\n(.*?)```", file.read(), re.S)
    check("the number of examples", len(examples), 2)
    os.environ["TOKEN"] = TOKEN
    names = {}
    for example in examples:
        assert "https://config.example.com" in example
        exec(example.replace("https://config.example.com", URL), names)  # pylint: disable=exec-used
        check("an example", names["title"], "Hello, gold")
        names["title"] = None


count = evaluate_many()
differences = differ()
other_differences()
refuse()
run_examples()
print(f"{count} values equal to the backend's, {differences} of the table's differences")
check("enough values", count >= 1200, True)
sys.exit(f"{failures} results went wrong" if failures else None)
