/// An element of the condition language that an expression can test.
enum ConditionElement: String, CaseIterable {
    case appID = "app.id"
    case appVersion = "app.version"
    case appBuild = "app.build"
    /// A property of the user; not evaluated.
    case userProperty = "app.userProperty"
    case customSignal = "app.customSignal"
    /// Audiences of an analytics service; not evaluated.
    case audiences = "app.audiences"
    /// Imported segments; not evaluated.
    case importedSegments = "app.importedSegments"
    /// The first start of the app; not evaluated.
    case firstOpenTimestamp = "app.firstOpenTimestamp"
    /// The ID of an installation; not evaluated.
    case firebaseInstallationID = "app.firebaseInstallationId"
    /// The system of a browser; not evaluated.
    case operatingSystemAndVersion = "app.operatingSystemAndVersion"
    /// The browser; not evaluated.
    case browserAndVersion = "app.browserAndVersion"
    case deviceOS = "device.os"
    case deviceCountry = "device.country"
    case deviceLanguage = "device.language"
    case userID = "user.id"
    case dateTime
    case percent
    case version
    /// Always true.
    case `true`
    /// Always false.
    case `false`

    /// The element with the name nearest to a word; nil when none is near.
    static func nearest(to word: String) -> ConditionElement? {
        guard word.utf8.count <= 60 else { return nil }
        let lowercased = word.lowercased()
        let candidates = allCases.map { ($0, distance($0.rawValue.lowercased(), lowercased)) }
        guard let best = candidates.min(by: { $0.1 < $1.1 }) else { return nil }
        return best.1 <= max(2, word.utf8.count / 3) ? best.0 : nil
    }

    private static func distance(_ left: String, _ right: String) -> Int {
        let (left, right) = (Array(left.utf8), Array(right.utf8))
        var row = Array(0...right.count)
        for (line, letter) in left.enumerated() {
            var diagonal = row[0]
            row[0] = line + 1
            for column in right.indices {
                let change = diagonal + (letter == right[column] ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(change, row[column] + 1, diagonal + 1)
            }
        }
        return row[right.count]
    }
}
