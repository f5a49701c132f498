#if os(Linux)
    import Foundation
    import SeededRandomness
    import ServerTestSupport
    import Testing

    /// Memory use of previews for many users.
    // Three previews need 36 s of a processor of half the reference's speed, beside other tests.
    // deadline: bounds a hang only
    @Suite(.timeLimit(.minutes(Rounds.minutes * 3)), .disabled(if: Sanitizer.isOn))
    struct PreviewMemoryTests {
        /// Template with 2,000 settings of 100 characters.
        private static let template: String = {
            let value = String(repeating: "v", count: 100)
            let parameters = (0..<2_000).map { index in
                #""setting\#(index)":{"defaultValue":{"value":"\#(value)"}}"#
            }
            return #"{"parameters":{\#(parameters.joined(separator: ","))}}"#
        }()

        @Test func theMemoryOfPreviewsStaysBounded() async throws {
            let backend = try await RunningBackend(["--log-level", "error"])
            let path = "/v1/projects/default/remoteConfig"
            #expect(
                try await backend.administer("PUT", path, ifMatch: "*", body: Self.template)
                    .status == 200)
            let users = (0..<100).map { #"{"userID":"\#($0)"}"# }.joined(separator: ",")
            let body = #"{"template":\#(Self.template),"users":[\#(users)]}"#
            let before = try #require(backend.process.residentBytes)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<3 {
                    group.addTask {
                        var answer: HTTPAnswer
                        // On a slow machine a preview waits too long for the others.
                        repeat {
                            answer = try await backend.administer(
                                "POST", path + ":preview", body: body)
                        } while answer.status == 503
                        #expect(answer.status == 413)
                        let text = String(decoding: answer.body, as: UTF8.self)
                        #expect(text.contains("fewer settings"))
                    }
                }
                try await group.waitForAll()
            }
            let peak = try #require(try Self.peakBytes(ofProcess: backend.process.identifier))
            #expect(peak - before < 500 << 20, "\(peak >> 20) MB")
            _ = await backend.stop()
        }

        /// Peak resident memory of a process.
        private static func peakBytes(ofProcess process: Int32) throws -> Int? {
            let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
            let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
            return line?.split(separator: " ").compactMap { Int($0) }.first.map { $0 << 10 }
        }

        @Test func aLongIDInManyPlacesTakesNoMemory() async throws {
            let backend = try await RunningBackend(["--log-level", "error"])
            let shown = String(repeating: "${user.id}", count: 20_000)
            let template = #"{"parameters":{"a":{"defaultValue":{"value":"\#(shown)"}}}}"#
            let userID = String(repeating: "u", count: 20_000)
            let before = try #require(backend.process.residentBytes)
            let answer = try await backend.administer(
                "POST", "/v1/projects/default/remoteConfig:preview",
                body: #"{"template":\#(template),"users":[{"userID":"\#(userID)"}]}"#)
            #expect(answer.status == 413)
            let peak = try #require(try Self.peakBytes(ofProcess: backend.process.identifier))
            #expect(peak - before < 200 << 20, "\(peak >> 20) MB")
            _ = await backend.stop()
        }
    }
#endif
