/// A user's ID as the key of a table: compared byte by byte, not as a Swift string.
public struct UserKey: Sendable, Hashable {
    /// The user's ID.
    public let userID: String

    /// Makes a key.
    public init(_ userID: String) { self.userID = userID }

    /// Whether the bytes of two user IDs are the same.
    public static func == (left: UserKey, right: UserKey) -> Bool {
        left.userID.utf8.elementsEqual(right.userID.utf8)
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) {
        var userID = userID
        userID.withUTF8 { unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
