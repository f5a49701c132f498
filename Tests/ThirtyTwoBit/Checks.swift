import ActiveConfigJSON

/// Checks of code that computes with `Int`; they run where `Int` has 32 bits.
@main
struct Checks {
    private var failures = 0

    static func main() {
        var checks = Checks()
        checks.expect(Int.bitWidth == 32, "Int has 32 bits")
        checks.checkNumbers()
        checks.checkNumbersInText()
        checks.checkNames()
        checks.checkDigests()
        print(checks.failures == 0 ? "All checks pass with a 32-bit Int." : "FAILED")
        // Traps, so that the process fails.
        precondition(checks.failures == 0)
    }

    private mutating func expect(_ isRight: Bool, _ what: String) {
        if isRight { return }
        failures += 1
        print("Not so: \(what)")
    }

    /// Kind and value of a JSON number.
    private enum Number: Equatable {
        case integer(Int)
        case double(Double)
        case other

        init(_ value: SettingValue?) {
            switch value {
            case .integer(let value): self = .integer(value)
            case .double(let value): self = .double(value)
            default: self = .other
            }
        }
    }

    /// Numbers around the limits of 32, 53 and 64 bits, as JSON and as text in a setting.
    private static let numbers: [(text: String, number: Number)] = [
        ("0", .integer(0)), ("-1", .integer(-1)),
        ("2147483647", .integer(2_147_483_647)), ("2147483648", .double(0x1p31)),
        ("-2147483648", .integer(-2_147_483_648)), ("-2147483649", .double(-2_147_483_649)),
        ("4294967295", .double(4_294_967_295)), ("4294967296", .double(0x1p32)),
        ("9007199254740993", .double(0x1p53)),
        ("9223372036854775807", .double(0x1p63)), ("-9223372036854775808", .double(-0x1p63)),
        ("18446744073709551615", .double(0x1p64)), ("18446744073709551616", .double(0x1p64)),
        ("2147483647.0", .double(2_147_483_647)), ("4294967296e2", .double(429_496_729_600)),
        ("1e10", .double(1e10)), ("1e-2147483649", .double(0)),
        ("0.00000000000000000000000000000000000001e4294967296", .other),
    ]

    private mutating func checkNumbers() {
        for (text, number) in Self.numbers {
            expect(Number(read(text)) == number, "the JSON number \(text)")
        }
        var list = "["
        for (text, number) in Self.numbers where number != .other { list += text + "," }
        if case .array(let elements)? = read(list + "0]") {
            expect(elements.count == Self.numbers.count, "an array of all numbers")
        } else {
            expect(false, "an array of all numbers is read")
        }
        expect(Number(read(String(repeating: "9", count: 400))) == .other, "400 digits")
    }

    private mutating func checkNumbersInText() {
        for (text, number) in Self.numbers {
            expect(Number(NumberText.value(of: " \(text) ")) == number, "the text \(text)")
        }
    }

    /// Half of all hashes are 2³¹ or greater, and do not fit in a 32-bit `Int`.
    private mutating func checkNames() {
        var names: [String] = []
        for number in 0..<3_000 { names.append("name \(number)") }
        names += ["", "é", "\u{212A}", "한"]
        var entries: ContiguousArray<NameTable<Int>.Entry> = []
        for (number, name) in names.enumerated() {
            entries.append(.init(name: name, value: number, hash: NameHash.hash(name)))
        }
        let table = NameTable(entries)
        for (number, name) in names.enumerated() {
            expect(table[name] == number, "the name \(name) is found")
        }
        for hash in [0, 1, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF] as [UInt32] {
            let one = NameTable([NameTable<Int>.Entry(name: "a", value: 7, hash: hash)])
            expect(one.value(ofName: "a", hash: hash) == 7, "a name whose hash is \(hash) is found")
            expect(one.value(ofName: "b", hash: hash) == nil, "another name is not")
        }
    }

    /// Checksums and digests are part of the stores' files, so they must be the same on all
    /// machines.
    private mutating func checkDigests() {
        let texts: [(text: String, checksum: UInt64)] = [
            ("", 0x35D6_5723_0BB7_92F3), ("a", 0x883F_8E92_8BF8_184C),
            ("12345678", 0xCD98_54C3_DC40_FE62),
            ("The quick brown fox jumps over the lazy dog", 0x0FFC_7EC5_D6A6_443F),
        ]
        for (text, checksum) in texts {
            let hash = Array(text.utf8).withUnsafeBytes {
                ByteHash.hash($0, seed: ByteHash.checksumSeed)
            }
            expect(hash == checksum, "the checksum of \(text)")
        }
        expect(
            SHA256.hexDigest(of: "abc".utf8)
                == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
            "the digest of abc")
    }

    /// Value of a JSON text; nil if the text is invalid.
    private func read(_ text: String) -> SettingValue? {
        try? JSONReader.read(Array(text.utf8), maximumSize: 1_000, maximumDepth: 8) {
            json throws(JSONFault) in
            var values = SettingValueReader()
            return try values.read(from: &json)
        }
    }
}
