public import ActiveConfig

extension DownloaderConformance {
    /// How a backend has to behave for a check.
    public struct Backend: Sendable {
        /// What a backend does with a request.
        public enum Conduct: Sendable, Hashable {
            /// It answers with the user's document, or that nothing has changed.
            case answers
            /// It answers with a failure.
            case fails
            /// It does not answer.
            case hangs
        }

        /// What it does with a request.
        public let conduct: Conduct

        private let hasRequest = AwaitableState(false)

        /// Makes a backend.
        init(_ conduct: Conduct) { self.conduct = conduct }

        /// A user's document; nil for a user that it does not know, which no check asks for.
        ///
        /// - Parameter userID: The user, told byte by byte.
        /// - Returns: The document. Its entity tag is the one to answer with.
        public func configuration(forUserID userID: String?) -> ConfigurationState? {
            let known = DownloaderConformance.userIDs
            guard let index = known.firstIndex(where: { UserID($0) == UserID(userID) }) else {
                return nil
            }
            return .make(
                sections: [
                    "Conformance": ["owner": .string(userID ?? ""), "number": .integer(index)]
                ],
                entityTag: "\"conformance-\(index)\"")
        }

        /// To be called when a request has arrived.
        public func requestArrived() {
            hasRequest.withLock { $0 = true }
        }

        /// Waits until a request has arrived, or the task is cancelled.
        func waitForRequest() async {
            _ = try? await hasRequest.wait { $0 }
        }
    }
}
