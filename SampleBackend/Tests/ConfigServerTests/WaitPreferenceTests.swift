import ClientAPI
import ServerTestSupport
import Testing

/// The preference `wait` (RFC 7240).
@Suite struct WaitPreferenceTests {
    @Test(arguments: [
        ("wait=25", 25), ("wait=1", 1), ("wait=0", 1), ("wait=60", 60), ("wait=61", 60),
        ("wait=99999999999999999999999", 60), ("WAIT=25", 25), ("Wait = 25", 25),
        ("wait=\"25\"", 25), ("wait=\"2\\5\"", 25), ("wait=25; a=b", 25), ("wait=25;a", 25),
        ("wait=25;a=\"x,wait=3\"", 25), ("respond-async, wait=25", 25),
        ("respond-async,wait=25,handling=strict", 25), ("a=\"x, wait=3\", wait=25", 25),
        ("a; wait=3, wait=25", 25), ("wait=25, wait=30", 25), (", ,\twait=007", 7),
        ("return=minimal; foo=\"a;b\" , wait=\t25 ", 25),
    ])
    func aWaitIsReadAndClamped(value: String, expected: Int) {
        #expect(WaitPreference(value)?.seconds == expected)
    }

    @Test(arguments: [
        "", ",", "wait", "wait=", "wait=\"\"", "wait=x", "wait=-5", "wait=+5", "wait=1.5",
        "wait=25 5", "wait=\"25", "wait=25s", "waits=25", "a=wait", "a; wait=25", "wait=x, wait=25",
        "wait==25", "wait=\"25\"5", "=25", "\"wait\"=25", "wait=\u{0661}",
    ])
    func anythingElseIsIgnored(value: String) {
        #expect(WaitPreference(value) == nil)
    }

    @Test func noTextCrashesTheParser() {
        let alphabet = Array("wait=25;,\"\\ \t")
        var texts = [""]
        for _ in 0..<5 {
            texts = texts.flatMap { text in alphabet.map { text + String($0) } }.filter {
                $0.count < 5
            }
            for text in texts { _ = WaitPreference(text) }
        }
        let whole = "a=\"x\\\",\", wait = \"25\" ; b=\"c\", d"
        for length in 0...whole.count { _ = WaitPreference(String(whole.prefix(length))) }
        #expect(WaitPreference(whole)?.seconds == 25)
    }
}
