import Foundation

extension FileDefaultsStore {
    /// When the files of a store can be read on Apple's mobile platforms: their data protection.
    ///
    /// Other platforms, macOS among them, protect volumes, not files, and make no difference between
    /// these.
    ///
    /// A store whose files cannot be read yet falls back as if they were not there, without putting
    /// them aside: they are read again as soon as the device is unlocked.
    public struct FileProtection: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: String {
            case none, complete, completeUnlessOpen, completeUntilFirstUserAuthentication
        }

        private let kind: Kind

        /// Always, also before the device was unlocked for the first time since it started: for an app
        /// that is launched in the background then, as by a push notification or a location.
        public static let none = FileProtection(kind: .none)
        /// While the device is unlocked; while it is locked, nothing can be persisted either.
        public static let complete = FileProtection(kind: .complete)
        /// While the device is unlocked; while it is locked, configurations can be persisted.
        public static let completeUnlessOpen = FileProtection(kind: .completeUnlessOpen)
        /// Once the device was unlocked for the first time since it started.
        public static let completeUntilFirstUserAuthentication = FileProtection(
            kind: .completeUntilFirstUserAuthentication)

        /// The name, such as `complete`.
        public var description: String { kind.rawValue }

        #if canImport(Darwin) && !os(macOS)
            /// The protection in Foundation's words.
            var fileProtectionType: FileProtectionType {
                switch kind {
                case .none: .none
                case .complete: .complete
                case .completeUnlessOpen: .completeUnlessOpen
                case .completeUntilFirstUserAuthentication: .completeUntilFirstUserAuthentication
                }
            }
        #endif
    }
}
