extension String {
    /// The number of columns that a terminal uses for the text: two for an emoji or a wide East
    /// Asian character, none for a mark without a base.
    ///
    /// Terminals differ for some characters, so this is for alignment only: nothing is cut by it.
    var displayWidth: Int { reduce(0) { $0 + $1.displayWidth } }

    /// The text, followed by spaces up to a width.
    func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - displayWidth))
    }

    /// The text in quotation marks if its start or end would not be seen in a table.
    var quotedAtWhiteSpace: String {
        let hidesAnEnd = first?.isWhitespace ?? false || last?.isWhitespace ?? false
        return hidesAnEnd ? "\"\(self)\"" : self
    }
}

extension Character {
    fileprivate var displayWidth: Int {
        guard let first = unicodeScalars.first else { return 0 }
        let properties = first.properties
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control: return 0
        default: break
        }
        // U+FE0F asks for the coloured picture of a character that is also a letter or a sign.
        let isEmoji =
            properties.isEmojiPresentation
            || properties.isEmoji && unicodeScalars.contains("\u{FE0F}")
        return isEmoji || Self.wide.contains { $0.contains(first.value) } ? 2 : 1
    }

    /// The ranges of the East Asian widths W and F (UAX 11), without emoji.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97F,
        0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60,
        0xFFE0...0xFFE6, 0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF, 0x1F200...0x1F265,
        0x20000...0x3FFFD,
    ]
}
