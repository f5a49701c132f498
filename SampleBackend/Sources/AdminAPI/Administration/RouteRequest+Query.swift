import Foundation
import HTTPServing
import JSONTree

extension RouteRequest {
    /// A Boolean parameter of the query; false when it is missing, true when it has no value.
    ///
    /// - Throws: A ``RequestError`` with status 400 when it is neither `true` nor `false`.
    func flag(named name: String) throws(RequestError) -> Bool {
        switch try target.query.lastValue(named: name)?.lowercased() {
        case nil, "false": return false
        case "true", "": return true
        default:
            throw .invalidArgument("The query parameter \(name) is wrong: send true or false.")
        }
    }

    /// An integer parameter of the query; nil when it is missing.
    ///
    /// - Throws: A ``RequestError`` with status 400 when it is not a whole number in the range.
    func wholeNumber(
        named name: String, in range: ClosedRange<Int>
    ) throws(RequestError) -> Int? {
        guard let text = try target.query.lastValue(named: name) else { return nil }
        if let number = Int(decimal: text), range.contains(number) { return number }
        let wanted =
            range.upperBound == Int.maximumDecimal
            ? "from \(range.lowerBound) on" : "from \(range.lowerBound) to \(range.upperBound)"
        throw .invalidArgument(
            "The query parameter \(name) is wrong: send a whole number \(wanted).")
    }

    /// A time parameter of the query; nil when it is missing.
    ///
    /// - Throws: A ``RequestError`` with status 400 when it is not in the format of RFC 3339.
    func date(named name: String) throws(RequestError) -> Date? {
        guard let text = try target.query.lastValue(named: name) else { return nil }
        if let date = Date(timestamp: text) { return date }
        throw .invalidArgument(
            "The query parameter \(name) is wrong: send a time such as 2026-01-31T12:00:00Z.")
    }
}

extension Int {
    /// The largest integer that requests may contain: 18 digits, which fit every client's integers.
    static let maximumDecimal = 999_999_999_999_999_999

    /// Parses an integer of a request: decimal digits without a sign or leading zeros.
    init?(decimal text: some StringProtocol) {
        guard text.utf8.count <= 18, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            text.utf8.count == 1 || text.utf8.first != 0x30
        else { return nil }
        self.init(text)
    }
}
