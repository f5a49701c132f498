import Foundation
import HTTPServing
import JSONTree

/// Sends the requests of administrators to a server or to a store in this process.
protocol AdministrationTransport: Sendable {
    /// Returns the response, whatever its status.
    ///
    /// - Throws: A ``CommandFailure`` when there is no response.
    func send(_ request: AdministrationRequest) async throws -> AdministrationAnswer

    func close() async
}

/// A request of an administrator (API 3).
struct AdministrationRequest: Sendable {
    var method = "GET"

    /// The path and the query, percent-encoded.
    let path: String

    var ifMatch: String?

    /// True to create a resource, and fail when there is one: `If-None-Match: *`.
    var isNew = false

    var body: Data?

    /// True for a request other than `GET` that stores nothing.
    var isTrial = false

    var changesStore: Bool { method != "GET" && !isTrial }
}

/// The response to an administrator's request.
struct AdministrationAnswer: Sendable {
    let status: Int
    let entityTag: String?

    /// The texts of the `Warning` fields.
    let warnings: [String]

    let body: Data

    /// Prints the warnings to standard error.
    func printWarnings() {
        for warning in warnings {
            Terminal.printError("\(Terminal.colored("Warning:", .yellow)) \(warning)")
        }
    }
}

extension AdministrationTransport {
    /// Sends a request and requires a 2xx status.
    ///
    /// `template` is the template in the request; it
    /// supplies the excerpts around problems.
    ///
    /// - Throws: A ``CommandFailure`` with the server's reason.
    func perform(
        _ request: AdministrationRequest, template: JSONNode? = nil
    ) async throws -> AdministrationAnswer {
        let answer = try await send(request)
        guard (200..<300).contains(answer.status) else {
            throw CommandFailure(answer, template: template)
        }
        return answer
    }

    /// Does the same as ``perform(_:template:)``, but returns the body as JSON.
    func json(
        _ request: AdministrationRequest, template: JSONNode? = nil
    ) async throws -> JSONNode {
        try await perform(request, template: template).json
    }

    /// All entries of a list that the server gives in pages.
    ///
    /// - Parameters:
    ///   - path: The path, with a query or without.
    ///   - member: The member of the response that has the entries.
    /// - Returns: The entries in their order.
    /// - Throws: A ``CommandFailure``.
    func list(_ path: String, _ member: String) async throws -> [JSONNode] {
        var found: [JSONNode] = []
        var pageToken: String?
        repeat {
            let token = pageToken.map { "&pageToken=\($0.percentEncoded)" } ?? ""
            let start = path.contains("?") ? "&" : "?"
            let page = try await json(
                AdministrationRequest(path: path + start + "pageSize=50" + token))
            found += page[member]?.arrayValue ?? []
            pageToken = page["nextPageToken"]?.stringValue
        } while pageToken != nil
        return found
    }
}

extension AdministrationAnswer {
    /// The entity tag in the form that the commands print and `--if-match` accepts.
    var shownTag: String? { entityTag?.unquotedTag }

    /// - Throws: A ``CommandFailure`` when the body is not JSON.
    var json: JSONNode {
        get throws {
            do {
                return try JSONNode(jsonData: body)
            } catch {
                throw CommandFailure(
                    "The server's response is not JSON: check --server.",
                    code: Exit.unavailable)
            }
        }
    }
}

/// Parses the header field `Warning` (RFC 7234, 5.5).
enum WarningField: Sendable {
    /// The quoted texts of one or several values: `199 - "text", 199 - "text"`.
    static func texts(_ value: String) -> [String] {
        value.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
            .filter { !$0.offset.isMultiple(of: 2) }.map { String($0.element) }
    }
}

extension String {
    /// The entity tag without surrounding white space, such as the line end in the output of
    /// `curl`.
    var trimmedTag: String { trimmingCharacters(in: .whitespacesAndNewlines) }

    /// An entity tag without `W/` and quotation marks.
    var unquotedTag: String {
        let opaque = hasPrefix("W/") ? dropFirst(2) : self[...]
        return opaque.count >= 2 && opaque.hasPrefix("\"") && opaque.hasSuffix("\"")
            ? String(opaque.dropFirst().dropLast()) : self
    }
}
