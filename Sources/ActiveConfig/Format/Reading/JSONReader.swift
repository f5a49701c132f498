/// A reader of JSON text, token by token, from the start to the end.
///
/// It reads RFC 8259 with one leniency, a comma before a closing bracket (FORMAT 1.2). It keeps no
/// tree: who calls it decides what becomes of a value. Nothing in it is recursive.
///
/// The backend of this project reads templates with it, in which the order of keys counts.
@_spi(JSON)
@safe  // Each offset is compared with the count before a byte is read.
public struct JSONReader {
    /// The text.
    ///
    /// It outlives the reader, by `ConfigurationState.init(jsonData:limits:)`.
    public let bytes: UnsafeRawBufferPointer
    /// The number of bytes.
    let count: Int
    /// The offset of the next byte.
    public internal(set) var position = 0
    /// The greatest number of arrays and objects in one another.
    let maximumDepth: Int
    /// The number of arrays and objects that are open now.
    var depth = 0

    /// Bytes of a string with escapes, while it is put together.
    var scratch: [UInt8] = []
    /// Elements of the arrays and objects that are open in `readContainer`.
    var pendingValues: [SettingValue] = []
    /// Keys of the objects that are open in `readContainer`.
    var pendingKeys: [String] = []
    /// The arrays and objects that are open in `readContainer`.
    var openContainers: [OpenContainer] = []

    /// An array or object that is being read.
    struct OpenContainer {
        /// Whether it is an object.
        let isObject: Bool
        /// Where its elements start in `pendingValues`.
        let firstValue: Int
        /// Where its keys start in `pendingKeys`.
        let firstKey: Int
    }

    /// Makes a reader at the start of `bytes`.
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

    /// Goes past white space.
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

    /// Goes past a byte order mark (FORMAT 1.1).
    public mutating func skipByteOrderMark() {
        if unsafe bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    }

    /// Goes past white space and then, if `byte` is next, past it too, and says whether it was.
    @inline(__always)
    mutating func take(_ byte: UInt8) -> Bool {
        skipWhiteSpace()
        guard next == byte else { return false }
        position &+= 1
        return true
    }

    /// Goes past the opening bracket that is next, of an array or an object.
    @inline(__always)
    public mutating func takeOpeningBracket() throws(JSONFault) {
        position &+= 1
        try enter()
    }

    /// Counts an array or object whose opening bracket was just taken.
    @inline(__always)
    mutating func enter() throws(JSONFault) {
        depth &+= 1
        if depth > maximumDepth {
            throw JSONFault(
                .tooDeep, at: position - 1,
                "arrays and objects are nested deeper than \(maximumDepth); flatten the value")
        }
    }

    /// Goes to the next member of the object that is open: to its key's quotation mark.
    ///
    /// Past the closing bracket, and false, when there is none.
    @inline(__always)
    public mutating func nextMember(isFirst: Bool) throws(JSONFault) -> Bool {
        guard try nextItem(isFirst: isFirst, closing: UInt8(ascii: "}")) else { return false }
        guard next == UInt8(ascii: "\"") else {
            throw unexpected("a key in quotation marks or \"}\"")
        }
        return true
    }

    /// Goes to the next element of the array that is open; past the closing bracket, and false, when
    /// there is none.
    @inline(__always)
    public mutating func nextElement(isFirst: Bool) throws(JSONFault) -> Bool {
        try nextItem(isFirst: isFirst, closing: UInt8(ascii: "]"))
    }

    /// Goes over the comma, if one is due, to the next item, or past the closing bracket.
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

    /// Goes past the colon behind a key, to the value.
    @inline(__always)
    public mutating func takeColon() throws(JSONFault) {
        guard take(UInt8(ascii: ":")) else { throw unexpected("\":\" after a key") }
        skipWhiteSpace()
    }

    /// Goes past white space, and throws unless the text ends there.
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
