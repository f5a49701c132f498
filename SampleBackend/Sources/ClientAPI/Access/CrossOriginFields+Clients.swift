package import HTTPServing

extension CrossOriginFields {
    /// The fields of PROTOCOL 1, PROTOCOL 2 and API 4.
    package static let clients = CrossOriginFields(
        methods: ["GET", "HEAD", "POST"],
        allowed: [
            "Authorization", "Content-Type", "If-None-Match", "Last-Event-ID", "Prefer",
            "X-API-Key", "ActiveConfig-Template-Version",
        ],
        exposed: [
            "ETag", "Retry-After", "Preference-Applied", "ActiveConfig-Template-Version",
            "ActiveConfig-Signature", "ActiveConfig-Acknowledge",
        ])
}
