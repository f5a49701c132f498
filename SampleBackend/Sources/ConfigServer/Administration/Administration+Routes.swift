extension Administration {
    /// The routes of HTTP 3.
    var routes: [Route] {
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
