extension JSONReader {
    /// Position of a string that is not decoded yet.
    @usableFromInline
    package struct StringToken: Sendable {
        /// After the opening quotation mark.
        @usableFromInline package let start: Int
        /// At the closing quotation mark.
        @usableFromInline package let end: Int
        @usableFromInline package let isASCII: Bool
        @usableFromInline package let hasEscapes: Bool

        @inlinable @inline(__always)
        init(start: Int, end: Int, isASCII: Bool, hasEscapes: Bool) {
            self.start = start
            self.end = end
            self.isASCII = isASCII
            self.hasEscapes = hasEscapes
        }
    }

    /// Reads a string, such as a key; its opening quotation mark is next.
    ///
    /// - Returns: The string with its escapes replaced.
    /// - Throws: ``JSONFault`` when it is unterminated, not UTF-8, or contains a control character
    ///   or an unknown escape.
    @inlinable @inline(__always)
    public mutating func readString() throws(JSONFault) -> String {
        let token = try readStringToken()
        return try makeString(token)
    }

    /// Skips a string; its opening quotation mark is next.
    @inlinable @inline(__always)
    package mutating func readStringToken() throws(JSONFault) -> StringToken {
        offset &+= 1
        let start = offset
        var isASCII = true
        var hasEscapes = false
        while true {
            // Eight bytes a step, up to the first special one.
            while offset &+ 8 <= count {
                let word = UInt64(
                    littleEndian: unsafe bytes.loadUnaligned(
                        fromByteOffset: offset, as: UInt64.self))
                let marks = Self.marks(in: word)
                if marks != 0 {
                    offset &+= marks.trailingZeroBitCount / 8
                    break
                }
                offset &+= 8
            }
            guard offset < count else {
                throw unendedString()
            }
            let byte = unsafe bytes[offset]
            if byte == UInt8(ascii: "\"") {
                let end = offset
                offset &+= 1
                return StringToken(start: start, end: end, isASCII: isASCII, hasEscapes: hasEscapes)
            } else if byte == UInt8(ascii: "\\") {
                hasEscapes = true
                offset &+= 2
            } else if byte < 0x20 {
                throw controlCharacter(byte)
            } else {
                if byte >= 0x80 { isASCII = false }
                offset &+= 1
            }
        }
    }

    /// A word whose lowest set bit marks the first byte of `word` that is a quotation mark, a
    /// backslash, a control character or not ASCII; 0 when there is none.
    @inlinable @inline(__always)
    static func marks(in word: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let tops: UInt64 = 0x8080_8080_8080_8080
        let quotes = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
        let backslashes = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
        let controls = word &- (ones &* 0x20)
        let found =
            ((quotes &- ones) & ~quotes) | ((backslashes &- ones) & ~backslashes)
            | (controls & ~word) | word
        return found & tops
    }

    /// `constant` is ASCII without escapes.
    @inlinable @inline(__always)
    package mutating func isEqual(
        _ token: StringToken, to constant: StaticString
    ) throws(JSONFault) -> Bool {
        if !token.hasEscapes, token.isASCII {
            guard token.end &- token.start == constant.utf8CodeUnitCount else { return false }
            for index in 0..<constant.utf8CodeUnitCount
            where unsafe bytes[token.start &+ index] != constant.utf8Start[index] {
                return false
            }
            return true
        }
        return try makeString(token) == "\(constant)"
    }

    @inlinable @inline(__always)
    package mutating func makeString(_ token: StringToken) throws(JSONFault) -> String {
        if token.hasEscapes { return try makeStringWithEscapes(token) }
        let content = unsafe UnsafeRawBufferPointer(rebasing: bytes[token.start..<token.end])
        if token.isASCII { return unsafe String(decoding: content, as: UTF8.self) }
        return unsafe try validated(content, startingAt: token.start)
    }

    /// Decodes UTF-8 without escapes.
    @usableFromInline @inline(never)
    func validated(
        _ content: UnsafeRawBufferPointer, startingAt start: Int
    ) throws(JSONFault) -> String {
        if let string = unsafe UTF8Validity.string(of: content) { return string }
        throw JSONFault(
            .invalidUTF8, at: start + (unsafe UTF8Validity.firstFault(in: content) ?? 0),
            "a string holds bytes that are not UTF-8; save the document as UTF-8")
    }

    @usableFromInline @inline(never)
    mutating func makeStringWithEscapes(_ token: StringToken) throws(JSONFault) -> String {
        scratch.removeAll(keepingCapacity: true)
        var offset = token.start
        var runStart = offset
        while offset < token.end {
            guard unsafe bytes[offset] == UInt8(ascii: "\\") else {
                offset += 1
                continue
            }
            unsafe scratch.append(contentsOf: bytes[runStart..<offset])
            try appendEscape(at: &offset, end: token.end)
            runStart = offset
        }
        unsafe scratch.append(contentsOf: bytes[runStart..<token.end])
        let string = unsafe scratch.withUnsafeBytes { unsafe UTF8Validity.string(of: $0) }
        if let string { return string }
        let content = unsafe UnsafeRawBufferPointer(rebasing: bytes[token.start..<token.end])
        return unsafe try validated(content, startingAt: token.start)
    }

    /// Appends the character to `scratch` and moves `offset` past the escape.
    private mutating func appendEscape(at offset: inout Int, end: Int) throws(JSONFault) {
        let start = offset
        let letter = unsafe bytes[offset + 1]
        offset += 2
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): scratch.append(letter)
        case UInt8(ascii: "b"): scratch.append(0x08)
        case UInt8(ascii: "f"): scratch.append(0x0C)
        case UInt8(ascii: "n"): scratch.append(0x0A)
        case UInt8(ascii: "r"): scratch.append(0x0D)
        case UInt8(ascii: "t"): scratch.append(0x09)
        case UInt8(ascii: "u"):
            let unit = try readCodeUnit(at: &offset, end: end, escapeStart: start)
            var value = UInt32(unit)
            if UTF16.isLeadSurrogate(unit), offset + 1 < end,
                unsafe bytes[offset] == UInt8(ascii: "\\"),
                unsafe bytes[offset + 1] == UInt8(ascii: "u")
            {
                offset += 2
                let trail = try readCodeUnit(at: &offset, end: end, escapeStart: offset - 2)
                if UTF16.isTrailSurrogate(trail) {
                    value = 0x10000 + (UInt32(unit) & 0x3FF) << 10 + UInt32(trail) & 0x3FF
                }
            }
            guard let scalar = Unicode.Scalar(value) else {
                throw JSONFault(
                    .invalidEscape, at: start,
                    "an escape is half of a surrogate pair; write both halves, or the character")
            }
            scratch.append(contentsOf: UTF8.encode(scalar).map(Array.init) ?? [])
        default:
            throw JSONFault(
                .invalidEscape, at: start,
                "a string holds an unknown escape; known are "
                    + #"\" \\ \/ \b \f \n \r \t and \u with four hexadecimal digits"#)
        }
    }

    /// Reads four hexadecimal digits and moves `offset` past them.
    private func readCodeUnit(
        at offset: inout Int, end: Int, escapeStart: Int
    ) throws(JSONFault) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard offset < end,
                let digit = Character(Unicode.Scalar(unsafe bytes[offset])).hexDigitValue,
                unsafe bytes[offset] < 0x80
            else {
                throw JSONFault(
                    .invalidEscape, at: escapeStart,
                    "the escape \\u needs four hexadecimal digits")
            }
            unit = unit << 4 | UInt16(digit)
            offset += 1
        }
        return unit
    }
}

/// Validates UTF-8.
enum UTF8Validity {
    /// Nil when the bytes are not valid.
    @inline(__always)
    static func string(of bytes: UnsafeRawBufferPointer) -> String? {
        if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) {
            return unsafe String(validating: bytes, as: UTF8.self)
        }
        return unsafe firstFault(in: bytes) == nil ? String(decoding: bytes, as: UTF8.self) : nil
    }

    /// Offset of the first byte outside of a well-formed sequence.
    static func firstFault(in bytes: UnsafeRawBufferPointer) -> Int? {
        var decoder = Unicode.UTF8.ForwardParser()
        var iterator = unsafe bytes.makeIterator()
        var offset = 0
        while true {
            switch unsafe decoder.parseScalar(from: &iterator) {
            case .valid(let scalar): offset += scalar.count
            case .emptyInput: return nil
            case .error: return offset
            }
        }
    }
}
