import Crypto
public import Foundation
public import JSONTree
public import Templates

/// A setting or a condition that differs from the one in another project on purpose.
///
/// Comparisons list it apart and promotions leave it out while both projects have what they had when
/// it was marked.
public struct IntendedDifference: Sendable, Hashable {
    /// What one project had when the difference was marked.
    public struct Content: Sendable, Hashable {
        /// The SHA-256 of the parts that decide values, in hexadecimal; nil when the project did not
        /// have the setting.
        public let digest: String?

        /// These parts as JSON; nil when they are longer than ``IntendedDifference/maximumTextBytes``.
        public let text: String?

        /// Describes what a template has, as ``RemoteConfigTemplate/deciding(_:)`` returns it.
        public init(_ node: JSONNode?) {
            let data = node?.jsonData()
            digest = data.map { Data(SHA256.hash(data: $0)).hexadecimal }
            text = data.flatMap { data in
                data.count > IntendedDifference.maximumTextBytes
                    ? nil : String(decoding: data, as: UTF8.self)
            }
        }

        fileprivate init(digest: String?, text: String?) {
            self.digest = digest
            self.text = text
        }

        /// True while a template has the same.
        public func isSame(as other: Content) -> Bool { digest == other.digest }
    }

    /// Maximum number of marks of a project.
    public static let maximumCount = 100

    /// Maximum size of the marks of a project as engines store them, in bytes.
    public static let maximumBytes = 64_000

    /// Maximum length of a note, in characters.
    public static let maximumNoteLength = 500

    /// Maximum size of the text of a content, in bytes.
    static let maximumTextBytes = 300

    /// The other project.
    public let other: ExactText

    /// What differs.
    public let subject: ComparedSubject

    /// Why it differs.
    public let note: String

    /// The person who marked it, or the name of a token without an owner.
    public let author: String

    /// The time.
    public let date: Date

    /// What the project had then.
    public let this: Content

    /// What the other project had then.
    public let that: Content

    /// Creates a mark.
    public init(
        other: ExactText, subject: ComparedSubject, note: String, author: String, date: Date,
        this: Content, that: Content
    ) {
        self.other = other
        self.subject = subject
        self.note = note
        self.author = author
        self.date = date.roundedToMilliseconds
        self.this = this
        self.that = that
    }
}

extension IntendedDifference: Codable {
    /// The mark as engines store it; with names of one letter, since a project can have many.
    private struct Record: Codable {
        let o: String
        var s: String?
        var k: String?
        var c: String?
        let n: String
        let a: String
        let t: Int64
        var d: String?
        var v: String?
        var e: String?
        var w: String?
    }

    /// Reads a mark.
    public init(from decoder: any Decoder) throws {
        let record = try Record(from: decoder)
        let subject: ComparedSubject
        switch (record.s, record.k, record.c) {
        case (let section?, let key?, nil):
            subject = .setting(SettingPlace(section: section, key: key))
        case (nil, nil, let name?): subject = .condition(ExactText(name))
        default:
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "no setting or condition"))
        }
        self.init(
            other: ExactText(record.o), subject: subject, note: record.n, author: record.a,
            date: Date(millisecondsSince1970: record.t),
            this: Content(digest: record.d, text: record.v),
            that: Content(digest: record.e, text: record.w))
    }

    /// Writes the mark.
    public func encode(to encoder: any Encoder) throws {
        var record = Record(
            o: other.text, n: note, a: author, t: date.millisecondsSince1970, d: this.digest,
            v: this.text, e: that.digest, w: that.text)
        switch subject {
        case .setting(let place): (record.s, record.k) = (place.section.text, place.key.text)
        case .condition(let name): record.c = name.text
        }
        try record.encode(to: encoder)
    }
}

/// The marks of a project as engines store them.
///
/// Reading leaves out damaged ones, since only comparisons depend on them.
package struct IntendedDifferenceList: Sendable, Codable {
    package let marks: [IntendedDifference]

    /// Creates a list; nil without marks.
    package init?(_ marks: [IntendedDifference]) {
        if marks.isEmpty { return nil }
        self.marks = marks
    }

    package init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        var marks: [IntendedDifference] = []
        while !container.isAtEnd {
            let element = try container.superDecoder()
            if let mark = try? IntendedDifference(from: element) { marks.append(mark) }
        }
        self.marks = marks
    }

    package func encode(to encoder: any Encoder) throws { try marks.encode(to: encoder) }
}

extension [IntendedDifference] {
    /// The marks as engines store them; nil without any.
    package var record: Data? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Encoding texts and numbers cannot fail.
        return IntendedDifferenceList(self).flatMap { try? encoder.encode($0) }
    }

    /// Reads stored marks.
    package init(record: Data?) {
        let list = record.flatMap {
            try? JSONDecoder().decode(IntendedDifferenceList.self, from: $0)
        }
        self = list?.marks ?? []
    }
}
