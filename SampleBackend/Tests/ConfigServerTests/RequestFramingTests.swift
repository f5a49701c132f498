import NIOHTTP1
import Testing

@testable import HTTPServing

/// The header fields that determine where a request ends.
struct RequestFramingTests {
    @Test func namesHaveAnyCase() {
        let framing = RequestFraming([
            "HOST": "a", "host": "b", "Content-length": "12", "eXpect": "100-Continue",
            "Upgrade": "x",
        ])
        #expect(framing.hostCount == 2)
        #expect(framing.host == "a")
        #expect(framing.contentLength == 12)
        #expect(framing.expectsContinue)
        #expect(framing.asksForUpgrade)
        #expect(framing.declaresBody)
        #expect(!framing.hasTransferCoding)
        #expect(framing.hasKnownTransferCoding)
    }

    @Test func fieldsOfTheSameLengthAreOthers() {
        let framing = RequestFraming([
            "hos~": "a", "expecu": "100-continue", "content_length": "1", "upgradf": "x",
            "transfer-encodin~": "chunked",
        ])
        #expect(framing == RequestFraming([:]))
        #expect(!framing.declaresBody)
    }

    @Test func onlyChunksAreKnown() {
        #expect(RequestFraming(["Transfer-Encoding": "Chunked"]).hasKnownTransferCoding)
        for coding in ["gzip", "gzip, chunked", "chunked, chunked", ""] {
            #expect(!RequestFraming(["transfer-encoding": coding]).hasKnownTransferCoding)
        }
        let twice: HTTPHeaders = ["transfer-encoding": "chunked", "Transfer-Encoding": "chunked"]
        #expect(!RequestFraming(twice).hasKnownTransferCoding)
    }

    @Test func theFirstExpectationCounts() {
        #expect(!RequestFraming(["expect": "x", "Expect": "100-continue"]).expectsContinue)
        #expect(RequestFraming(["content-length": "99999999999999999999"]).contentLength == .max)
    }
}
