"""The patches that the pages make of edits, applied by another implementation of RFC 6902."""

import json
import unittest

import jsonpatch

from console_case import ConsoleCase

# Edits a template at random, and reports each patch: pages' modules run without a page.
SCRIPT = """
const done = arguments[arguments.length - 1];
(async () => {
    const {patch} = await import('/console/json/json-patch.js');
    const {jsonText, parseJSON} = await import('/console/json/json-text.js');
    const edits = await import('/console/template/template.js');
    let state = arguments[0];
    const random = (limit) => {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        return Math.floor(state / 2 ** 32 * limit);
    };
    const pick = (list) => list[random(list.length)];
    let template = parseJSON(arguments[1]);
    const before = jsonText(template);
    const steps = [];
    for (let number = 0; number < 300; number += 1) {
        const sections = edits.sections(template).filter(({settings}) => settings.length);
        const section = pick(sections);
        const {key, parameter} = pick(section.settings);
        const all = edits.conditions(template);
        const at = random(all.length);
        const name = pick(['n/' + number, '~' + number, String(number), 'ü "' + number]);
        const value = {...parameter, defaultValue: {value: String(random(9))}};
        const next = pick([
            () => edits.settingParameter(template, section.group, key, value),
            () => edits.settingParameter(template, section.group, name, value),
            () => edits.settingParameter(template, section.group, name, parameter, key),
            () => edits.removingParameters(template, sections.length > 2
                ? [{group: section.group, key}] : []),
            () => edits.settingGroup(template, name, 'About it'),
            () => edits.settingGroup(template, name, '', section.group ?? null),
            () => edits.movingCondition(template, at, random(all.length)),
            () => edits.settingCondition(template, at, {...all[at], name}),
            () => edits.settingCondition(template, all.length, {name, expression: 'true'}),
            () => (all.length > 2 ? edits.removingCondition(template, all[at].name) : template),
            () => edits.movingParameters(template, [{group: section.group, key}], section.group),
            () => edits.editingParametersAt(template, [{group: section.group, key}], (content) => (
                edits.withConditionalValue(template, content, all[at].name, {value: '1'}))),
        ])();
        steps.push([jsonText(template), jsonText(patch(template, next)),
            jsonText(patch(template, next, {isOrdered: true})), jsonText(next)]);
        template = next;
    }
    const first = parseJSON(before);
    const edited = edits.settingParameter(first, null, 'a', {defaultValue: {value: 'new'}});
    done({before, steps, isUntouched: jsonText(first) === before,
        isShared: edited.parameterGroups === first.parameterGroups
            && edited.conditions === first.conditions
            && edited.parameters.b === first.parameters.b});
})().catch((error) => done(String(error.stack)));
"""

TEMPLATE = {
    "conditions": [{"name": f"Condition {n}", "expression": f"percent <= {n}"} for n in range(6)],
    "parameters": {"a": {"defaultValue": {"value": "1"}}, "b": {"defaultValue": {"value": "2"}}},
    "parameterGroups": {f"Group {g}": {"parameters": {
        f"key {n}": {"defaultValue": {"value": str(n)}, "conditionalValues": {
            f"Condition {n}": {"value": "x"}}} for n in range(4)}} for g in range(3)}}


class JSONPatchTests(ConsoleCase):
    seed = 20_261

    def test_turns_one_template_into_the_next(self):
        self.open()
        result = self.driver.execute_async_script(SCRIPT, self.seed, json.dumps(TEMPLATE))
        self.assertIsInstance(result, dict, result)
        self.assertTrue(result["isUntouched"], "an edit changed the template that it was given")
        self.assertTrue(result["isShared"], "an edit copied more than its path")
        sizes = []
        for number, texts in enumerate(result["steps"]):
            before, plain, ordered, after = (json.loads(text) for text in texts)
            place = f"seed {self.seed}, step {number}: {texts[1]}"
            self.assertEqual(jsonpatch.apply_patch(before, plain), after, place)
            # The library appends new members, as the server does: the order is the same then.
            patched = jsonpatch.apply_patch(before, ordered)
            self.assertEqual(json.dumps(patched), json.dumps(after), f"{place}, ordered")
            sizes.append(len(texts[1]))
        self.assertLess(sorted(sizes)[len(sizes) // 2], 400, "most patches are small")

    def test_moves_one_condition_by_one_operation(self):
        self.open()
        moved = self.driver.execute_async_script("""
            const done = arguments[arguments.length - 1];
            Promise.all([import('/console/json/json-patch.js'), import('/console/template/template.js')])
                .then(([{patch}, {movingCondition}]) => done([[499, 0], [0, 499], [3, 200]]
                    .map(([from, to]) => {
                        const template = {conditions: Array.from(
                            {length: 500}, (_, index) => ({name: String(index)}))};
                        return patch(template, movingCondition(template, from, to));
                    })));""")
        self.assertEqual(moved, [
            [{"op": "move", "from": f"/conditions/{a}", "path": f"/conditions/{b}"}]
            for a, b in ((499, 0), (0, 499), (3, 200))])


if __name__ == "__main__":
    unittest.main()
