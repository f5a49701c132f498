package import HTTPServing
import HTTPTypes
import JSONTree

extension Administration {
    /// The routes of API 3, and further ones; they cover every path below `/v1`.
    package func group(
        recognition: (any CallerRecognition)?, with others: [Route] = []
    ) -> RouteGroup {
        // Changes have their own pool: they wait for each other and for other processes, and reads
        // must not queue behind them.
        let changes = WorkPool(.administration, waiting: 32, wait: .seconds(30))
        var group = RouteGroup(routes.map { $0.changing(in: changes) } + others)
        group.covers = { TargetParts($0)?.segments.first?.hasSameBytes(as: "v1") ?? false }
        // A session's cookie comes with requests of pages on other ports of this host, too.
        group.headerFields[.xContentTypeOptions] = "nosniff"
        if let policy = HTTPField.Name("Cross-Origin-Resource-Policy") {
            group.headerFields[policy] = "same-origin"
        }
        group.recognition = recognition
        group.pool = WorkPool(.administration, waiting: 32, wait: .seconds(30))
        return group
    }

    private var routes: [Route] {
        TemplateRoutes(administration: self).routes
            + ServerTemplateRoutes(administration: self).routes
            + DraftRoutes(administration: self).routes
            + SettingHistoryRoutes(administration: self).routes
            + ProjectRoutes(administration: self).routes
            + ProjectDetailsRoutes(administration: self).routes
            + ProtectionRoutes(administration: self).routes
            + ChangeRequestRoutes(administration: self).routes
            + ScheduledPublishRoutes(administration: self).routes
            + RolloutRoutes(administration: self).routes
            + MergeRoutes(administration: self).routes
            + PromotionRoutes(administration: self).routes
            + IntendedDifferenceRoutes(administration: self).routes
            + ConditionRoutes().routes
            + ImportRoutes().routes
            + PreviewRoutes(administration: self).routes
            + ConnectionsRoutes(administration: self).routes
            + UsageRoutes(administration: self).routes
            + OverridesRoutes(administration: self).routes
            + AuditRoutes(administration: self).routes
            + TokenRoutes(administration: self).routes
            + WebhookRoutes(administration: self).routes
    }
}
