"""The merge of two edits of a template, by the module alone."""

import unittest

from console_case import ConsoleCase

SCRIPT = """
const [lists, done] = arguments;
import('/console/tree-merge.js').then(({mergeTrees}) => {
    const conflicts = [];
    const [base, mine, theirs] = lists.map((names) => ({
        conditions: names.map((name) => ({name, expression: 'true'}))}));
    const {conditions} = mergeTrees(base, mine, theirs, [], conflicts);
    done([conditions.map(({name}) => name).join(''), conflicts]);
}).catch((error) => done(String(error.stack)));
"""


class TreeMergeTests(ConsoleCase):
    def check(self, base, mine, theirs, expected, conflicts=()):
        """Merges conditions that have letters as names."""
        result = self.driver.execute_async_script(SCRIPT, [list(n) for n in (base, mine, theirs)])
        self.assertEqual(result, [expected, list(conflicts)], (base, mine, theirs))

    def test_keeps_the_order_of_the_side_that_reordered(self):
        self.open()
        self.check("abc", "cab", "abc", "cab")
        self.check("abc", "abc", "cab", "cab")
        # The other side has only added, removed or renamed a condition.
        self.check("abc", "abcx", "cab", "cxab")
        self.check("abc", "ac", "cab", "ca")
        self.check("abc", "xbc", "cab", "xcb")
        self.check("abc", "cab", "axbc", "caxb")

    def test_puts_a_condition_after_the_one_before_it(self):
        self.open()
        self.check("abc", "abxc", "aybc", "aybxc")
        self.check("abc", "xabc", "abcy", "xabcy")
        self.check("abc", "abcx", "yabc", "yabcx")
        self.check("", "a", "b", "ab")

    def test_says_that_both_sides_reordered(self):
        self.open()
        self.check("abc", "cab", "bac", "cab", [["conditions"]])
        self.check("abc", "cab", "cab", "cab")
        self.check("abc", "cabx", "ycab", "ycabx")


if __name__ == "__main__":
    unittest.main()
