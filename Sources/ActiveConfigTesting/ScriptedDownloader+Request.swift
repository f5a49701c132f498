public import ActiveConfig

extension ScriptedDownloader {
    /// A request as it came in.
    public struct Request: Sendable {
        /// Its number, from 1, in the order of arrival.
        public let number: Int
        /// The user; nil is the generic user.
        public let userID: String?
        /// The user's own last configuration that came along, with its entity tag.
        public let lastKnown: ConfigurationState?
    }

    /// That a request had no answer in the script.
    public struct NoAnswer: Error, Sendable, CustomStringConvertible {
        /// The request.
        public let request: Request

        /// One sentence with the request's number and user.
        public var description: String {
            "The script has no answer for request \(request.number), of \(UserID(request.userID))."
        }
    }
}
