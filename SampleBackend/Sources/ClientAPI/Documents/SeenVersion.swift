import Foundation
import HTTPServing
import HTTPTypes
import Templates

/// The newest version that a client has seen, at this server or at another replica.
///
/// A client must never go back to an older version, so a server that is behind the client answers
/// only after it has caught up with the store.
package enum SeenVersion: Sendable, Hashable {
    case number(Int)
    /// A version published at this time or later, in seconds since 1970.
    case time(Int)

    /// Maximum number of digits; longer numbers are ignored.
    private static let maximumDigits = 15

    /// True when a version is the seen one or a later one.
    func isReached(by version: TemplateVersion) -> Bool {
        switch self {
        case .number(let number): number <= version.number
        case .time(let seconds): seconds <= version.updateSeconds
        }
    }

    /// The version in a request for a document: that of the client's document (PROTOCOL 1).
    init?(ofDocument fields: RequestFields) {
        guard let text = fields[named: DocumentAnswers.versionFieldName],
            let number = Self.number(text[...])
        else { return nil }
        self = .number(number)
    }

    /// The version in a request for flags: the later of that of the client's flags and that of the
    /// event that caused the request (API 4).
    init?(ofFlags request: RouteRequest) throws(RequestError) {
        let query = request.target.query
        let tags = [
            request.headerFields[.ifNoneMatch], try query.lastValue(named: "flagConfigEtag"),
        ]
        if let number = tags.compactMap({ $0.flatMap(Self.number(ofTag:)) }).max() {
            self = .number(number)
        } else if let text = try query.lastValue(named: "flagConfigLastModified"),
            let seconds = Self.number(text[...])
        {
            self = .time(seconds)
        } else {
            return nil
        }
    }

    /// The tag with which an event announces the flags of a version.
    static func announcedTag(of version: TemplateVersion) -> String { "\"\(version.number)\"" }

    /// The number at the start of a flags tag, up to a hyphen or the end; nil for other tags and
    /// for a list of tags.
    private static func number(ofTag text: String) -> Int? {
        // Compares bytes: characters may have many combining marks, which takes seconds.
        let quote = UInt8(ascii: "\"")
        var tag = text.utf8[...]
        if tag.starts(with: "W/".utf8) { tag = tag.dropFirst(2) }
        if tag.first == quote, tag.count > 1, tag.last == quote { tag = tag.dropFirst().dropLast() }
        return number(Substring(tag.prefix { $0 != UInt8(ascii: "-") }))
    }

    private static func number(_ text: Substring) -> Int? {
        let isNumber =
            !text.isEmpty && text.utf8.count <= maximumDigits
            && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
        return isNumber ? Int(text) : nil
    }
}

extension TemplateVersion {
    /// The time of the publish in seconds since 1970, rounded down.
    var updateSeconds: Int { Int(updateTime.timeIntervalSince1970.rounded(.down)) }
}
