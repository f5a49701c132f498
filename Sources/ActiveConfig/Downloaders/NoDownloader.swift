/// The downloader of an ``ActiveConfig`` that was created without one.
struct NoDownloader: ActiveConfigDownloader {
    func requestActiveConfig(
        forUserID userID: String?, lastKnown: ConfigurationState?
    ) throws -> ConfigurationState? {
        throw DownloadError(.noDownloader)
    }
}
