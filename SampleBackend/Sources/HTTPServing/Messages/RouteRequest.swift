import Foundation
package import HTTPTypes
package import JSONTree
package import NIOCore
import NIOFoundationEssentialsCompat
package import NIOHTTP1

/// An authenticated caller.
package protocol RequestCaller: Sendable {}

/// A request after routing, as its handler receives it.
package struct RouteRequest: Sendable {
    package let method: HTTPRequest.Method
    package let target: RequestTarget
    package let parameters: PathParameters
    package let headerFields: RequestFields
    /// Empty when there is none.
    package let body: ByteBuffer
    /// Nil when there is no connection.
    package let address: ClientAddress?
    /// The caller that the group's ``CallerRecognition`` found; nil for an anonymous one.
    package let caller: (any RequestCaller)?
    /// Nil when there is no connection.
    package let carried: CarriedValue?

    package init(
        method: HTTPRequest.Method, target: RequestTarget,
        parameters: PathParameters = PathParameters(),
        headerFields: RequestFields = RequestFields(), body: ByteBuffer = ByteBuffer(),
        address: ClientAddress? = nil, caller: (any RequestCaller)? = nil,
        carried: CarriedValue? = nil
    ) {
        self.method = method
        self.target = target
        self.parameters = parameters
        self.headerFields = headerFields
        self.body = body
        self.address = address
        self.caller = caller
        self.carried = carried
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

    /// The first value of a field that is defined to have only one.
    package func first(named name: String) -> String? { headers.first(name: name) }

    /// The value of a field by its lower-case name.
    package subscript(named name: String) -> String? {
        assert(!name.utf8.contains { (0x41...0x5A).contains($0) }, "\(name) has upper-case letters")
        var joined: String?
        for (other, value) in headers where other.isFieldName(name) {
            joined = joined.map { $0 + (name == "cookie" ? "; " : ", ") + value } ?? value
        }
        return joined
    }
}

extension String {
    /// Returns true when this is the given field name in any case; `name` consists of lower-case
    /// letters and hyphens.
    func isFieldName(_ name: String) -> Bool {
        guard utf8.count == name.utf8.count else { return false }
        var (left, right) = (self, name)
        return left.withUTF8 { left in
            right.withUTF8 { right in
                for index in 0..<left.count where unsafe left[index] | 0x20 != right[index] {
                    return false
                }
                return true
            }
        }
    }
}

extension HTTPHeaders {
    /// Trims spaces and tabs around the values (RFC 9110, 5.5), and replaces non-ASCII bytes with
    /// question marks.
    ///
    /// All fields that the server reads are ASCII, and comparing strings with many combining marks
    /// takes quadratic time.
    mutating func normalizeValues() {
        guard
            contains(where: { _, value in
                value.utf8.contains { $0 >= 0x80 } || value.utf8.first.map(Self.isBlank) == true
                    || value.utf8.last.map(Self.isBlank) == true
            })
        else { return }
        let fields = map { (name, value) in
            var bytes = value.utf8.drop(while: Self.isBlank)[...]
            while let last = bytes.last, Self.isBlank(last) { bytes.removeLast() }
            let ascii = bytes.map { $0 < 0x80 ? $0 : UInt8(ascii: "?") }
            return (name, String(decoding: ascii, as: UTF8.self))
        }
        self = HTTPHeaders(fields)
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }
}

extension RouteRequest {
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
