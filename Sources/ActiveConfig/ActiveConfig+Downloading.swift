extension ActiveConfig {
    /// A Boolean value that indicates whether a download has ever succeeded on this installation,
    /// in this launch or in an earlier one recorded in the store.
    public var firstConfigDownloadFinished: Bool { front.firstDownload.isFinished }

    /// Starts a download of the current user's configuration and returns immediately.
    ///
    /// Listeners, notifications and the log report the outcome. If a download is running for this
    /// user, it joins that one. In asynchronous code, await the function of the same name, or call
    /// ``startDownload()``.
    @available(
        *, noasync,
        message: "Await the function of the same name, in a type with @main if in main.swift."
    )
    public func downloadNewConfig() { downloads.startDetached() }

    /// Starts a download of the current user's configuration and returns immediately, in asynchronous
    /// code as well: there `downloadNewConfig()` waits for the result.
    public func startDownload() { downloadNewConfig() }

    /// Downloads the current user's configuration, or joins that user's running download.
    ///
    /// When it returns, its deliveries are already on the listener queue. Cancelling the task does
    /// not cancel the download; once no caller waits for it, it is cancelled and a late answer
    /// ignored.
    ///
    /// - Returns: The result. A download that ends after the user changed is stored for its owner
    ///   only.
    /// - Throws: The downloader's error, such as ``DownloadError``, which is also thrown when the
    ///   downloader took longer than `downloadTimeout`; ``ConfigurationFormatError`` when the
    ///   document cannot be used; when a vetting refuses it, the ``ConfigurationRefusal``, or its
    ///   ``ConfigurationRefusal/underlyingError``, such as the `SignatureError` of
    ///   `SignatureVetting`; `CancellationError`. The active configuration then stays, and nothing
    ///   is stored. A document that cannot be stored is not an error: see ``ActiveConfigStore``.
    @discardableResult
    public func downloadNewConfig() async throws -> DownloadResult {
        try await downloads.download(of: nil)
    }

    /// Downloads the current user's configuration, on request without the interval of the
    /// ``FetchPolicy``, as for pull to refresh.
    ///
    /// ```swift
    /// try await config.downloadNewConfig(ignoringInterval: true)
    /// ```
    ///
    /// It applies to this user and this call, and starts the interval anew; `markStale()` applies to all
    /// users and across launches. The waits after failures, such as those that the server requests with
    /// `Retry-After`, still apply. With an ``ActivationPolicy`` that holds documents back, call `activate()`
    /// afterwards.
    ///
    /// - Parameter ignoringInterval: True to ask the server within the interval as well; false is
    ///   ``downloadNewConfig()->_``.
    /// - Returns: As ``downloadNewConfig()->_``.
    /// - Throws: As ``downloadNewConfig()->_``; ``DownloadError/Code/throttled`` during a wait.
    @discardableResult
    public func downloadNewConfig(ignoringInterval: Bool) async throws -> DownloadResult {
        try await downloads.download(of: nil, ignoringInterval: ignoringInterval)
    }

    /// The last download, and how fresh the current user's active document is.
    public var status: ConfigurationStatus {
        downloads.status(of: users.loadedSnapshot(), users.history.last)
    }

    /// Lets the next download ask the server regardless of the ``FetchPolicy``'s interval, for
    /// example after a push notification: see <doc:Downloading-and-activating>.
    ///
    /// It is kept across launches, for all users, until each has been downloaded. A download that is
    /// running does not count, as the server may have answered before. When it returns the mark is
    /// stored, which takes a few milliseconds. If it cannot be stored, it lasts for this launch: see
    /// ``ActiveConfigStore``.
    @available(
        *, noasync,
        message: "Await the function of the same name, in a type with @main if in main.swift."
    )
    public func markStale() {
        users.history.markStale()
        front.signalChange()
    }

    /// Lets the next download ask the server regardless of the ``FetchPolicy``'s interval, for
    /// example after a push notification: see <doc:Downloading-and-activating>.
    ///
    /// It is kept across launches, for all users, until each has been downloaded. A download that is
    /// running does not count, as the server may have answered before. If it cannot be stored, it lasts for
    /// this launch: see ``ActiveConfigStore``.
    public func markStale() async {
        await users.calls.run { self.users.history.markStale() }
        front.signalChange()
    }
}
