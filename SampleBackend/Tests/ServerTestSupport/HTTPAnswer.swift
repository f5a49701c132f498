package import Foundation

/// A response as received from the socket.
package struct HTTPAnswer: Sendable {
    package let status: Int

    /// Header fields by lowercase name.
    package let fields: [String: String]

    package let body: Data

    /// The `error` object of the body; nil if the body is not in the client protocol's error format.
    package var error: ErrorBody.Content? {
        try? JSONDecoder().decode(ErrorBody.self, from: body).error
    }

    /// Format of every error body.
    package struct ErrorBody: Decodable, Sendable {
        /// Content of the member `error`.
        package struct Content: Decodable, Sendable {
            /// Status code, repeated.
            package let code: Int
            /// Name of the status.
            package let status: String
            /// One sentence.
            package let message: String
        }

        /// The only member.
        let error: Content
    }
}
