/// Verdict on a row's requirement.
public enum Verdict: String, Sendable, Encodable {
    /// The requirement is met.
    case met
    /// The requirement is not met, or could not be measured.
    case missed
    /// There is no requirement.
    case information

    /// Word in the table; empty for ``information``.
    public var word: String {
        switch self {
        case .met: "met"
        case .missed: "MISSED"
        case .information: ""
        }
    }
}
