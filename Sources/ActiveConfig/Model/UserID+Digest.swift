extension UserID {
    /// The user as a key without the name: "generic", or a digest of the ID.
    var digest: String { string.map { SHA256.hexDigest(of: $0.utf8) } ?? "generic" }

    /// For logs, which may be sent anywhere: the beginning of the digest, stable per user.
    ///
    /// `package` for tests.
    package var logName: String {
        string == nil ? "the generic user" : "user #\(digest.prefix(8))"
    }
}
