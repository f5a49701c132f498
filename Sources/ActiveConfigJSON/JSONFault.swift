/// A fault of a JSON text and its byte offset, thrown while the text is read.
///
/// Its line, column and path take a second reading: see ``JSONTextError``.
public struct JSONFault: Error, Sendable, Hashable {
    /// The kind of fault.
    ///
    /// A module that reads a format of its own adds codes:
    ///
    /// ```swift
    /// extension JSONFault.Code {
    ///     static let unknownUnit = JSONFault.Code("unknownUnit")
    /// }
    /// ```
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The text is not JSON as RFC 8259 has it.
        public static let syntax = Code("syntax")
        /// The text is not valid UTF-8.
        public static let invalidUTF8 = Code("invalidUTF8")
        /// An escape in a string is unknown, or an unpaired surrogate.
        public static let invalidEscape = Code("invalidEscape")
        /// A number is beyond `Double`'s range.
        public static let numberOutOfRange = Code("numberOutOfRange")
        /// The text ends in the middle of the value, or is empty.
        public static let unexpectedEnd = Code("unexpectedEnd")
        /// Something other than white space follows the value.
        public static let contentAfterDocument = Code("contentAfterDocument")
        /// The text is longer than allowed.
        public static let tooLarge = Code("tooLarge")
        /// Arrays and objects are nested deeper than allowed.
        public static let tooDeep = Code("tooDeep")

        /// The code's name, such as `tooDeep`.
        public let description: String

        /// Creates a code; codes of one name are equal.
        ///
        /// - Parameter name: The code's name, in lower camel case.
        public init(_ name: String) { description = name }
    }

    /// The kind of fault.
    public let code: Code
    /// The fault's place, in bytes from 0.
    public let offset: Int
    /// The fault and what to do.
    public let reason: String

    /// Creates a fault.
    ///
    /// - Parameters:
    ///   - code: The kind of fault.
    ///   - offset: Its place, in bytes from 0, such as ``JSONReader/position``.
    ///   - reason: The fault and what to do, a sentence without its full stop.
    public init(_ code: Code, at offset: Int, _ reason: String) {
        self.code = code
        self.offset = offset
        self.reason = reason
    }

    /// Checks a text's size against its limit, both in bytes (FORMAT 1.4).
    static func check(size: Int, limit: Int) throws(JSONFault) {
        guard size > limit else { return }
        throw JSONFault(
            .tooLarge, at: limit,
            "the document has \(size) bytes, over the limit of \(limit); send less, or raise the "
                + "limit")
    }
}
