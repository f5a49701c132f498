import Foundation
import HTTPServing
import JSONTree

extension RouteRequest {
    /// Google's "standard query parameters", which every Google API accepts; they have no effect
    /// here.
    private static let systemParameters = [
        "access_token", "alt", "callback", "fields", "key", "oauth_token", "prettyPrint",
        "quotaUser", "uploadType", "upload_protocol", "$.xgafv",
    ]

    /// Checks that the query contains only parameters with the given names, in camel or snake case
    /// and each at most once, and those that Google's client libraries add.
    ///
    /// - Throws: A ``RequestError`` with status 400 that names the first unknown parameter.
    func checkQuery(knows names: [String]) throws(RequestError) {
        let forms = names.map(\.caseForms)
        let systemForms = Self.systemParameters.flatMap(\.caseForms)
        var given: Set<Int> = []
        for parameter in target.query {
            let shown = (parameter.name ?? "?").shortened
            if let name = parameter.name {
                if let index = forms.firstIndex(where: { $0.contains(where: name.hasSameBytes) }) {
                    guard given.insert(index).inserted else {
                        throw .invalidArgument(
                            "The query parameter \"\(shown)\" is given twice: send it once.")
                    }
                    continue
                }
                if systemForms.contains(where: name.hasSameBytes) {
                    // Some servers separate parameters with semicolons; here a parameter after one
                    // would be silently ignored.
                    guard parameter.value?.contains(";") != true else {
                        throw .invalidArgument(
                            "The query parameter \"\(shown)\" has a semicolon: separate "
                                + "parameters with &.")
                    }
                    continue
                }
            }
            let advice =
                names.isEmpty
                ? "send none" : "send \(names.joined(separator: ", ")) only, or none"
            throw .invalidArgument(
                "The query parameter \"\(shown)\" does not exist here: \(advice).")
        }
    }

    /// The object in the body; it may have only members with the given names.
    ///
    /// Otherwise a misspelled member would silently remove the value that it was meant to set.
    ///
    /// - Throws: A ``RequestError`` with status 400 that names the first unknown member.
    func jsonBody(knows names: [String]) throws(RequestError) -> JSONNode {
        let body = try jsonBody()
        try (body.objectValue ?? [:]).checkMembers(known: names, in: "")
        return body
    }

    /// The last value of a query parameter, whose name may be in camel or snake case, as in
    /// Google's APIs; nil when it is missing.
    ///
    /// - Throws: A ``RequestError`` with status 400 when it is not percent-encoded UTF-8.
    func queryValue(named name: String) throws(RequestError) -> String? {
        let forms = name.caseForms
        return try target.query.lastValue { forms.contains(where: $0.hasSameBytes) }
    }

    /// A Boolean query parameter; false when it is missing, true when it has no value.
    ///
    /// - Throws: A ``RequestError`` with status 400 when it is neither `true` nor `false`.
    func flag(named name: String) throws(RequestError) -> Bool {
        switch try queryValue(named: name)?.lowercased() {
        case nil, "false": return false
        case "true", "": return true
        default:
            throw .invalidArgument("The query parameter \(name) is invalid: send true or false.")
        }
    }

    /// An integer query parameter; nil when it is missing.
    ///
    /// - Throws: A ``RequestError`` with status 400 when it is not an integer in the range.
    func wholeNumber(
        named name: String, in range: ClosedRange<Int>
    ) throws(RequestError) -> Int? {
        guard let text = try queryValue(named: name) else { return nil }
        if let number = Int(decimal: text), range.contains(number) { return number }
        let wanted =
            range.upperBound == Int.maximumDecimal
            ? "of at least \(range.lowerBound)" : "from \(range.lowerBound) to \(range.upperBound)"
        throw .invalidArgument(
            "The query parameter \(name) is invalid: send an integer \(wanted).")
    }

    /// A time query parameter; nil when it is missing.
    ///
    /// - Throws: A ``RequestError`` with status 400 when it is not in the format of RFC 3339.
    func date(named name: String) throws(RequestError) -> Date? {
        guard let text = try queryValue(named: name) else { return nil }
        if let date = Date(timestamp: text) { return date }
        throw .invalidArgument(
            "The query parameter \(name) is invalid: send a time such as 2026-01-31T12:00:00Z.")
    }
}

extension NamedValues<JSONNode> {
    /// Checks that an object in a request has only members with the given names.
    ///
    /// `path` is its position followed by a dot; empty for the body.
    ///
    /// - Throws: A ``RequestError`` with status 400 that names the first unknown member.
    func checkMembers(known names: [String], in path: String) throws(RequestError) {
        guard let name = self.names.first(where: { !names.contains($0) }) else { return }
        throw .invalidArgument(
            "The member \"\(path)\(name.shortened)\" does not exist here: send "
                + "\(names.joined(separator: ", ")) only.")
    }
}

extension String {
    /// The name in camel case and in snake case: `pageSize` and `page_size`.
    var caseForms: [String] {
        [self, String(flatMap { $0.isUppercase ? "_\($0.lowercased())" : "\($0)" })]
    }
}

extension Int {
    /// The largest integer that requests may contain: 18 digits, which fit into 64 bits.
    static let maximumDecimal = 999_999_999_999_999_999

    /// Parses an integer of a request: decimal digits without a sign or leading zeros.
    init?(decimal text: some StringProtocol) {
        guard text.utf8.count <= 18, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            text.utf8.count == 1 || text.utf8.first != 0x30
        else { return nil }
        self.init(text)
    }
}

extension JSONNode {
    /// A Boolean member of a body; false when it is missing.
    ///
    /// - Throws: A ``RequestError`` with status 400 for anything else.
    func flag(named name: String) throws(RequestError) -> Bool {
        switch self[name] {
        case nil: return false
        case .bool(let flag): return flag
        case let other?:
            throw .invalidArgument("\(name) is \(other.kindDescription): send true or false.")
        }
    }
}
