import HTTPServing
import HTTPTypes
import JSONTree
package import NIOCore

extension RequestError {
    /// 404: no section has such a setting.
    static let unknownFlag = RequestError(
        httpStatus: .notFound, statusName: "FLAG_NOT_FOUND",
        message: "There is no such flag: ask for Section.setting, as the template names them.")

    /// 400: the body is no JSON of the protocol.
    static func unreadableEvaluation(_ message: String) -> RequestError {
        RequestError(httpStatus: .badRequest, statusName: "PARSE_ERROR", message: message)
    }

    /// 400: the evaluation context is wrong.
    static func invalidContext(_ message: String) -> RequestError {
        RequestError(httpStatus: .badRequest, statusName: "INVALID_CONTEXT", message: message)
    }

    /// 400: the flag has a value that the protocol has no type for.
    static func unsupportedValue(_ kind: String) -> RequestError {
        RequestError(
            httpStatus: .badRequest, statusName: "GENERAL",
            message: "The value of this flag is \(kind), which OpenFeature has no type for: "
                + "put it into an object.")
    }

    /// The error as the protocol writes it, of a flag or of a whole request.
    ///
    /// `errorCode` is the error's own name where the protocol knows it, else `GENERAL`; of a flag,
    /// every 404 is `FLAG_NOT_FOUND`, the only one it has. `errorDetails` is the message, always:
    /// clients read it without looking whether it is there.
    ///
    /// - Parameter flagKey: The flag; nil for a request that asks for none or for all.
    /// - Returns: `{"key": …, "errorCode": …, "errorDetails": …}`.
    func evaluationFailure(ofFlag flagKey: String?) -> JSONNode {
        let code =
            if flagKey != nil, httpStatus == .notFound {
                "FLAG_NOT_FOUND"
            } else {
                Self.evaluationCodes.contains(statusName) ? statusName : "GENERAL"
            }
        var node = JSONNode.emptyObject
        node.setMember("key", flagKey.map { .string($0) })
        node.setMember("errorCode", .string(code))
        node.setMember("errorDetails", .string(message))
        return node
    }

    /// The names of errors that the protocol knows.
    private static let evaluationCodes: Set<String> = [
        "PARSE_ERROR", "TARGETING_KEY_MISSING", "INVALID_CONTEXT", "FLAG_NOT_FOUND", "GENERAL",
    ]

    /// The body of the response to a request: below `/ofrep` the protocol's, else ours.
    ///
    /// - Parameter target: The target of the request as it came; empty when it is not known.
    /// - Returns: JSON, UTF-8.
    package func jsonBytes(forTarget target: String) -> ByteBuffer {
        guard let target = OFREPTarget(target) else { return jsonBytes }
        return ByteBuffer(bytes: evaluationFailure(ofFlag: target.flagKey).jsonData())
    }
}
