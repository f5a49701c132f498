import NIOCore
import TemplateStore

extension RealtimeHub {
    /// Records the versions that the apps of open streams have, as a delivery of today: a stream can
    /// last for weeks without any other.
    package func recordOpenStreams() async {
        let usage = usage
        for thread in threads {
            try? await thread.eventLoop.submit {
                for project in thread.value.allProjects.values {
                    for subscription in project.subscriptions {
                        usage.recordDelivery(to: subscription)
                    }
                }
            }.get()
        }
    }
}

extension UsageTally {
    /// Records the version that the client of a stream has; long polls are recorded as requests.
    func recordDelivery(to subscription: Subscription) {
        let request = subscription.request
        guard request.format == .activeConfig, subscription.unknownVersion == nil else { return }
        recordDelivery(
            to: UsedApp(request.document.signals), inProject: request.document.project,
            version: subscription.deliveredVersion)
    }
}
