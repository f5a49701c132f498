import ActiveConfig
import Testing

/// The error text of a download that has to wait.
struct WaitTextTests {
    @Test(arguments: [(300, "1 second;"), (1_000, "1 second;"), (1_001, "2 seconds;")])
    func aWaitIsNamedInSecondsThatAreRoundedUp(milliseconds: Int, text: String) {
        let duration = Duration.milliseconds(milliseconds)
        let throttled = DownloadError(.throttled, retryAfter: duration)
        #expect("\(throttled);".replacing(".;", with: ";").contains("in \(text)"), "\(throttled)")
        let asked = DownloadError(.httpStatus, status: 503, retryAfter: duration)
        #expect("\(asked);".replacing(".;", with: ";").contains("for \(text)"), "\(asked)")
    }
}
