import HTTPServing
import HTTPTypes

extension RequestError {
    /// 429: the limit on concurrent previews is reached.
    static let tooManyPreviews = RequestError(
        httpStatus: .tooManyRequests, statusName: "RESOURCE_EXHAUSTED",
        message: "There are too many previews at once: try again in 1 s.",
        headerFields: [.retryAfter: "1"])

    /// 413: the response to a preview of this many users would exceed the limit in bytes.
    static func previewTooLarge(users: Int, limit: Int) -> RequestError {
        RequestError(
            httpStatus: .contentTooLarge, statusName: "PAYLOAD_TOO_LARGE",
            message: "The answer would have more than \(limit) bytes: send at most "
                + "\(max(users, 1)) users at once, or one with a shorter ID or fewer settings.")
    }
}
