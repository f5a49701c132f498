/// The OpenAPI 3.1 description of the server's HTTP interface.
package enum OpenAPIDescription: Sendable {
    /// UTF-8 JSON.
    package static var jsonBytes: [UInt8] { PackageResources.openapi_json }
}
