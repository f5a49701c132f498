extension StoredWebhook {
    /// The address as people may see it.
    ///
    /// Deliveries use ``url``; everything that is shown, logged or audited uses this one.
    package var shownURL: String { Self.shownURL(url) }

    /// Replaces the values in the query of an address, which often are secrets, by `***`.
    ///
    /// The names stay, so that people recognize the address. Replacing twice changes nothing.
    package static func shownURL(_ url: String) -> String {
        guard let mark = url.firstIndex(of: "?") else { return url }
        let parts = url[url.index(after: mark)...].split(
            separator: "&", omittingEmptySubsequences: false)
        let shown = parts.map { part -> String in
            guard let equals = part.firstIndex(of: "=") else { return part.isEmpty ? "" : "***" }
            let isEmpty = part.index(after: equals) == part.endIndex
            return String(part[...equals]) + (isEmpty ? "" : "***")
        }
        return String(url[...mark]) + shown.joined(separator: "&")
    }
}
