import ActiveConfig
import Foundation

/// The header field `ActiveConfig-Signature` (*Client protocol*, section 1):
/// `keyid="2026-11", expires=1795348800, version=12, sig=:…:`.
struct SignatureField: Sendable, Equatable {
    let keyID: String
    /// In seconds since 1970.
    let expires: Int
    let version: Int
    let signature: Data

    /// Nil when a member is missing, has a value of another kind, or occurs twice.
    ///
    /// Unknown members and parameters are ignored.
    init?(_ text: String) {
        guard let members = Self.members(of: text),
            let keyID = members["keyid"]?.content(between: "\""), Self.isKeyID(keyID),
            let expires = members["expires"].flatMap({ Int(wireDigits: String($0)) }),
            let version = members["version"].flatMap({ Int(wireDigits: String($0)) }),
            let base64 = members["sig"]?.content(between: ":"),
            let signature = Data(base64Encoded: base64), !signature.isEmpty,
            // Accepts only the canonical spelling.
            signature.base64EncodedString() == base64
        else { return nil }
        (self.keyID, self.expires, self.version) = (keyID, expires, version)
        self.signature = signature
    }

    /// The members' values by key, without parameters; nil when one has no key or occurs twice.
    private static func members(of text: String) -> [String: Substring.UnicodeScalarView]? {
        var members: [String: Substring.UnicodeScalarView] = [:]
        for member in Substring(text).unicodeScalars.split(atUnquoted: ",") {
            let item = member.trimmed.split(atUnquoted: ";")[0]
            let key = item.prefix { $0 != "=" }
            let value = item.dropFirst(key.count + 1)
            if key.isEmpty || members.updateValue(value, forKey: String(key)) != nil { return nil }
        }
        return members
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

extension Substring.UnicodeScalarView {
    /// The parts between the separators outside of quoted strings.
    fileprivate func split(atUnquoted separator: Unicode.Scalar) -> [Self] {
        var isQuoted = false
        var isEscaped = false
        return split(omittingEmptySubsequences: false) { scalar in
            if scalar == "\"", !isEscaped { isQuoted.toggle() }
            isEscaped = scalar == "\\" && isQuoted && !isEscaped
            return scalar == separator && !isQuoted
        }
    }

    fileprivate var trimmed: Self {
        var trimmed = drop { Self.isSpace($0) }
        while let last = trimmed.last, Self.isSpace(last) { trimmed.removeLast() }
        return trimmed
    }

    private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
        scalar == " " || scalar == "\t"
    }

    /// Nil when it does not start and end with the mark.
    fileprivate func content(between mark: Unicode.Scalar) -> String? {
        count >= 2 && first == mark && last == mark ? String(dropFirst().dropLast()) : nil
    }
}
