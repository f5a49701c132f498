import ArgumentParser
import ServerTestSupport
import Testing

@testable import SampleBackend

/// Signals on the command line have the same names as in a query (PROTOCOL 1).
struct ClientOptionsTests {
    static let names: [NamedRow<(argument: String, parameter: String)>] = [
        .init("a standard signal", ("app.version=2", "app.version=2")),
        .init("a custom signal as in a query", ("signal.plan=x", "signal.plan=x")),
        .init("a custom signal by its own name", ("plan=x", "signal.plan=x")),
        .init("a custom signal with a standard name", ("signal.app.id=x", "signal.app.id=x")),
        .init("a value with an equals sign", ("plan=a=b", "signal.plan=a%3Db")),
    ]

    @Test(arguments: names)
    func aSignalHasTheNameThatItHasInAQuery(
        row: NamedRow<(argument: String, parameter: String)>
    ) throws {
        let options = try ClientOptions.parse(["--signal", row.value.argument])
        #expect(
            options.documentPath(inProject: "p")
                == "/projects/p/activeconfig?" + row.value.parameter)
        let names = options.signalValues.map(\.name)
        #expect(names == [String(row.value.parameter.prefix { $0 != "=" })])
    }

    @Test(arguments: ["plan", "=x", "signal.=x"])
    func aSignalWithoutANameOrAValueIsRefused(argument: String) {
        #expect(throws: (any Error).self) {
            try ClientOptions.parse(["--signal", argument])
        }
    }
}
