/// Reads JSON text, token by token, from start to end.
///
/// It accepts RFC 8259 with one leniency, a comma before a closing bracket. It builds no tree: the
/// caller decides what to do with a value. It is not recursive.
///
/// ```swift
/// let text = Array(#"{"a": 1, "b": 2}"#.utf8)
/// let names = try JSONReader.read(text, maximumSize: 1_000, maximumDepth: 8) {
///     (json) throws(JSONFault) in
///     guard json.next == UInt8(ascii: "{") else { throw json.unexpected("an object") }
///     try json.takeOpeningBracket()
///     var names: [String] = []
///     while try json.nextMember(isFirst: names.isEmpty) {
///         names.append(try json.readString())
///         try json.takeColon()
///         _ = try json.readScalar()
///     }
///     return names
/// }
/// print(names)  // ["a", "b"]
/// ```
///
/// A reader is valid while ``read(_:maximumSize:maximumDepth:readValue:)`` runs. Keep no copy: it
/// does not retain the text.
@safe  // The text outlives it, and each offset is compared with the count before a byte is read.
public struct JSONReader {
    // Functions called for each token are inlined into the caller's module, since the calls would
    // cost more than their work; strings with escapes, fractions and faults are not.

    @usableFromInline package let bytes: UnsafeRawBufferPointer
    @usableFromInline package let count: Int
    /// Storage of ``position``, whose setter inlined code could not use.
    @usableFromInline package var offset = 0
    @usableFromInline let maximumDepth: Int
    /// Number of open arrays and objects.
    @usableFromInline var depth = 0
    /// Buffer for a string with escapes.
    var scratch: [UInt8] = []

    private init(_ bytes: UnsafeRawBufferPointer, maximumDepth: Int) {
        unsafe self.bytes = bytes
        count = bytes.count
        self.maximumDepth = maximumDepth
    }

    /// Reads a text that consists of one value.
    ///
    /// A byte order mark and white space around the value are skipped.
    ///
    /// - Parameters:
    ///   - text: The text, UTF-8.
    ///   - maximumSize: The maximum length of the text, in bytes.
    ///   - maximumDepth: The maximum nesting of arrays and objects; it bounds recursion in
    ///     `readValue`.
    ///   - readValue: Reads the value, from its first byte up to the byte after it.
    /// - Returns: The result of `readValue`.
    /// - Throws: ``JSONTextError``, a ``JSONFault`` with its place, when the text exceeds
    ///   `maximumSize`, when `readValue` throws, or when something follows the value.
    public static func read<Value>(
        _ text: some Collection<UInt8>, maximumSize: Int, maximumDepth: Int,
        readValue: (inout JSONReader) throws(JSONFault) -> Value
    ) throws(JSONTextError) -> Value {
        // Not a span: those of arrays and data need iOS 26.
        let result = text.withContiguousStorageIfAvailable { bytes in
            Result { () throws(JSONTextError) in
                unsafe try read(
                    UnsafeRawBufferPointer(bytes), maximumSize: maximumSize,
                    maximumDepth: maximumDepth, readValue: readValue)
            }
        }
        if let result { return try result.get() }
        return try read(
            Array(text), maximumSize: maximumSize, maximumDepth: maximumDepth,
            readValue: readValue)
    }

    private static func read<Value>(
        _ bytes: UnsafeRawBufferPointer, maximumSize: Int, maximumDepth: Int,
        readValue: (inout JSONReader) throws(JSONFault) -> Value
    ) throws(JSONTextError) -> Value {
        do throws(JSONFault) {
            try JSONFault.check(size: bytes.count, limit: maximumSize)
            var json = unsafe JSONReader(bytes, maximumDepth: maximumDepth)
            json.skipByteOrderMark()
            json.skipWhiteSpace()
            let value = try readValue(&json)
            try json.expectEnd()
            return value
        } catch {
            throw unsafe JSONTextError(error, in: bytes)
        }
    }

    /// The position of the next byte, in bytes from 0.
    @inlinable @inline(__always)
    public var position: Int { offset }

    /// The next byte, or nil at the end.
    @inlinable @inline(__always)
    public var next: UInt8? {
        offset < count ? unsafe bytes[offset] : nil
    }

    /// Skips the opening bracket of an array or object, which is next.
    ///
    /// - Throws: ``JSONFault/Code/tooDeep`` when more arrays and objects are open than allowed.
    @inlinable @inline(__always)
    public mutating func takeOpeningBracket() throws(JSONFault) {
        offset &+= 1
        depth &+= 1
        if depth > maximumDepth { throw tooDeep() }
    }

    /// Moves to the key of the open object's next member, or past the closing bracket.
    ///
    /// - Parameter isFirst: True directly after the opening bracket, where no comma is expected.
    /// - Returns: True when a member follows; the quotation mark of its key is next.
    /// - Throws: ``JSONFault`` when something else is next.
    @inlinable @inline(__always)
    public mutating func nextMember(isFirst: Bool) throws(JSONFault) -> Bool {
        guard try nextItem(isFirst: isFirst, closing: UInt8(ascii: "}")) else { return false }
        guard next == UInt8(ascii: "\"") else {
            throw unexpected("a key in quotation marks or \"}\"")
        }
        return true
    }

    /// Moves to the open array's next element, or past the closing bracket.
    ///
    /// - Parameter isFirst: True directly after the opening bracket, where no comma is expected.
    /// - Returns: True when an element follows; its first byte is next.
    /// - Throws: ``JSONFault`` when there is no comma before it.
    @inlinable @inline(__always)
    public mutating func nextElement(isFirst: Bool) throws(JSONFault) -> Bool {
        try nextItem(isFirst: isFirst, closing: UInt8(ascii: "]"))
    }

    /// Skips the comma before the next item, or the closing bracket.
    @inlinable @inline(__always)
    mutating func nextItem(isFirst: Bool, closing: UInt8) throws(JSONFault) -> Bool {
        skipWhiteSpace()
        if !isFirst, next == UInt8(ascii: ",") {
            offset &+= 1
            skipWhiteSpace()
        } else if !isFirst, next != closing {
            throw unexpectedItem(closing: closing)
        }
        guard next == closing else { return true }
        offset &+= 1
        depth &-= 1
        return false
    }

    /// Skips the colon after a key, and white space around it.
    ///
    /// - Throws: ``JSONFault`` when it is missing.
    @inlinable @inline(__always)
    public mutating func takeColon() throws(JSONFault) {
        skipWhiteSpace()
        guard next == UInt8(ascii: ":") else { throw unexpected("\":\" after a key") }
        offset &+= 1
        skipWhiteSpace()
    }

    /// The text from an earlier ``position`` to the current one, such as a number as it was
    /// written.
    ///
    /// - Parameter start: The earlier position; any other number is a programmer's mistake, and
    ///   traps.
    /// - Returns: The text, with invalid UTF-8 replaced.
    public func text(from start: Int) -> String {
        let end = min(offset, count)
        precondition(0...end ~= start, "Text is read from an earlier position of the reader.")
        return unsafe String(decoding: bytes[start..<end], as: UTF8.self)
    }

    @inlinable @inline(__always)
    package mutating func skipWhiteSpace() {
        while offset < count {
            switch unsafe bytes[offset] {
            case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"):
                offset &+= 1
            default: return
            }
        }
    }

    /// FORMAT 1.1.
    private mutating func skipByteOrderMark() {
        if unsafe bytes.starts(with: [0xEF, 0xBB, 0xBF]) { offset = 3 }
    }

    /// Skips white space, and throws unless the text ends there.
    package mutating func expectEnd() throws(JSONFault) {
        skipWhiteSpace()
        if next != nil {
            throw JSONFault(
                .contentAfterDocument, at: offset,
                "something follows the document; remove all behind its end")
        }
    }
}

@available(*, unavailable)
extension JSONReader: Sendable {}
