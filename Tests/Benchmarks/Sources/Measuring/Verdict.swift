/// What became of a row's target.
public enum Verdict: String, Sendable, Encodable {
    /// It is as wanted.
    case met
    /// It is not, or could not be measured.
    case missed
    /// Nothing is wanted of it.
    case information

    /// The word in the table.
    public var word: String {
        switch self {
        case .met: "met"
        case .missed: "MISSED"
        case .information: ""
        }
    }
}
