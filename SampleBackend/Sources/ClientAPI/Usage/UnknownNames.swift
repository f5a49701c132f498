package import Foundation
package import JSONTree

/// The names that clients asked for and that a project does not have, as texts that clients chose:
/// bounded, and forgotten a day after the last request.
package struct UnknownNames: Sendable {
    /// A name, and when a client asked for it last.
    package struct Name: Sendable, Hashable {
        package let text: ExactText
        package let date: Date
    }

    /// Maximum number of names; further ones are ignored until others are forgotten.
    package static let maximumCount = 100

    /// Maximum length of a name in bytes; longer ones are ignored.
    package static let maximumBytes = 256

    /// Time after which a name is forgotten, in seconds.
    package static let lifetime: TimeInterval = 86_400

    private var dates: [ExactText: Date] = [:]

    package init() {}

    /// Records a name.
    package mutating func record(_ name: String, at date: Date) {
        guard name.utf8.count <= Self.maximumBytes else { return }
        let text = ExactText(name)
        if dates[text] == nil, dates.count >= Self.maximumCount {
            dates = dates.filter { $0.value > date - Self.lifetime }
            guard dates.count < Self.maximumCount else { return }
        }
        dates[text] = date
    }

    /// The names that are not forgotten, the last one first.
    package func names(at date: Date) -> [Name] {
        dates.filter { $0.value > date - Self.lifetime }
            .map { Name(text: $0.key, date: $0.value) }
            .sorted { $0.date == $1.date ? $0.text.precedes($1.text) : $0.date > $1.date }
    }
}
