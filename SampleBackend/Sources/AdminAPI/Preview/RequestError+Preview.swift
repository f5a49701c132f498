import HTTPServing
import HTTPTypes

extension RequestError {
    /// 413: the response to a preview of this many users would exceed the limit in bytes.
    static func previewTooLarge(users: Int, limit: Int) -> RequestError {
        RequestError(
            httpStatus: .contentTooLarge, statusName: "PAYLOAD_TOO_LARGE",
            message: "The answer would have more than \(limit) bytes: send at most "
                + "\(max(users, 1)) users at once, or one with a shorter ID or fewer settings.")
    }
}
