extension StoredWebhook {
    /// The webhook with its time to the millisecond, as it is stored.
    package var roundedToMilliseconds: StoredWebhook {
        StoredWebhook(
            id: id, project: project, url: url, secret: secret,
            creationDate: creationDate.roundedToMilliseconds, creator: creator)
    }
}
