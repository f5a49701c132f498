"""Templates as large as the server accepts: 3,000 settings and 500 conditions."""

SETTINGS, CONDITIONS, SECTIONS = 3000, 500, 30

VALUES = (
    ("STRING", lambda n: f"The value number {n}, as long as most are"),
    ("BOOLEAN", lambda n: "true" if n // 4 % 2 else "false"),
    ("NUMBER", str),
    ("JSON", lambda n: '{"title": "Number %d",\n "sizes": [1, 2, 3]}' % n))


def large_template(step=0):
    """A template of 30 sections; every default value is another one with another step."""
    groups = {f"Group {section}": {"parameters": {}} for section in range(SECTIONS)}
    for n in range(SETTINGS):
        kind, value = VALUES[n % 4]
        groups[f"Group {n % SECTIONS}"]["parameters"][f"a_setting_with_number_{n}"] = {
            "valueType": kind, "description": f"What setting {n} is for",
            "defaultValue": {"value": value(n + 4 * step)},
            "conditionalValues": {f"Large condition {(n + k) % CONDITIONS}": {"value": value(n)}
                                  for k in (0, 7)}}
    return {
        "parameterGroups": groups,
        "conditions": [
            {"name": f"Large condition {n}", "tagColor": ("BLUE", "LIME", "PINK")[n % 3],
             "expression": f"percent('seed-{n}') <= {n / 5:.1f} && app.version.>=(['1.{n}'])"}
            for n in range(CONDITIONS)]}
