"""Writes a template of 3,000 parameters and 300 conditions, with values of 300 kB, to publish."""

import json
import sys


def template(parameter_count, condition_count):
    """A template; each parameter has a value for one of the conditions, if there are any."""
    conditions = [
        {"name": f"condition {n}",
         "expression": f"percent('seed-{n}') <= {n / condition_count * 100:.3f} && app.version.>=(['1.{n}'])"}
        for n in range(condition_count)
    ]
    groups = {}
    for n in range(parameter_count):
        parameter = {
            "defaultValue": {"value": f"The value of parameter {n}, as long as most are"},
            "description": "What it is for",
            "valueType": "STRING",
        }
        if conditions:
            parameter["conditionalValues"] = {
                f"condition {n % condition_count}": {"value": f"Another value of parameter {n}, for some"}}
        groups.setdefault(f"Group{n % 30}", {"parameters": {}})["parameters"][f"parameter_{n}"] = parameter
    return {"conditions": conditions, "parameterGroups": groups}


if __name__ == "__main__":
    json.dump(template(3000, 300), sys.stdout)
