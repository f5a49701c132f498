"""Writes a template for load tests: template.py BYTES [same|different] > FILE

100 conditions of four kinds, 20 of them with percent, and as many parameters as make a document
of about BYTES bytes. "same" has 3 seeds among the 20, so that users share documents; "different"
has 20, so that hardly two users get the same document.
"""

import json
import sys

size = int(sys.argv[1])
seeds = sys.argv[2] if len(sys.argv) > 2 else "same"
countries = ["US", "JP", "DE", "FR", "BR", "IN", "GB", "IT", "ES", "KR", "MX", "CA", "AU", "NL"]
plans = ["free", "basic", "gold", "team"]

expressions = []
for n in range(30):
    operator = ["<", "<=", ">", ">="][n % 4]
    expressions.append(f"app.version.{operator}(['{n % 7}.{n % 5}.{n}'])")
for n in range(25):
    chosen = "', '".join(countries[(n + k) % len(countries)] for k in range(1 + n % 5))
    expressions.append(f"device.country in ['{chosen}'] && device.os == 'ios'")
for n in range(20):
    seed = f"('seed-{n}')" if seeds == "different" else ["", "('one')", "('two')"][n % 3]
    operator = "percent" + seed
    expressions.append(f"{operator} <= {5 * (n // 3 + 1)}")
for n in range(25):
    kind = n % 3
    if kind == 0:
        expressions.append(f"app.customSignal['plan'].exactlyMatches(['{plans[n % 4]}'])")
    elif kind == 1:
        expressions.append(f"app.customSignal['level'] >= {n * 4}")
    else:
        expressions.append(f"app.customSignal['city'].contains(['{'ABCDEFG'[n % 7]}okyo'])")

conditions = [{"name": f"condition {n}", "expression": e} for n, e in enumerate(expressions)]
text = "A value that is as long as a short sentence usually is, " * max(1, size // 20_000)
groups = {}
count = 0
written = 600  # The size of meta.experiments and of the frame.
while written < size:
    key = f"setting_{count:04}"
    first, second = count % 100, (count * 7 + 3) % 100
    groups.setdefault(f"Section{count % 5}", {"parameters": {}})["parameters"][key] = {
        "defaultValue": {"value": f"{text}{count}"},
        "conditionalValues": {
            f"condition {first}": {"value": f"{text}{count} first"},
            f"condition {second}": {"value": f"{text}{count} second"},
        },
        "valueType": "STRING",
    }
    written += len(text) + len(key) + 25
    count += 1
json.dump({"conditions": conditions, "parameterGroups": groups}, sys.stdout)
