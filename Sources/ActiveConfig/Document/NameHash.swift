/// The hash of a name in a ``NameTable``: names that are equal as Swift strings have one hash.
enum NameHash {
    /// The hash of `name`.
    @inline(__always)
    static func hash(_ name: String) -> UInt32 {
        let fast = unsafe name.utf8.withContiguousStorageIfAvailable {
            (content: UnsafeBufferPointer<UInt8>) -> UInt32? in
            let bytes = UnsafeRawBufferPointer(content)
            return unsafe isASCII(bytes) ? hash(ofASCII: bytes) : nil
        }
        if case .some(.some(let hash)) = fast { return hash }
        return normalizedHash(name)
    }

    /// The hash of a name that is all ASCII.
    @inline(__always)
    static func hash(ofASCII bytes: UnsafeRawBufferPointer) -> UInt32 {
        UInt32(truncatingIfNeeded: unsafe ByteHash.hash(bytes, seed: ByteHash.processSeed))
    }

    /// The hash of a name that is not all ASCII.
    ///
    /// The standard library's own hash is taken, since only it is sure to normalize as `==` does:
    /// Foundation's tables may be of another version of Unicode. A name that equals one in ASCII
    /// hashes as that.
    @inline(never)
    private static func normalizedHash(_ name: String) -> UInt32 {
        if var plain = asciiForm(of: name) {
            return plain.withUTF8 { unsafe hash(ofASCII: UnsafeRawBufferPointer($0)) }
        }
        var hasher = Hasher()
        hasher.combine(name)
        return UInt32(truncatingIfNeeded: hasher.finalize())
    }

    /// The name in ASCII that equals `name`, or nil.
    ///
    /// Three characters outside ASCII are canonically equivalent to one in it; Unicode's stability
    /// policy allows no more.
    private static func asciiForm(of name: String) -> String? {
        var form = String.UnicodeScalarView()
        for scalar in name.unicodeScalars {
            switch scalar {
            case "\u{37E}": form.append(";")
            case "\u{1FEF}": form.append("`")
            case "\u{212A}": form.append("K")
            case _ where scalar.isASCII: form.append(scalar)
            default: return nil
            }
        }
        return String(form)
    }

    /// Whether no byte has its highest bit set.
    @inline(__always)
    private static func isASCII(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let count = bytes.count
        var bits: UInt64 = 0
        var offset = 0
        while offset &+ 8 <= count {
            unsafe bits |= bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            offset &+= 8
        }
        while offset < count {
            bits |= UInt64(unsafe bytes[offset])
            offset &+= 1
        }
        return bits & 0x8080_8080_8080_8080 == 0
    }
}
