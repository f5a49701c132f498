public import ActiveConfig

extension ScriptedDownloader {
    /// What a request is answered with, when, and whether it can be cancelled before.
    ///
    /// ```swift
    /// .configuration(.make()).after(.seconds(2))
    /// .failure(URLError(.timedOut))
    /// .held.ignoringCancellation
    /// ```
    public struct Answer: Sendable {
        /// The kinds of answers.
        enum Outcome: Sendable {
            case result(Result<ConfigurationState?, any Error>)
            case held
        }

        /// What is answered.
        let outcome: Outcome
        /// How long it takes on the downloader's clock.
        private(set) var delay = Duration.zero
        /// Whether a cancelled request goes on.
        private(set) var ignoresCancellation = false

        /// A new configuration.
        public static func configuration(_ configuration: ConfigurationState) -> Answer {
            Answer(outcome: .result(.success(configuration)))
        }

        /// Nothing has changed.
        public static let unchanged = Answer(outcome: .result(.success(nil)))

        /// A failure.
        public static func failure(_ error: any Error) -> Answer {
            Answer(outcome: .result(.failure(error)))
        }

        /// None yet: the request waits until the test answers it, with
        /// ``ScriptedDownloader/answer(_:with:)``.
        public static let held = Answer(outcome: .held)

        /// The same answer, late.
        ///
        /// - Parameter delay: How late, on the downloader's clock.
        /// - Returns: The answer.
        public func after(_ delay: Duration) -> Answer {
            var answer = self
            answer.delay = delay
            return answer
        }

        /// The same answer from a downloader that does not notice that it is cancelled.
        public var ignoringCancellation: Answer {
            var answer = self
            answer.ignoresCancellation = true
            return answer
        }
    }
}
