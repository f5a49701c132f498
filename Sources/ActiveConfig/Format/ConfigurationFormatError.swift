import ActiveConfigJSON
public import Foundation

/// Describes why and where a document cannot be used.
///
/// ```text
/// Line 4, column 17, byte 71, in config_sections.Home.settings.title.value: a string holds the
/// control character 0x9; write it as an escape.
/// ```
public struct ConfigurationFormatError: Error, Sendable, Hashable {
    /// The kind of fault.
    ///
    /// Codes may be added: keep a `default` when you switch over it.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        let base: JSONFault.Code

        init(_ base: JSONFault.Code) { self.base = base }

        /// The text is not JSON as defined by RFC 8259 (FORMAT 1.2).
        public static let syntax = Code(.syntax)
        /// The text is not valid UTF-8 (FORMAT 1.5).
        public static let invalidUTF8 = Code(.invalidUTF8)
        /// A string contains an unknown escape or an unpaired surrogate (FORMAT 1.5).
        public static let invalidEscape = Code(.invalidEscape)
        /// A number is beyond `Double`'s range (FORMAT 4.1).
        public static let numberOutOfRange = Code(.numberOutOfRange)
        /// The text is empty or ends in the middle of the document.
        public static let unexpectedEnd = Code(.unexpectedEnd)
        /// Something other than white space follows the document (FORMAT 1.2).
        public static let contentAfterDocument = Code(.contentAfterDocument)
        /// The text is longer than ``ConfigurationLimits/maximumSize`` (FORMAT 1.4).
        public static let tooLarge = Code(.tooLarge)
        /// Arrays and objects are nested deeper than ``ConfigurationLimits/maximumDepth``
        /// (FORMAT 1.4).
        public static let tooDeep = Code(.tooDeep)
        /// The document is not an object (FORMAT 1.1).
        public static let notAnObject = Code(.init("notAnObject"))
        /// `meta` is absent or not an object (FORMAT 2.1).
        public static let metaMissing = Code(.init("metaMissing"))
        /// `config_sections` is absent or not an object (FORMAT 3.1).
        public static let sectionsMissing = Code(.init("sectionsMissing"))
        /// A downloaded document has no section; it would switch everything off (FORMAT 3.1).
        public static let noSections = Code(.init("noSections"))
        /// The document's major version is newer than this framework reads (FORMAT 2.2).
        public static let unsupportedFormatVersion = Code(.init("unsupportedFormatVersion"))
        /// A dictionary holds a value that the format cannot represent.
        public static let unsupportedValue = Code(.init("unsupportedValue"))

        /// The code's name, such as `tooDeep`.
        public var description: String { base.description }
    }

    /// The kind of fault.
    public let code: Code
    /// The fault's place in the text, in bytes from 0; nil when the configuration did not come
    /// from text.
    public let byteOffset: Int?
    /// The fault's line, from 1; nil when the configuration did not come from text.
    public let line: Int?
    /// The fault's column in its line, from 1, in Unicode scalars; nil when the configuration did
    /// not come from text.
    public let column: Int?
    /// The path reached, such as `config_sections.Home.settings`; "" at the document itself.
    public let path: String
    /// The fault and what to do, without the place.
    public let reason: String
    /// The status of the answer that the document came in; nil when it came in none.
    public internal(set) var status: Int?
    /// The URL that was asked for the document, without parts that may hold secrets: query,
    /// fragment, user, password; nil when it came from elsewhere.
    public internal(set) var url: URL?

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The kind of fault.
    ///   - reason: The fault and what to do, a sentence without its full stop.
    ///   - path: The path reached.
    ///   - byteOffset: The place in the text, in bytes from 0.
    ///   - line: The line, from 1.
    ///   - column: The column, from 1.
    public init(
        _ code: Code, reason: String, path: String = "", byteOffset: Int? = nil, line: Int? = nil,
        column: Int? = nil
    ) {
        self.code = code
        self.reason = reason
        self.path = path
        self.byteOffset = byteOffset
        self.line = line
        self.column = column
    }
}

extension ConfigurationFormatError: CustomStringConvertible {
    /// One sentence with the place, the fault and what to do; preceded by a sentence with the
    /// server and the status if the document came in an answer.
    public var description: String {
        guard let status else { return sentence }
        let server = url.map { "The server at \($0.absoluteString)" } ?? "The server"
        return "\(server) answered with status \(status) and no usable document. \(sentence)"
    }

    private var sentence: String {
        let place = path.isEmpty ? "the document" : path
        guard let line, let column, let byteOffset else { return "In \(place): \(reason)." }
        return "Line \(line), column \(column), byte \(byteOffset), in \(place): \(reason)."
    }
}
