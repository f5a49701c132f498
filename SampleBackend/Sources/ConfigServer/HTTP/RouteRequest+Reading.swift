import ActiveConfig
import Foundation
import HTTPTypes
import JSONTree
import NIOCore
import NIOFoundationEssentialsCompat
import Templates

extension RouteRequest {
    /// The project of the path; `default` on the paths that name none.
    var project: String { parameters["project"] ?? "default" }

    /// What a client sends to be let in.
    var credentials: ClientAccess.Credentials {
        ClientAccess.Credentials(
            apiKey: HTTPField.Name("X-API-Key").flatMap { headerFields[$0] },
            authorization: headerFields[.authorization])
    }

    /// Who asks, as a version names its publisher.
    var user: TemplateVersion.User { TemplateVersion.User(name: administrator?.name) }

    /// The way the request comes in.
    var origin: TemplateVersion.Origin {
        administrator?.usesConsole == true ? .console : .restAPI
    }

    /// A truth value of the query; false when it is missing.
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

    /// A whole number of the query, or nil when it is missing.
    ///
    /// - Throws: A ``RequestError`` with status 400 when it is none, or not in the range.
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

    /// A time of the query, or nil when it is missing.
    ///
    /// - Throws: A ``RequestError`` with status 400 when it is none of RFC 3339.
    func date(named name: String) throws(RequestError) -> Date? {
        guard let text = try target.query.lastValue(named: name) else { return nil }
        if let date = Date(timestamp: text) { return date }
        throw .invalidArgument(
            "The query parameter \(name) is wrong: send a time such as 2026-01-31T12:00:00Z.")
    }

    /// The body as JSON.
    ///
    /// - Throws: A ``RequestError`` with status 400 when it is none, or no object.
    func jsonBody() throws(RequestError) -> JSONNode {
        let node: JSONNode
        do {
            node = try JSONNode(jsonData: Data(buffer: body))
        } catch {
            throw .invalidArgument("The body is not valid JSON. \(error)")
        }
        guard case .object = node else {
            throw .invalidArgument("The body is \(node.kindDescription): send an object.")
        }
        return node
    }
}

extension Int {
    /// The largest number that is read from a request: 18 digits, which each program can hold.
    static let maximumDecimal = 999_999_999_999_999_999

    /// Reads a number as it stands in a request: digits alone, without zeros before them.
    init?(decimal text: some StringProtocol) {
        guard text.utf8.count <= 18, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            text.utf8.count == 1 || text.utf8.first != 0x30
        else { return nil }
        self.init(text)
    }
}

extension JSONNode {
    /// The number of a version, which is a string or a number; nil for anything else.
    var versionNumber: Int? {
        switch self {
        case .string(let text): return Int(decimal: text)
        case .number(let text):
            // 3.0 is a whole number to JSON Schema, and what some clients write for 3.
            let number = Int(decimal: text) ?? Double(text).flatMap { Int(exactly: $0) }
            return number.flatMap { (0...Int.maximumDecimal).contains($0) ? $0 : nil }
        default: return nil
        }
    }
}
