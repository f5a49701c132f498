import Foundation

/// A failure of a store to read, keep or remove a configuration.
public struct StoreError: Error, Sendable {
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
    /// The system's error, such as an `NSError` of `NSPOSIXErrorDomain`.
    public let underlyingError: any Error

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The kind of fault.
    ///   - path: The path of the file.
    ///   - underlyingError: The system's error.
    public init(_ code: Code, path: String, underlyingError: any Error) {
        self.code = code
        self.path = path
        self.underlyingError = underlyingError
    }
}

extension StoreError: Hashable {
    /// Returns a Boolean value that indicates whether code, path, and domain and code of the underlying
    /// error are equal.
    public static func == (left: StoreError, right: StoreError) -> Bool {
        let (first, second) = (left.underlyingError as NSError, right.underlyingError as NSError)
        return left.code == right.code && left.path == right.path
            && first.domain == second.domain && first.code == second.code
    }

    /// Hashes code and path.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        hasher.combine(path)
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
        let error = underlyingError as NSError
        return "\(path) could not be \(deed): \(error.localizedDescription) (error \(error.code))."
    }
}
