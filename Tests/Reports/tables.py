"""Tables as text and Markdown; a row is a list of cells, and the first row has the titles."""

import re

NUMBER = re.compile(r"[\d,.]+( %| µs)?$")


def alignments(rows):
    """For each column, whether it contains numbers and is right-aligned."""
    return [any(cells) and all(NUMBER.match(cell) for cell in cells if cell) for cells in zip(*rows[1:])]


def text(rows):
    rows = [list(row) for row in rows]
    right = alignments(rows)
    widths = [max(map(len, cells)) for cells in zip(*rows)]
    return "\n".join(
        "  ".join(cell.rjust(width) if is_right else cell.ljust(width)
                  for cell, width, is_right in zip(row, widths, right)).rstrip() for row in rows)


def markdown(rows):
    rows = [list(row) for row in rows]
    rule = ["---:" if is_right else "---" for is_right in alignments(rows)]
    return "\n".join("| " + " | ".join(row) + " |" for row in [rows[0], rule] + rows[1:])
