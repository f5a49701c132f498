/// Failures of one attempt to decode by ``DefaultingDecoder``, and of the earlier attempts.
final class DecodingAttempt {
    typealias Path = [String]

    /// Number of values that failed at a member.
    private var failureCounts: [Path: Int] = [:]
    /// Members that the type asked for.
    private var visited: Set<Path> = []
    /// The innermost member that the last error went through.
    private var noted: (path: Path, error: String)?
    /// The member that had no value left, if that was the last error.
    private var exhausted: Path?
    private let report: DefaultingDecoder.Report
    /// True when a wrong value of a member is skipped immediately.
    var isLenient = false

    init(_ report: @escaping DefaultingDecoder.Report) { self.report = report }

    /// In a lenient attempt, moves a failed member on to its next value.
    ///
    /// - Returns: False when the enclosing object has to handle the error.
    func passesOver(_ path: Path, _ error: any Error) -> Bool {
        guard isLenient, exhausted == nil else { return false }
        report(self.path(of: error).reported, error)
        failureCounts[path, default: 0] += 1
        noted = nil
        return true
    }

    func failureCount(at path: Path) -> Int { failureCounts[path] ?? 0 }

    func visit(_ path: Path) {
        visited.insert(path)
        exhausted = nil
    }

    func note(_ error: any Error, at path: Path) {
        let text = "\(error)"
        // An outer member rethrows the error of an inner one.
        if let noted, noted.error == text, noted.path.starts(with: path) { return }
        noted = (path, text)
    }

    func noValueLeft(
        _ key: some CodingKey, codingPath: [any CodingKey], path: Path
    ) -> DecodingError {
        exhausted = path
        return .keyNotFound(
            key,
            DecodingError.Context(
                codingPath: codingPath,
                debugDescription:
                    "The setting '\(path.joined(separator: "."))' is missing and has no default."))
    }

    /// Moves the failed member on to its next value for the next attempt.
    ///
    /// - Returns: False when no other attempt can succeed.
    func prepareNext(after error: any Error) -> Bool {
        defer { (noted, exhausted, visited) = (nil, nil, []) }
        if let exhausted, case DecodingError.keyNotFound = error {
            if failureCount(at: exhausted) == 0 { report(exhausted, error) }
            guard exhausted.count > 1 else { return false }
            failureCounts[exhausted.dropLast(), default: 0] += 1
            return true
        }
        let path = path(of: error)
        report(path.reported, error)
        if path.member.isEmpty { return false }
        failureCounts[path.member, default: 0] += 1
        return true
    }

    /// The member that failed, and the path that a decoding error names, which may go beyond it.
    private func path(of error: any Error) -> (member: Path, reported: Path) {
        let named = (error as? DecodingError)?.context?.codingPath.map(\.stringValue) ?? []
        var member = named
        while !member.isEmpty, !visited.contains(member) { member.removeLast() }
        // A member that decodes text with its own decoder reports paths inside of that text.
        if let noted, noted.error == "\(error)",
            noted.path.count > member.count || !named.starts(with: noted.path)
        {
            return (noted.path, noted.path)
        }
        return (member, member.isEmpty ? [] : named)
    }
}
