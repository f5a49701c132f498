"""Bar charts as SVG, for light and dark backgrounds."""

import math
from dataclasses import dataclass
from html import escape

WIDTH, LEFT, RIGHT = 760, 250, 110  # Names are left of the bars, labels right of them.
BAR, GAP = 18, 7

STYLE = """
text { font: 13px system-ui, sans-serif; fill: #1f2328 }
.small { font-size: 11px; fill: #59636e }
.title { font-size: 15px; font-weight: 600 }
.group { font-weight: 600 }
.name { text-anchor: end }
.axis { stroke: #d1d9e0 }
.target { stroke: #cf222e; stroke-width: 2 }
.bar { fill: #8c959f }
.ours { fill: #0969da }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 }
  .small { fill: #9198a1 }
  .axis { stroke: #3d444d }
  .target { stroke: #ff7b72 }
  .bar { fill: #656c76 }
  .ours { fill: #4493f8 }
}
"""


@dataclass
class Bar:
    name: str
    value: float
    label: str
    is_ours: bool = False


@dataclass
class Group:
    title: str
    bars: list
    # The target value, drawn as a line across the bars.
    target: float | None = None


class Scale:
    """Positions of values, linear from 0 or logarithmic."""

    def __init__(self, values, is_logarithmic):
        self.is_logarithmic, self.start = is_logarithmic, 0
        highest = max(values, default=1)
        if is_logarithmic:
            self.start = math.floor(math.log10(min(values, default=1)))
            self.end = max(1, math.ceil(math.log10(highest)))
            self.ticks = [10.0 ** power for power in range(self.start, self.end + 1)]
        else:
            step = next(step for step in (0.1, 0.2, 0.25, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, highest)
                        if highest / step <= 8)
            self.end = step * math.ceil(highest / step)
            self.ticks = [step * number for number in range(round(self.end / step) + 1)]

    def place(self, value):
        distance = (math.log10(value) if self.is_logarithmic else value) - self.start
        return LEFT + distance / (self.end - self.start) * (WIDTH - LEFT - RIGHT)


def write(path, title, unit, groups, captions, is_logarithmic=False):
    """Writes a chart of groups of bars whose values have the same unit."""
    scale = Scale([bar.value for group in groups for bar in group.bars]
                  + [group.target for group in groups if group.target], is_logarithmic)
    parts, y = [text(0, 16, title, "title")], 44
    top = y - 12
    for group in groups:
        parts.append(text(0, y, group.title, "group"))
        y += 10
        start = y
        for bar in group.bars:
            end = scale.place(bar.value)
            middle = y + BAR - 5
            parts += [text(LEFT - 8, middle, bar.name, "name"),
                      f'<rect class="bar{" ours" * bar.is_ours}" x="{LEFT}" y="{y}" width="{max(end - LEFT, 1):.1f}" '
                      f'height="{BAR}" rx="2"/>',
                      text(end + 6, middle, f"{bar.value:.3g}×  {bar.label}".strip(), "")]
            y += BAR + GAP
        if group.target:
            place = scale.place(group.target)
            parts.append(f'<line class="target" x1="{place:.1f}" x2="{place:.1f}" y1="{start - 3}" y2="{y - GAP + 3}"/>')
        y += 22
    y -= 10
    for tick in scale.ticks:
        place = scale.place(tick)
        parts.insert(0, f'<line class="axis" x1="{place:.1f}" x2="{place:.1f}" y1="{top}" y2="{y}"/>')
        parts.append(f'<text class="small" text-anchor="middle" x="{place:.1f}" y="{y + 14}">{tick:g}</text>')
    has_target = any(group.target for group in groups)
    captions = [unit + "; the line is the target" * has_target] + captions
    for number, caption in enumerate(captions):
        parts.append(text(0, y + 36 + 16 * number, caption, "small"))
    height = y + 36 + 16 * len(captions)
    with open(path, "w", encoding="utf-8") as file:
        file.write(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-10 -6 {WIDTH + 20} {height + 6}" width="{WIDTH}" '
                   f'role="img" aria-label="{escape(title)}">\n<style>{STYLE}</style>\n' + "\n".join(parts) + "\n</svg>\n")


def text(x, y, content, style):
    return f'<text class="{style}" x="{x:.1f}" y="{y}">{escape(content)}</text>'
