import HTTPTypes
import JSONTree
import NIOCore

extension RouteResponse {
    /// Makes a response with a JSON body.
    ///
    /// - Parameters:
    ///   - node: The body.
    ///   - headerFields: Further fields; nobody may keep the answer unless they say so.
    /// - Returns: The response, with status 200.
    static func json(_ node: JSONNode, headerFields: HTTPFields = [:]) -> RouteResponse {
        var headerFields = headerFields
        headerFields[.cacheControl] = headerFields[.cacheControl] ?? "no-store"
        return .json(ByteBuffer(bytes: node.jsonData()), headerFields: headerFields)
    }
}
