import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The parts of a request that no error or log may repeat: credentials, query and user.
struct RequestSecrets {
    /// Minimum length of a secret, in bytes; shorter ones would be found in any sentence.
    private static let minimumLength = 4
    private static let schemes: Set = ["basic", "bearer", "digest", "token"]

    private let values: Set<[UInt8]>

    init(_ request: URLRequest, userID: String?) {
        let fields = request.credentialFields.filter { $0.key.lowercased() != "content-type" }
        let values = fields.values.flatMap { Self.parts(ofField: $0) } + Self.parts(of: request.url)
        // Bytes are folded as ASCII only.
        let forms = (values + [userID ?? ""]).flatMap { [$0, $0.lowercased(), $0.uppercased()] }
        self.values = Set(
            forms.map { FoldedText($0).bytes }.filter { $0.count >= Self.minimumLength })
    }

    /// The text with an ellipsis in place of each secret, in any case and percent-encoding.
    func removed(from text: String) -> String {
        let folded = FoldedText(text)
        var isSecret = [Bool](repeating: false, count: text.utf8.count)
        for value in values where value.count <= folded.bytes.count {
            for start in 0...folded.bytes.count - value.count
            where folded.bytes[start...].starts(with: value) {
                for range in folded.ranges[start..<start + value.count] {
                    for place in range { isSecret[place] = true }
                }
            }
        }
        var result: [UInt8] = []
        for (place, byte) in text.utf8.enumerated() {
            if !isSecret[place] {
                result.append(byte)
            } else if place == 0 || !isSecret[place - 1] {
                result += Array("…".utf8)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// A header field's value, its parts, and the user and password of the scheme Basic.
    private static func parts(ofField value: String) -> [String] {
        let words = value.split(separator: " ").map(String.init)
        let pieces = value.split { " \t,;=:\"'".contains($0) }.map(String.init)
        var parts = (words + pieces).filter { !schemes.contains($0.lowercased()) }
        parts.append(value)
        if words.count == 2, words[0].lowercased() == "basic",
            let data = Data(base64Encoded: words[1])
        {
            let pair = String(decoding: data, as: UTF8.self)
            parts.append(pair)
            parts += pair.split(separator: ":", maxSplits: 1).map(String.init)
        }
        return parts
    }

    private static func parts(of url: URL?) -> [String] {
        let components = url.flatMap { URLComponents(url: $0, resolvingAgainstBaseURL: true) }
        return [components?.user, components?.password].compactMap(\.self)
            // An item without a value may be a key.
            + (components?.queryItems ?? []).map { $0.value ?? $0.name }
    }
}

/// The UTF-8 of a text in lower case, without percent-encoding, with the places of each byte in the
/// text.
private struct FoldedText {
    private(set) var bytes: [UInt8]
    private(set) var ranges: [Range<Int>]

    init(_ text: String) {
        bytes = Array(text.utf8)
        ranges = bytes.indices.map { $0..<$0 + 1 }
        // A proxy can have encoded a second time.
        for _ in 0..<3 where bytes.contains(UInt8(ascii: "%")) { decode() }
        bytes = bytes.map { byte in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte | 0x20
            // A space in a form.
            case UInt8(ascii: "+"): UInt8(ascii: " ")
            default: byte
            }
        }
    }

    private mutating func decode() {
        var decoded: (bytes: [UInt8], ranges: [Range<Int>]) = ([], [])
        var place = 0
        while place < bytes.count {
            var (byte, end) = (bytes[place], place + 1)
            if byte == UInt8(ascii: "%"), place + 2 < bytes.count,
                let high = Self.digit(bytes[place + 1]), let low = Self.digit(bytes[place + 2])
            {
                (byte, end) = (high << 4 | low, place + 3)
            }
            decoded.bytes.append(byte)
            decoded.ranges.append(ranges[place].lowerBound..<ranges[end - 1].upperBound)
            place = end
        }
        (bytes, ranges) = decoded
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        Character(Unicode.Scalar(byte)).hexDigitValue.map { UInt8($0) }
    }
}
