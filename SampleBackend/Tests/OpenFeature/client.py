"""Evaluates flags with OpenFeature's own client against a running backend: client.py URL"""

import sys

from openfeature import api
from openfeature.contrib.provider.ofrep import OFREPProvider
from openfeature.evaluation_context import EvaluationContext

failures = 0


def check(what, details, value, reason=None, variant=None, error=None):
    """Compares the client's result with the expected one."""
    global failures
    seen = (details.value, type(details.value), details.error_code, details.variant)
    wanted = (value, type(value), error, variant)
    is_right = seen == wanted and (reason is None or details.reason == reason)
    if not is_right:
        failures += 1
    print("ok  " if is_right else "FAIL", what, "" if is_right else f"{details}, not {wanted}, {reason}")


def client(url, key="secret"):
    """A client of the backend, which requires a key."""
    name = f"{url} {key}"
    api.set_provider(OFREPProvider(url, headers_factory=lambda: {"X-API-Key": key}), name)
    return api.get_client(name)


def user(key="7", **attributes):
    """The context of a user; two underscores stand for a dot."""
    names = {name.replace("__", "."): value for name, value in attributes.items()}
    return EvaluationContext(targeting_key=key, attributes=names)


url = sys.argv[1]
flags = client(url)

check("a string, the default", flags.get_string_details("Home.title", "no", user()),
      "Hello 7", "DEFAULT", "default")
check("a string, by the user", flags.get_string_details("Home.title", "no", user("3")),
      "Hello, third", "TARGETING_MATCH", "third")
check("a string, by an attribute",
      flags.get_string_details("Home.title", "no", user("3", plan="gold")),
      "Hello, gold", "TARGETING_MATCH", "gold")
check("a boolean, by a percentage", flags.get_boolean_details("Home.isNew", False, user()),
      True, "SPLIT", "everyone")
check("an integer", flags.get_integer_details("Home.columns", 0, user()),
      3, "STATIC", "default")
check("a float that is whole", flags.get_float_details("Home.scale", 0.5, user()),
      1.0, "STATIC", "default")
check("an object", flags.get_object_details("Home.colours", {}, user()),
      {"dark": ["black", 1.0, 1], "light": None}, "STATIC", "default")
metadata = flags.get_integer_details("Home.columns", 0, user()).flag_metadata
if metadata != {"templateVersion": 1}:
    sys.exit(f"the metadata is {metadata}")

check("a key with a slash", flags.get_integer_details("Home/columns", 0, user()),
      3, "STATIC", "default")
check("a key with an encoded slash", flags.get_integer_details("Home%2Fcolumns", 0, user()),
      3, "STATIC", "default")
check("a section with a dot",
      flags.get_integer_details("Home.Header.height", 0, user()), 44, "STATIC", "default")

check("the code's default", flags.get_string_details("Home.greeting", "mine", user()),
      "mine", "DEFAULT", "default")
check("the server's value instead",
      flags.get_string_details("Home.greeting", "mine", user(app__version="2.1")),
      "Hello, beta", "TARGETING_MATCH", "beta")

check("a missing flag", flags.get_boolean_details("Home.none", True, user()),
      True, "ERROR", error="FLAG_NOT_FOUND")
check("a path that leaves the flags", flags.get_boolean_details("../../x", True, user()),
      True, "ERROR", error="FLAG_NOT_FOUND")
check("an integer as a float", flags.get_float_details("Home.columns", 0.5, user()),
      0.5, "ERROR", error="TYPE_MISMATCH")
check("a float as an integer", flags.get_integer_details("Home.scale", 5, user()),
      5, "ERROR", error="TYPE_MISMATCH")
check("a string as a boolean", flags.get_boolean_details("Home.title", True, user()),
      True, "ERROR", error="TYPE_MISMATCH")
check("an array", flags.get_object_details("Home.list", {}, user()),
      {}, "ERROR", error="GENERAL")

check("no context", flags.get_string_details("Home.title", "no"), "Hello ", "DEFAULT", "default")
check("no targeting key", flags.get_boolean_details("Home.isNew", True, user(None)),
      False, "DEFAULT", "default")
check("an attribute over its limit",
      flags.get_string_details("Home.title", "no", user(plan="x" * 501)),
      "no", "ERROR", error="INVALID_CONTEXT")

check("another project", client(f"{url}/projects/other").get_integer_details(
    "Home.columns", 0, user()), 3, "STATIC", "default")
check("an unknown project", client(f"{url}/projects/none").get_integer_details(
    "Home.columns", 0, user()), 0, "ERROR", error="FLAG_NOT_FOUND")
check("a wrong key", client(url, "wrong").get_integer_details("Home.columns", 0, user()),
      0, "ERROR", error="GENERAL")

sys.exit(f"{failures} evaluations went wrong" if failures else None)
