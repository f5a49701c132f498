import ActiveConfig
package import Foundation
package import HTTPTypes
package import JSONTree
package import NIOCore
import NIOFoundationEssentialsCompat
package import NIOHTTP1

/// A request after routing, as its handler receives it.
package struct RouteRequest: Sendable {
    package let method: HTTPRequest.Method
    package let target: RequestTarget
    /// Decoded values of the path's parameters, by name.
    package let parameters: [String: String]
    package let headerFields: RequestFields
    /// Empty when there is none.
    package let body: ByteBuffer
    /// Nil when there is no connection.
    package let address: ClientAddress?
    /// The caller that the group's ``CallerRecognition`` found; nil for an anonymous one.
    package let caller: (any Sendable)?

    package init(
        method: HTTPRequest.Method, target: RequestTarget, parameters: [String: String] = [:],
        headerFields: RequestFields = RequestFields(), body: ByteBuffer = ByteBuffer(),
        address: ClientAddress? = nil, caller: (any Sendable)? = nil
    ) {
        self.method = method
        self.target = target
        self.parameters = parameters
        self.headerFields = headerFields
        self.body = body
        self.address = address
        self.caller = caller
    }
}

/// The header fields of a request.
package struct RequestFields: Sendable {
    private let headers: HTTPHeaders

    package init(_ headers: HTTPHeaders = HTTPHeaders()) {
        self.headers = headers
    }

    /// The value of a field; repeated fields are joined into one list (RFC 9110, 5.2).
    package subscript(name: HTTPField.Name) -> String? { self[named: name.canonicalName] }

    /// The first value of a field that has only one by its definition.
    package func first(named name: String) -> String? { headers.first(name: name) }

    /// The value of a field; the name is case-insensitive.
    package subscript(named name: String) -> String? {
        let values = headers[name]
        guard values.count > 1 else { return values.first }
        return values.joined(separator: name.lowercased() == "cookie" ? "; " : ", ")
    }
}

extension RouteRequest {
    /// A Boolean parameter of the query; false when it is missing, true when it has no value.
    ///
    /// - Throws: A ``RequestError`` with status 400 when it is neither `true` nor `false`.
    package func flag(named name: String) throws(RequestError) -> Bool {
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
    package func wholeNumber(
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
    package func date(named name: String) throws(RequestError) -> Date? {
        guard let text = try target.query.lastValue(named: name) else { return nil }
        if let date = Date(timestamp: text) { return date }
        throw .invalidArgument(
            "The query parameter \(name) is wrong: send a time such as 2026-01-31T12:00:00Z.")
    }

    /// The body as a JSON object.
    ///
    /// - Throws: A ``RequestError`` with status 400 when it is not valid JSON, or not an object.
    package func jsonBody() throws(RequestError) -> JSONNode {
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
    /// The largest integer that requests may contain: 18 digits, which fit every client's integers.
    package static let maximumDecimal = 999_999_999_999_999_999

    /// Parses an integer of a request: decimal digits without a sign or leading zeros.
    package init?(decimal text: some StringProtocol) {
        guard text.utf8.count <= 18, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            text.utf8.count == 1 || text.utf8.first != 0x30
        else { return nil }
        self.init(text)
    }
}
