/// A failure of a store to read, keep or remove a configuration.
public struct StoreError: Error, Sendable, Hashable {
    /// The kind of fault.
    ///
    /// Codes may be added: keep a `default` when you switch over it.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String {
            case cannotRead, cannotWrite, cannotRemove, cannotLock
        }

        private let kind: Kind

        /// The file exists and could not be read: it belongs to another user, or the device was not
        /// unlocked yet.
        ///
        /// Reading methods do not throw it, they log it.
        public static let cannotRead = Code(kind: .cannotRead)
        /// The file could not be written: a full disk, a read-only folder.
        public static let cannotWrite = Code(kind: .cannotWrite)
        /// The file could not be removed.
        public static let cannotRemove = Code(kind: .cannotRemove)
        /// The folder's lock could not be taken.
        public static let cannotLock = Code(kind: .cannotLock)

        /// The code's name, such as `cannotWrite`.
        public var description: String { kind.rawValue }
    }

    /// The kind of fault.
    public let code: Code
    /// The path of the file.
    public let path: String
    /// The error number of the system, as in `errno`.
    public let systemError: Int32
    /// The system's message.
    public let systemMessage: String

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The kind of fault.
    ///   - path: The path of the file.
    ///   - systemError: The error number of the system.
    ///   - systemMessage: The system's message.
    public init(_ code: Code, path: String, systemError: Int32, systemMessage: String) {
        self.code = code
        self.path = path
        self.systemError = systemError
        self.systemMessage = systemMessage
    }
}

extension StoreError: CustomStringConvertible {
    /// One sentence with the failed operation, the file and the reason.
    public var description: String {
        let deed =
            switch code {
            case .cannotRead: "read"
            case .cannotRemove: "removed"
            case .cannotLock: "locked"
            default: "written"
            }
        return "\(path) could not be \(deed): \(systemMessage) (error \(systemError))."
    }
}
