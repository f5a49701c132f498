extension UserID {
    /// The user as a key that does not name it: "generic", or a digest of the ID.
    var digest: String { string.map { SHA256.hexDigest(of: $0.utf8) } ?? "generic" }

    /// For the log, which may be sent anywhere: the beginning of the digest, always the same for a user.
    ///
    /// `package` for tests.
    package var logName: String {
        string == nil ? "the generic user" : "user #\(digest.prefix(8))"
    }
}
