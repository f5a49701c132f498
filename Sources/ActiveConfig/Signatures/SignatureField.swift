import Foundation

/// The header field `ActiveConfig-Signature`, a dictionary of RFC 8941:
/// `keyid="2026-11", expires=1795348800, version=12, sig=:…:`.
struct SignatureField: Sendable, Equatable {
    let keyID: String
    /// In seconds since 1970.
    let expires: Int
    let version: Int
    let signature: Data

    /// Nil when a member is missing, is no value of its kind, or stands there twice.
    ///
    /// Unknown members and parameters are passed over.
    init?(_ text: String) {
        var parser = StructuredDictionary(Array(text.utf8))
        guard let members = parser.members() else { return nil }
        guard case .string(let keyID)? = members["keyid"], Self.isKeyID(keyID),
            case .number(let expires)? = members["expires"], let expires = Int(wireDigits: expires),
            case .number(let version)? = members["version"], let version = Int(wireDigits: version),
            case .bytes(let signature)? = members["sig"], !signature.isEmpty
        else { return nil }
        (self.keyID, self.expires, self.version) = (keyID, expires, version)
        self.signature = signature
    }

    private static func isKeyID(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
                    UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}

/// Reads a dictionary of structured field values (RFC 8941, 4.2.2).
private struct StructuredDictionary {
    enum Item {
        case string(String)
        /// Its text.
        case number(String)
        case bytes(Data)
        /// A kind that no member of ours has.
        case other
    }

    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Nil when the text is no dictionary, or has a member twice.
    mutating func members() -> [String: Item]? {
        var members: [String: Item] = [:]
        skipSpaces()
        while position < bytes.count {
            guard let key = key(), members[key] == nil else { return nil }
            var item = Item.other
            if take("=") {
                guard let value = value() else { return nil }
                item = value
            }
            guard skipParameters() else { return nil }
            members[key] = item
            skipSpaces()
            if position == bytes.count { break }
            guard take(",") else { return nil }
            skipSpaces()
            // A comma at the end.
            if position == bytes.count { return nil }
        }
        return members
    }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func skipSpaces() {
        while next == UInt8(ascii: " ") || next == UInt8(ascii: "\t") { position += 1 }
    }

    private mutating func text(while isPart: (UInt8) -> Bool) -> String {
        let start = position
        while let byte = next, isPart(byte) { position += 1 }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private mutating func key() -> String? {
        let key = text { byte in
            Self.isLower(byte) || Self.isDigit(byte) || "_-.*".utf8.contains(byte)
        }
        guard let first = key.utf8.first, Self.isLower(first) || first == UInt8(ascii: "*") else {
            return nil
        }
        return key
    }

    /// An item or an inner list.
    private mutating func value() -> Item? {
        guard take("(") else { return item() }
        while true {
            skipSpaces()
            if take(")") { return .other }
            guard item() != nil, skipParameters() else { return nil }
        }
    }

    private mutating func item() -> Item? {
        guard let first = next else { return nil }
        switch first {
        case UInt8(ascii: "\""): return string()
        case UInt8(ascii: ":"): return byteSequence()
        case UInt8(ascii: "?"):
            position += 1
            return take("0") || take("1") ? .other : nil
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            return .number(text { Self.isDigit($0) || "-.".utf8.contains($0) })
        case UInt8(ascii: "*"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            _ = text { byte in
                Self.isLower(byte) || Self.isDigit(byte)
                    || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
                    || "!#$%&'*+-.^_`|~:/".utf8.contains(byte)
            }
            return .other
        default: return nil
        }
    }

    private mutating func string() -> Item? {
        position += 1
        var content: [UInt8] = []
        while let byte = next {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return .string(String(decoding: content, as: UTF8.self))
            case UInt8(ascii: "\\"):
                guard let escaped = next, "\"\\".utf8.contains(escaped) else { return nil }
                position += 1
                content.append(escaped)
            case 0x20...0x7E: content.append(byte)
            default: return nil
            }
        }
        return nil
    }

    private mutating func byteSequence() -> Item? {
        position += 1
        let base64 = text { $0 != UInt8(ascii: ":") }
        guard take(":"), let data = Data(base64Encoded: base64),
            // No spelling but the one.
            data.base64EncodedString() == base64
        else { return nil }
        return .bytes(data)
    }

    /// False when there is something that is no parameter.
    private mutating func skipParameters() -> Bool {
        while take(";") {
            skipSpaces()
            guard key() != nil else { return false }
            if take("="), item() == nil { return false }
        }
        return true
    }

    private static func isLower(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
