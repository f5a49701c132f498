import HTTPServing
import JSONTree
import Rendering

/// The statement that a signature covers: a user's document, or only its content, with an
/// expiration (PROTOCOL 1).
struct SignedStatement: Sendable {
    let project: String

    /// Nil means the generic user.
    let userID: String?

    let identity: DocumentIdentity

    /// In seconds since 1970.
    let expiration: Int

    /// The signed bytes: seven lines of ASCII, each with a line feed.
    var bytes: [UInt8] {
        let lines = [
            "activeconfig-signature-v1",
            project.percentEncoded,
            // The prefix distinguishes a user with the ID "generic" from the generic user.
            userID.map { "user:\($0.percentEncoded)" } ?? "generic",
            "\(identity.version)",
            "\(expiration)",
            identity.bodyHash.map { Array($0).hexadecimal } ?? "-",
            "\"\(identity.entityTag.opaqueTag)\"",
        ]
        var bytes: [UInt8] = []
        bytes.reserveCapacity(lines.reduce(0) { $0 + $1.utf8.count + 1 })
        for line in lines {
            bytes.append(contentsOf: line.utf8)
            bytes.append(UInt8(ascii: "\n"))
        }
        return bytes
    }

    /// The expiration of a signature created at `time`, in seconds since 1970.
    ///
    /// It stays the same for half of the lifetime, so replicas agree and signatures are reused.
    static func expiration(at time: Int, lifetime: Int) -> Int {
        let period = max(1, lifetime / 2)
        return time / period * period + lifetime
    }
}
