import Foundation
import JSONTree

extension ConditionParser {
    /// Parses a text in single quotes; `\'` and `\\` are escapes for a quote and a backslash.
    ///
    /// `purpose` describes the text in errors: "a country".
    mutating func parseLiteral(_ purpose: String) throws(ConditionSyntaxError) -> String {
        let start = position
        if next == UInt8(ascii: "\"") {
            throw error("expected \(purpose) in single quotes; write ' instead of \"")
        }
        guard take("'") else {
            throw error("expected \(purpose) in single quotes, found \(found)")
        }
        var content: [UInt8] = []
        while let byte = next {
            position += 1
            switch byte {
            case UInt8(ascii: "'"): return String(decoding: content, as: UTF8.self)
            case UInt8(ascii: "\\"):
                if let escaped = next, isEscapable(escaped) {
                    position += 1
                    content.append(escaped)
                } else {
                    content.append(byte)
                }
            default: content.append(byte)
            }
        }
        throw error(at: start, "the text that begins here has no closing '; add one")
    }

    /// True when a backslash escapes the byte.
    private func isEscapable(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\\")
    }

    /// The byte offset in the expression of the Unicode scalar with index `offset` in the literal
    /// whose opening quote is at `start`.
    func place(ofScalar offset: Int, inLiteralAt start: Int) -> Int {
        var place = start + 1
        var scalars = 0
        while place < bytes.count, scalars < offset {
            if bytes[place] == UInt8(ascii: "\\"), place + 1 < bytes.count,
                isEscapable(bytes[place + 1])
            {
                place += 1
            }
            place += 1
            while place < bytes.count, bytes[place] & 0xC0 == 0x80 { place += 1 }
            scalars += 1
        }
        return place
    }

    /// Parses `['a', 'b']`, at least one text, each with the position of its quote.
    ///
    /// `purpose` describes each text in errors: "a country".
    mutating func parseList(
        _ purpose: String
    ) throws(ConditionSyntaxError) -> [(text: String, place: Int)] {
        guard take("[") else {
            throw error("expected a list in '[' and ']', found \(found); write ['…']")
        }
        var items: [(text: String, place: Int)] = []
        repeat {
            skipSpace()
            let place = position
            if items.isEmpty, isNext("]") {
                throw error("the list is empty; write at least one text in single quotes")
            }
            items.append((try parseLiteral(purpose), place))
            skipSpace()
        } while take(",")
        guard take("]") else { throw error("expected ',' or ']', found \(found)") }
        return items
    }

    /// Parses an opening parenthesis, which must follow a name without a space.
    ///
    /// `name` is what precedes it, for errors: ".contains".
    mutating func expectOpening(after name: String) throws(ConditionSyntaxError) {
        if take("(") { return }
        let start = position
        skipSpace()
        if next == UInt8(ascii: "("), position > start {
            throw error(at: start, "remove the space between \(name) and '('")
        }
        throw error(at: start, "expected '(' after \(name), found \(found)")
    }

    /// Parses a closing parenthesis.
    mutating func expectClosing() throws(ConditionSyntaxError) {
        skipSpace()
        guard take(")") else { throw error("expected ')', found \(found)") }
    }

    /// Parses `(['a', 'b'])`, which must follow a name without a space.
    mutating func parseArguments(
        of name: String, _ purpose: String
    ) throws(ConditionSyntaxError) -> [(text: String, place: Int)] {
        try expectOpening(after: name)
        skipSpace()
        guard next == UInt8(ascii: "[") else {
            throw error("expected a list after \(name)(; write \(name)(['…'])")
        }
        let items = try parseList(purpose)
        try expectClosing()
        return items
    }

    /// Parses `['key']`, which must follow the name of its element without a space.
    mutating func parseKey(of element: ConditionElement) throws(ConditionSyntaxError) -> String {
        guard take("[") else {
            throw error(
                "expected ['…'] with a name right after \(element.rawValue), found \(found)")
        }
        let place = position
        let key = try parseLiteral("a name")
        guard take("]") else { throw error("expected ']', found \(found)") }
        let wrongLength = error(
            at: place, "expected a name of 1 to \(Signals.maximumNameLength) characters")
        guard !key.isEmpty else { throw wrongLength }
        if key.isLonger(than: Signals.maximumNameLength) { try exceed(wrongLength) }
        return key
    }

    /// Skips digits and returns them; there may be none.
    private mutating func takeDigits() -> ArraySlice<UInt8> {
        let start = position
        while let byte = next, (0x30...0x39).contains(byte) { position += 1 }
        return bytes[start..<position]
    }

    /// Parses a number such as `-0.25`.
    ///
    /// - Throws: ``ConditionSyntaxError`` when there is no number, or it has too many digits.
    mutating func parseNumber() throws(ConditionSyntaxError) -> Double {
        let start = position
        if !take("-") { _ = take("+") }
        let whole = takeDigits().count
        let fraction = take(".") ? takeDigits().count : 0
        guard whole + fraction > 0 else {
            position = start
            throw error("expected a number, found \(found)")
        }
        guard whole <= 20, fraction <= 10 else {
            throw error(
                at: start, "a number has at most 20 digits before the point and 10 after it")
        }
        return ScriptNumber.value(of: text(from: start))
    }

    /// Parses a percentage exactly, in millionths of a percent, 0 to 100,000,000.
    mutating func parsePercentage() throws(ConditionSyntaxError) -> Int {
        let start = position
        let whole = takeDigits().drop { $0 == UInt8(ascii: "0") }
        guard position > start else {
            throw error("expected a number from 0 to 100, found \(found)")
        }
        var micro = whole.count > 3 ? 1000 : whole.reduce(0) { $0 * 10 + Int($1 & 0x0F) }
        var decimals: ArraySlice<UInt8> = []
        if take(".") {
            decimals = takeDigits()
            guard !decimals.isEmpty else { throw error("expected a digit, found \(found)") }
        }
        guard decimals.dropFirst(6).allSatisfy({ $0 == UInt8(ascii: "0") }) else {
            throw error(at: start, "a percentage has at most 6 decimals; round it")
        }
        for index in 0..<6 {
            let digit = index < decimals.count ? decimals[decimals.startIndex + index] : 0
            micro = micro * 10 + Int(digit & 0x0F)
        }
        guard micro <= Percentile.count else {
            let number = text(from: start).shortened
            throw error(at: start, "expected a number from 0 to 100, found \(number)")
        }
        if next == UInt8(ascii: "%") { throw error("write the number without '%'") }
        return micro
    }
}
