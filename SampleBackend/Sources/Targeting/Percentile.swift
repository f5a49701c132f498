import Crypto

/// A user's percentile, which decides `percent`.
///
/// The percentile is the SHA-256 of the seed, a dot and the user's ID (of the ID alone without a
/// seed), in UTF-8, read as one big-endian number, modulo 100,000,000. Firebase's server SDKs
/// compute the same, so both sides select the same users.
public enum Percentile: Sendable {
    /// The number of percentiles: one for each millionth of a percent.
    public static let count = 100_000_000

    /// Computes a user's percentile.
    ///
    /// - Parameters:
    ///   - seed: The seed of the rule; empty when it has none.
    ///   - id: The user's ID. Without a user, or with an empty ID, a rule on `percent` is unknown
    ///     and this value is not used.
    /// - Returns: The percentile, from 0 to 99,999,999.
    public static func micro(seed: String, id: String) -> Int {
        micro(of: message(seed: seed, id: id))
    }

    /// The hash input of a user, in UTF-8; the seed may be empty.
    static func message(seed: String, id: String) -> [UInt8] {
        var message = prefix(seed: seed)
        message.append(contentsOf: id.utf8)
        return message
    }

    /// The hash input before the user's ID, in UTF-8; the seed may be empty.
    static func prefix(seed: String) -> [UInt8] {
        seed.isEmpty ? [] : Array(seed.utf8) + [UInt8(ascii: ".")]
    }

    /// Computes the percentile, 0 to 99,999,999, from its hash input.
    static func micro(of message: [UInt8]) -> Int {
        var hash = SHA256()
        unsafe message.withUnsafeBytes { unsafe hash.update(bufferPointer: $0) }
        let digest = hash.finalize()
        // Four bytes at a time: the rest is below 2^27, so rest · 2^32 + word fits 64 bits.
        var rest: UInt64 = 0
        unsafe digest.withUnsafeBytes { bytes in
            for offset in stride(from: 0, to: bytes.count, by: 4) {
                let word = unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
                rest = (rest << 32 | UInt64(UInt32(bigEndian: word))) % UInt64(count)
            }
        }
        return Int(rest)
    }

    /// A number of millionths of a percent as text in percent, such as `42.395619`, with as many
    /// decimals as it needs.
    static func percentText(_ micro: Int) -> String {
        let (whole, part) = micro.quotientAndRemainder(dividingBy: 1_000_000)
        guard part != 0 else { return "\(whole)" }
        var decimals = String(part)
        decimals = String(repeating: "0", count: 6 - decimals.count) + decimals
        while decimals.last == "0" { decimals.removeLast() }
        return "\(whole).\(decimals)"
    }
}
