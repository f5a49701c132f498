/// A fault of a JSON text with its byte offset, thrown during reading.
///
/// Line, column and path require a second pass: see ``JSONTextError``.
public struct JSONFault: Error, Sendable, Hashable {
    /// The kind of fault.
    ///
    /// A module that reads its own format can add codes:
    ///
    /// ```swift
    /// extension JSONFault.Code {
    ///     static let unknownUnit = JSONFault.Code("unknownUnit")
    /// }
    /// ```
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The text is not JSON as defined by RFC 8259.
        public static let syntax = Code("syntax")
        /// The text is not valid UTF-8.
        public static let invalidUTF8 = Code("invalidUTF8")
        /// A string contains an unknown escape or an unpaired surrogate.
        public static let invalidEscape = Code("invalidEscape")
        /// A number is beyond `Double`'s range.
        public static let numberOutOfRange = Code("numberOutOfRange")
        /// The text is empty or ends in the middle of the value.
        public static let unexpectedEnd = Code("unexpectedEnd")
        /// Something other than white space follows the value.
        public static let contentAfterDocument = Code("contentAfterDocument")
        /// The text exceeds the size limit.
        public static let tooLarge = Code("tooLarge")
        /// Arrays and objects exceed the depth limit.
        public static let tooDeep = Code("tooDeep")

        /// The code's name, such as `tooDeep`.
        public let description: String

        /// Creates a code; codes with the same name are equal.
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
