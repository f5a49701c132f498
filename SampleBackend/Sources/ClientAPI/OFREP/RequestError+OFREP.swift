import HTTPServing
import HTTPTypes
import JSONTree
package import NIOCore

extension RequestError {
    /// 404: no section has the setting.
    static let unknownFlag = RequestError(
        httpStatus: .notFound, statusName: "FLAG_NOT_FOUND",
        message: "Unknown flag: use the form Section.setting, with the names of the template.")

    /// 400: the body is not JSON of the protocol.
    static func unreadableEvaluation(_ message: String) -> RequestError {
        RequestError(httpStatus: .badRequest, statusName: "PARSE_ERROR", message: message)
    }

    /// 400: the evaluation context is invalid.
    static func invalidContext(_ message: String) -> RequestError {
        RequestError(httpStatus: .badRequest, statusName: "INVALID_CONTEXT", message: message)
    }

    /// 400: the protocol has no type for the flag's value.
    static func unsupportedValue(_ kind: String) -> RequestError {
        RequestError(
            httpStatus: .badRequest, statusName: "GENERAL",
            message: "The value of this flag is \(kind), for which OpenFeature has no type: "
                + "put it into an object.")
    }

    /// The error in the protocol's format; `flagKey` is nil for a request that is not for a single
    /// flag.
    ///
    /// The result is `{"key": …, "errorCode": …, "errorDetails": …}`. `errorCode` is the error's
    /// name if the protocol defines it, otherwise `GENERAL`; for a single flag every 404 is
    /// `FLAG_NOT_FOUND`, the only code that fits. `errorDetails` is always present because clients
    /// read it without checking.
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

    /// The error codes that the protocol defines.
    private static let evaluationCodes: Set<String> = [  // names: our own literals, in ASCII
        "PARSE_ERROR", "TARGETING_KEY_MISSING", "INVALID_CONTEXT", "FLAG_NOT_FOUND", "GENERAL",
    ]

    /// The body of an error response as UTF-8 JSON: in the protocol's format below `/ofrep`,
    /// otherwise in this backend's format.
    ///
    /// An unknown target is empty.
    package func jsonBytes(forTarget target: String) -> ByteBuffer {
        guard let target = OFREPTarget(target) else { return jsonBytes }
        return ByteBuffer(bytes: evaluationFailure(ofFlag: target.flagKey).jsonData())
    }
}
