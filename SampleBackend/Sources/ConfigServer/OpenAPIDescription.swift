/// A type that has the description of the server's HTTP interface, in OpenAPI 3.1.
package enum OpenAPIDescription: Sendable {
    /// The description, UTF-8 JSON.
    package static var jsonBytes: [UInt8] { PackageResources.openapi_json }
}
