import ActiveConfig
package import Foundation
package import HTTPTypes
package import JSONTree
package import NIOCore
import NIOFoundationEssentialsCompat
package import NIOHTTP1

/// A request as the handler of its route sees it.
package struct RouteRequest: Sendable {
    package let method: HTTPRequest.Method
    package let target: RequestTarget
    /// Decoded values of the pattern's parameters, by name.
    package let parameters: [String: String]
    package let headerFields: RequestFields
    /// Empty when there is none.
    package let body: ByteBuffer
    /// The client's address; nil when there is no connection.
    package let address: ClientAddress?
    /// Who sends it, as the ``CallerRecognition`` of its group says; nil for everybody else.
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

/// The header fields of a request, as NIO decoded them.
package struct RequestFields: Sendable {
    private let headers: HTTPHeaders

    package init(_ headers: HTTPHeaders = HTTPHeaders()) {
        self.headers = headers
    }

    /// The value of a field; several of one name are one list (RFC 9110, 5.2).
    package subscript(name: HTTPField.Name) -> String? { self[named: name.canonicalName] }

    /// The value of a field by its name in any case.
    package subscript(named name: String) -> String? {
        let values = headers[name]
        guard values.count > 1 else { return values.first }
        return values.joined(separator: name.lowercased() == "cookie" ? "; " : ", ")
    }
}

extension RouteRequest {
    /// A truth value of the query; false when it is missing.
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

    /// A whole number of the query, or nil when it is missing.
    ///
    /// - Throws: A ``RequestError`` with status 400 when it is none, or not in the range.
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

    /// A time of the query, or nil when it is missing.
    ///
    /// - Throws: A ``RequestError`` with status 400 when it is none of RFC 3339.
    package func date(named name: String) throws(RequestError) -> Date? {
        guard let text = try target.query.lastValue(named: name) else { return nil }
        if let date = Date(timestamp: text) { return date }
        throw .invalidArgument(
            "The query parameter \(name) is wrong: send a time such as 2026-01-31T12:00:00Z.")
    }

    /// The body as JSON.
    ///
    /// - Throws: A ``RequestError`` with status 400 when it is none, or no object.
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
    /// The largest number that is read from a request: 18 digits, which each program can hold.
    package static let maximumDecimal = 999_999_999_999_999_999

    /// Reads a number as it stands in a request: digits alone, without zeros before them.
    package init?(decimal text: some StringProtocol) {
        guard text.utf8.count <= 18, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            text.utf8.count == 1 || text.utf8.first != 0x30
        else { return nil }
        self.init(text)
    }
}
