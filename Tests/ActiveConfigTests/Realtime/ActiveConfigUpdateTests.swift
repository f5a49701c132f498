import ActiveConfigRealtime
import Testing

/// What `print(update)` prints.
struct ActiveConfigUpdateTests {
    @Test func aDescriptionIsOneLineWithoutTheUserID() {
        let applied = AppliedUpdate(
            userID: "ada@example.com", templateVersion: 3, changedSectionNames: ["Home", "Cart"])
        let pending = PendingUpdate(userID: nil, templateVersion: nil, sectionNames: ["Home"])
        #expect(
            applied.description
                == "version 3 of user #b5fc85e5 is active, changed sections: Cart, Home")
        #expect(
            pending.description
                == "a version of the generic user waits for its activation, sections: Home")
        #expect("\(ActiveConfigUpdate.applied(applied))" == applied.description)
        #expect("\(ActiveConfigUpdate.pending(pending))" == pending.description)
        #expect("\(ActiveConfigUpdate.state(.paused, userID: nil))" == "the generic user is paused")
    }
}
