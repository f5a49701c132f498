import Testing

@testable import ActiveConfig
@testable import ActiveConfigRealtime

struct UpdateFailuresTests {
    private static func error(_ text: String) -> DownloadError {
        DownloadError(.httpStatus, status: 503, serverMessage: text)
    }

    private let failures = UpdateFailures()

    @Test func theCausesOfAUserWhoLeftAreForgotten() {
        for user in ["a", "b"] { failures.begin(UserID(user)) }
        #expect(failures.isNew(Self.error("Busy."), of: UserID("a"), at: .document))
        #expect(!failures.isNew(Self.error("Busy."), of: UserID("b"), at: .document))
        failures.end(UserID("a"))
        failures.begin(UserID("a"))
        // Another user still has this cause.
        #expect(!failures.isNew(Self.error("Busy."), of: UserID("a"), at: .document))
        for user in ["a", "b"] { failures.end(UserID(user)) }
        // A failure that arrives late.
        #expect(!failures.isNew(Self.error("Busy."), of: UserID("a"), at: .document))
        failures.begin(UserID("c"))
        #expect(failures.isNew(Self.error("Busy."), of: UserID("c"), at: .document))
    }

    @Test func aSuccessForgetsAllCausesOfItsStep() {
        let user = UserID("a")
        failures.begin(user)
        for _ in 1...2 {
            for text in ["One.", "Other."] {
                #expect(failures.isNew(Self.error(text), of: user, at: .document))
                #expect(failures.isNew(Self.error(text), of: user, at: .stream))
            }
            for step in [UpdateFailures.Step.document, .stream] {
                #expect(!failures.isNew(Self.error("One."), of: user, at: step))
                failures.noteSuccess(of: user, at: step)
            }
        }
    }

    @Test func theNumberOfCausesIsBounded() {
        failures.begin(UserID("a"))
        let new = (0..<1_000).filter { number in
            let text = String(repeating: "x", count: number + 1)
            return failures.isNew(Self.error(text), of: UserID("a"), at: .document)
        }
        #expect((2...32).contains(new.count))
    }
}
