package import HTTPServing

extension Administration {
    /// The routes of HTTP 3; they cover every path below `/v1`.
    package func group(recognition: (any CallerRecognition)?) -> RouteGroup {
        var group = RouteGroup(routes)
        group.covers = { (try? RequestTarget($0))?.segments.first == "v1" }
        group.recognition = recognition
        return group
    }

    private var routes: [Route] {
        TemplateRoutes(administration: self).routes
            + ProjectRoutes(administration: self).routes
            + MergeRoutes(administration: self).routes
            + PreviewRoutes(administration: self).routes
            + ConnectionsRoutes(administration: self).routes
            + OverridesRoutes(administration: self).routes
            + AuditRoutes(administration: self).routes
            + TokenRoutes(administration: self).routes
            + WebhookRoutes(administration: self).routes
    }
}
