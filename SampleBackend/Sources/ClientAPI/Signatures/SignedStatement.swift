import HTTPServing
import JSONTree
import Rendering

/// The statement that a signature covers: the document of a user, or its content alone, until a time
/// (PROTOCOL 1).
struct SignedStatement: Sendable {
    let project: String

    /// Nil is the generic user.
    let userID: String?

    let identity: DocumentIdentity

    /// Seconds since 1970.
    let expiration: Int

    /// The signed bytes: seven lines of ASCII, each with its line feed.
    var bytes: [UInt8] {
        let lines = [
            "activeconfig-signature-v1",
            project.percentEncoded,
            // Without the prefix, a user could be named like the generic one.
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

    /// The expiration of a signature that is made at a time, in seconds since 1970: the same for
    /// half of the lifetime, so that replicas agree and signatures are used again.
    static func expiration(at time: Int, lifetime: Int) -> Int {
        let period = max(1, lifetime / 2)
        return time / period * period + lifetime
    }
}
