extension JSONReader {
    /// The fault for something other than `expected`, or for the end of the text.
    ///
    /// - Parameter expected: The expected element, such as "an object".
    /// - Returns: The fault, at ``position``.
    public func unexpected(_ expected: String) -> JSONFault {
        guard let byte = next else {
            return JSONFault(
                .unexpectedEnd, at: offset, "the text ends where \(expected) is expected")
        }
        let found =
            switch byte {
            case 0x21..<0x7F: "\"\(Unicode.Scalar(byte))\""
            default: "the byte 0x\(String(byte, radix: 16, uppercase: true))"
            }
        return JSONFault(.syntax, at: offset, "found \(found) where \(expected) is expected")
    }

    @usableFromInline
    func unexpected(word: StaticString) -> JSONFault { unexpected("\"\(word)\"") }

    @usableFromInline
    func unexpectedItem(closing: UInt8) -> JSONFault {
        unexpected("\",\" or \"\(Unicode.Scalar(closing))\"")
    }

    @usableFromInline
    func tooDeep() -> JSONFault {
        JSONFault(
            .tooDeep, at: offset - 1,
            "arrays and objects are nested deeper than \(maximumDepth); flatten the value")
    }

    @usableFromInline
    func unendedString() -> JSONFault {
        JSONFault(.unexpectedEnd, at: count, "the text ends inside a string; close it with \"")
    }

    @usableFromInline
    func controlCharacter(_ byte: UInt8) -> JSONFault {
        JSONFault(
            .syntax, at: offset,
            "a string holds the control character 0x\(String(byte, radix: 16)); write it as an "
                + "escape")
    }

    @usableFromInline
    func leadingZero(at offset: Int) -> JSONFault {
        JSONFault(.syntax, at: offset, "a number starts with 0; leave the zeros out")
    }
}
