import Crypto

/// Computes a user's percentile, which decides `percent`.
///
/// The percentile is the SHA-256 of the seed, a dot and the user's ID (of the ID alone without a
/// seed), in UTF-8, read as one big-endian number, modulo 100,000,000. Firebase's server SDKs
/// compute the same, so both sides select the same users.
public enum Percentile: Sendable {
    /// Number of percentiles, one for each millionth of a percent.
    public static let count = 100_000_000

    /// Computes a user's percentile.
    ///
    /// - Parameters:
    ///   - seed: The seed of the rule; empty when it has none.
    ///   - id: The user's ID. Without a user, or with an empty ID, a rule on `percent` is unknown
    ///     and
    ///     does not use this value.
    /// - Returns: The percentile, from 0 to 99,999,999.
    public static func micro(seed: String, id: String) -> Int {
        let prefix = prefix(seed: seed)
        return micro(prefix: prefix, 0, prefix.count, id: id)
    }

    /// The hash input that precedes the user's ID, in UTF-8; the seed may be empty.
    static func prefix(seed: String) -> [UInt8] {
        seed.isEmpty ? [] : Array(seed.utf8) + [UInt8(ascii: ".")]
    }

    /// Computes the percentile, from 0 to 99,999,999.
    ///
    /// `bytes[start..<end]` is the hash input that precedes the user's ID.
    static func micro(prefix bytes: [UInt8], _ start: Int, _ end: Int, id: String) -> Int {
        var hash = SHA256()
        unsafe bytes.withUnsafeBytes {
            unsafe hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: $0[start..<end]))
        }
        var id = id
        id.withUTF8 { unsafe hash.update(bufferPointer: UnsafeRawBufferPointer($0)) }
        let digest = hash.finalize()
        // Four bytes at a time: each term is below 2^59, so their sum fits 64 bits.
        var sum: UInt64 = 0
        unsafe digest.withUnsafeBytes { bytes in
            for index in 0..<8 {
                let word = unsafe bytes.loadUnaligned(fromByteOffset: 4 * index, as: UInt32.self)
                sum &+= UInt64(UInt32(bigEndian: word)) &* weights[index]
            }
        }
        return Int(sum % UInt64(count))
    }

    /// The powers of 2^32 modulo ``count``, from the seventh to the zeroth.
    private static let weights: SIMD8<UInt64> = [
        10_249_216, 34_512_896, 32_542_976, 68_211_456, 43_950_336, 9_551_616, 94_967_296, 1,
    ]

    /// Formats millionths of a percent as a percentage, such as `42.395619`, with as many decimals
    /// as needed.
    ///
    /// - Parameter micro: The millionths of a percent.
    /// - Returns: The percentage.
    public static func percentText(_ micro: Int) -> String {
        let (whole, part) = micro.quotientAndRemainder(dividingBy: 1_000_000)
        guard part != 0 else { return "\(whole)" }
        var decimals = String(part)
        decimals = String(repeating: "0", count: 6 - decimals.count) + decimals
        while decimals.last == "0" { decimals.removeLast() }
        return "\(whole).\(decimals)"
    }

    /// Reads a percentage such as `42.5`.
    ///
    /// - Parameter text: A number from 0 to 100 with at most 6 decimals, without an exponent.
    /// - Returns: The millionths of a percent; nil for another text.
    public static func micro(percent text: String) -> Int? {
        guard var parser = try? ConditionParser(text, budget: ConditionBudget()),
            let micro = try? parser.parsePercentage(), parser.next == nil
        else { return nil }
        return micro
    }
}
