import HTTPServing
import HTTPTypes

extension RequestError {
    /// 413: the response for more than this number of users would exceed the limit in bytes.
    static func previewTooLarge(users: Int, limit: Int) -> RequestError {
        RequestError(
            httpStatus: .contentTooLarge, statusName: "PAYLOAD_TOO_LARGE",
            message: "The answer would have more than \(limit) bytes: send at most "
                + "\(max(users, 1)) users per request, or one with a shorter ID or fewer settings.")
    }
}
