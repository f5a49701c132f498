/// Writes JSON text, token by token.
///
/// It escapes strings; the caller writes brackets, commas and white space.
///
/// ```swift
/// var json = JSONWriter()
/// json.write(UInt8(ascii: "{"))
/// json.write(key: "name")
/// json.write("A \"B\"")
/// json.write(UInt8(ascii: "}"))
/// print(String(decoding: json.bytes, as: UTF8.self))  // {"name":"A \"B\""}
/// ```
public struct JSONWriter: Sendable {
    /// Storage of ``bytes``, whose setter inlined code could not use.
    @usableFromInline var text: [UInt8] = []

    /// Creates a writer with an empty text.
    public init() {}

    /// The text so far, UTF-8.
    public var bytes: [UInt8] { text }

    /// Reserves capacity for more bytes.
    package mutating func reserve(_ count: Int) { text.reserveCapacity(text.count + count) }

    /// Appends a byte, such as a bracket or a comma, unchanged.
    ///
    /// - Parameter byte: The byte.
    @inlinable
    public mutating func write(_ byte: UInt8) { text.append(byte) }

    /// Appends text unchanged.
    ///
    /// - Parameter literal: JSON text, such as `null`.
    @inlinable
    public mutating func write(raw literal: StaticString) {
        unsafe text.append(
            contentsOf: UnsafeBufferPointer(
                start: literal.utf8Start, count: literal.utf8CodeUnitCount))
    }

    /// Appends a number unchanged.
    ///
    /// - Parameter digits: The number's JSON text, such as a description of an `Int` or of a finite
    ///   `Double`.
    public mutating func write(number digits: String) { text.append(contentsOf: digits.utf8) }

    /// Appends an integer.
    package mutating func write(integer: Int) {
        if integer < 0 { write(UInt8(ascii: "-")) }
        // 64 bits have at most 20 digits.
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var rest = integer.magnitude
            var start = digits.count
            repeat {
                start -= 1
                unsafe digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            } while rest > 0
            unsafe text.append(contentsOf: UnsafeMutableBufferPointer(rebasing: digits[start...]))
        }
    }

    /// Appends a key in quotation marks, and its colon.
    ///
    /// - Parameter key: The key; characters that JSON does not allow are escaped.
    public mutating func write(key: String) {
        write(key)
        write(UInt8(ascii: ":"))
    }

    /// Appends a string in quotation marks.
    ///
    /// - Parameter string: The string; characters that JSON does not allow are escaped.
    public mutating func write(_ string: String) {
        write(UInt8(ascii: "\""))
        var string = string
        string.withUTF8 { content in
            var runStart = 0
            var index = 0
            while index < content.count {
                // Eight bytes a step, up to the first special one.
                if content.count &- index >= 8 {
                    let marks = JSONReader.marks(
                        in: UInt64(
                            littleEndian: unsafe UnsafeRawBufferPointer(content).loadUnaligned(
                                fromByteOffset: index, as: UInt64.self)))
                    index &+= marks.trailingZeroBitCount / 8
                    if marks == 0 { continue }
                }
                let byte = unsafe content[index]
                if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
                    unsafe text.append(
                        contentsOf: UnsafeBufferPointer(rebasing: content[runStart..<index]))
                    writeEscape(byte)
                    runStart = index + 1
                }
                index &+= 1
            }
            unsafe text.append(contentsOf: UnsafeBufferPointer(rebasing: content[runStart...]))
        }
        write(UInt8(ascii: "\""))
    }

    private mutating func writeEscape(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): write(raw: #"\""#)
        case UInt8(ascii: "\\"): write(raw: #"\\"#)
        case 0x0A: write(raw: #"\n"#)
        case 0x0D: write(raw: #"\r"#)
        case 0x09: write(raw: #"\t"#)
        default:
            let digits = String(byte, radix: 16)
            text.append(contentsOf: (digits.count == 1 ? #"\u000"# : #"\u00"#).utf8)
            text.append(contentsOf: digits.utf8)
        }
    }
}
