"""Writes a template of 3,000 parameters and 300 conditions, with values of 300 kB, to publish."""

import json
import sys

conditions = [
    {"name": f"condition {n}", "expression": f"percent('seed-{n}') <= {n / 3:.3f} && app.version.>=(['1.{n}'])"}
    for n in range(300)
]
groups = {}
for n in range(3000):
    groups.setdefault(f"Group{n % 30}", {"parameters": {}})["parameters"][f"parameter_{n}"] = {
        "defaultValue": {"value": f"The value of parameter {n}, as long as most are"},
        "conditionalValues": {
            f"condition {n % 300}": {"value": f"Another value of parameter {n}, for some"}
        },
        "description": "What it is for",
        "valueType": "STRING",
    }
json.dump({"conditions": conditions, "parameterGroups": groups}, sys.stdout)
