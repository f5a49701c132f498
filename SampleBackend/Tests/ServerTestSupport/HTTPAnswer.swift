package import Foundation

/// A type that is a response as it came over the socket.
package struct HTTPAnswer: Sendable {
    /// The status code.
    package let status: Int

    /// The header fields, by lowercase name.
    package let fields: [String: String]

    /// The body.
    package let body: Data

    /// The `error` object of the body, when the body is nothing but the error of the wire contract.
    package var error: ErrorBody.Content? {
        try? JSONDecoder().decode(ErrorBody.self, from: body).error
    }

    /// The form of every error body.
    package struct ErrorBody: Decodable, Sendable {
        /// What `error` holds.
        package struct Content: Decodable, Sendable {
            /// The status code again.
            package let code: Int
            /// The name of the status.
            package let status: String
            /// One sentence.
            package let message: String
        }

        /// The only member.
        let error: Content
    }
}
