/// A reader of JSON text, token by token, from the start to the end.
///
/// It reads RFC 8259 with one leniency, a comma before a closing bracket (FORMAT 1.2). It builds no
/// tree: the caller decides what to do with a value. Nothing in it is recursive.
///
/// The backend of this project uses it to read templates, in which the order of keys counts.
@_spi(JSON)
@safe  // Each offset is compared with the count before a byte is read.
public struct JSONReader {
    /// The text.
    ///
    /// It outlives the reader, by `ConfigurationState.init(jsonData:limits:)`.
    public let bytes: UnsafeRawBufferPointer
    let count: Int
    /// The offset of the next byte.
    public internal(set) var position = 0
    let maximumDepth: Int
    /// Number of open arrays and objects.
    var depth = 0

    /// Buffer for a string with escapes.
    var scratch: [UInt8] = []
    /// Stacks of `readContainer`: elements, keys and the containers that they belong to.
    var pendingValues: [SettingValue] = []
    var pendingKeys: [String] = []
    var openContainers: [OpenContainer] = []

    struct OpenContainer {
        let isObject: Bool
        /// Index into `pendingValues`.
        let firstValue: Int
        /// Index into `pendingKeys`.
        let firstKey: Int
    }

    /// Creates a reader at the start of `bytes`.
    public init(_ bytes: UnsafeRawBufferPointer, maximumDepth: Int) {
        unsafe self.bytes = bytes
        count = bytes.count
        self.maximumDepth = maximumDepth
    }

    /// The next byte, or nil at the end.
    @inline(__always)
    public var next: UInt8? {
        position < count ? unsafe bytes[position] : nil
    }

    /// Skips white space.
    @inline(__always)
    public mutating func skipWhiteSpace() {
        while position < count {
            switch unsafe bytes[position] {
            case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"):
                position &+= 1
            default: return
            }
        }
    }

    /// Skips a byte order mark (FORMAT 1.1).
    public mutating func skipByteOrderMark() {
        if unsafe bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    }

    /// Skips white space and then `byte`; false when another byte is next.
    @inline(__always)
    mutating func take(_ byte: UInt8) -> Bool {
        skipWhiteSpace()
        guard next == byte else { return false }
        position &+= 1
        return true
    }

    /// Skips the opening bracket of an array or object.
    @inline(__always)
    public mutating func takeOpeningBracket() throws(JSONFault) {
        position &+= 1
        try enter()
    }

    @inline(__always)
    mutating func enter() throws(JSONFault) {
        depth &+= 1
        if depth > maximumDepth {
            throw JSONFault(
                .tooDeep, at: position - 1,
                "arrays and objects are nested deeper than \(maximumDepth); flatten the value")
        }
    }

    /// Moves to the key of the open object's next member; false, after the closing bracket, when there
    /// is none.
    @inline(__always)
    public mutating func nextMember(isFirst: Bool) throws(JSONFault) -> Bool {
        guard try nextItem(isFirst: isFirst, closing: UInt8(ascii: "}")) else { return false }
        guard next == UInt8(ascii: "\"") else {
            throw unexpected("a key in quotation marks or \"}\"")
        }
        return true
    }

    /// Moves to the open array's next element; false, after the closing bracket, when there is none.
    @inline(__always)
    public mutating func nextElement(isFirst: Bool) throws(JSONFault) -> Bool {
        try nextItem(isFirst: isFirst, closing: UInt8(ascii: "]"))
    }

    /// Skips the comma before the next item, or the closing bracket.
    @inline(__always)
    private mutating func nextItem(isFirst: Bool, closing: UInt8) throws(JSONFault) -> Bool {
        skipWhiteSpace()
        if !isFirst, next == UInt8(ascii: ",") {
            position &+= 1
            skipWhiteSpace()
        } else if !isFirst, next != closing {
            throw unexpected("\",\" or \"\(Unicode.Scalar(closing))\"")
        }
        guard next == closing else { return true }
        position &+= 1
        depth &-= 1
        return false
    }

    /// Skips the colon after a key, up to the value.
    @inline(__always)
    public mutating func takeColon() throws(JSONFault) {
        guard take(UInt8(ascii: ":")) else { throw unexpected("\":\" after a key") }
        skipWhiteSpace()
    }

    /// Skips white space, and throws unless the text ends there.
    public mutating func expectEnd() throws(JSONFault) {
        skipWhiteSpace()
        if next != nil {
            throw JSONFault(
                .contentAfterDocument, at: position,
                "something follows the document; remove all behind its end")
        }
    }

    /// The fault that something other than `expected` is next.
    public func unexpected(_ expected: String) -> JSONFault {
        guard let byte = next else {
            return JSONFault(.unexpectedEnd, at: position, "the text ends where \(expected) is due")
        }
        let found =
            switch byte {
            case 0x21..<0x7F: "\"\(Unicode.Scalar(byte))\""
            default: "the byte 0x\(String(byte, radix: 16, uppercase: true))"
            }
        return JSONFault(.syntax, at: position, "found \(found) where \(expected) is due")
    }
}

@available(*, unavailable)
extension JSONReader: Sendable {}
