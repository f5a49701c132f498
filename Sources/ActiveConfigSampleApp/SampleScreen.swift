/// The view as text: a block of its colour with its label, and its button.
enum SampleScreen {
    private static let width = 58

    /// The view; in colour on a terminal, with the numbers of the colour elsewhere.
    static func text(of view: SampleViewConfiguration, caption: String) -> String {
        let parts = [view.red, view.green, view.blue].map { "\(($0 * 1000).rounded() / 1000)" }
        let button = view.isButtonEnabled ? "[ Button ]" : "( Button, disabled )"
        guard Terminal.hasColors else {
            return """
                View (\(caption))
                  color:  red \(parts[0]), green \(parts[1]), blue \(parts[2])
                  label:  \(view.label)
                  button: \(view.isButtonEnabled ? "enabled" : "disabled")
                """
        }
        let background = [view.red, view.green, view.blue].map(level)
        // Black on light, white on dark, by the eye's weights for the three colours.
        let luminance =
            0.299 * clamped(view.red) + 0.587 * clamped(view.green) + 0.114 * clamped(view.blue)
        let foreground = luminance > 0.5 ? "30" : "97"
        let style =
            "\u{1B}[48;2;\(background.map(String.init).joined(separator: ";"));\(foreground)m"
        let dim = view.isButtonEnabled ? "\u{1B}[1m" : "\u{1B}[2m"
        let lines = [
            line("", style), line(view.label, style), line("", style),
            line(button, style + dim), line("", style),
        ]
        return "\u{1B}[2m\(caption)\u{1B}[0m\n" + lines.joined(separator: "\n")
    }

    /// A line of the block, its text in the middle.
    private static func line(_ text: String, _ style: String) -> String {
        let shown = text.count > width - 2 ? text.prefix(width - 3) + "…" : text[...]
        let left = (width - shown.count) / 2
        let right = width - shown.count - left
        return style + String(repeating: " ", count: left) + shown
            + String(repeating: " ", count: right) + "\u{1B}[0m"
    }

    /// A part of a colour as a terminal takes it, 0 to 255.
    private static func level(_ part: Double) -> Int { Int((clamped(part) * 255).rounded()) }

    private static func clamped(_ part: Double) -> Double { min(max(part, 0), 1) }
}
