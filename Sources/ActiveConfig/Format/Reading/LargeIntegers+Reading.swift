import ActiveConfigJSON

extension SettingValueReader {
    /// The integers beyond `Int` in the text from `start` to the current position, which has
    /// already been read.
    ///
    /// Reads the text a second time only if there are any.
    mutating func takeLargeIntegers(
        from start: Int, in json: inout JSONReader
    ) throws(JSONFault) -> LargeIntegers? {
        guard hasLargeIntegers else { return nil }
        hasLargeIntegers = false
        json.offset = start
        return try LargeIntegers.read(from: &json)
    }
}

extension LargeIntegers {
    private struct OpenContainer {
        let isObject: Bool
        /// Number of items begun so far.
        var count = 0
        /// The name of the item begun last.
        var name = ""
        var items: [String: SettingValue] = [:]

        /// Moves to the next item's value; false behind the closing bracket.
        mutating func beginItem(in json: inout JSONReader) throws(JSONFault) -> Bool {
            let isFirst = count == 0
            guard isObject else {
                guard try json.nextElement(isFirst: isFirst) else { return false }
                name = "\(count)"
                count += 1
                return true
            }
            guard try json.nextMember(isFirst: isFirst) else { return false }
            name = try json.readString()
            try json.takeColon()
            count += 1
            return true
        }

        /// Of members with one name the last counts (FORMAT 1.3).
        mutating func endItem(with tree: SettingValue?) { items[name] = tree }
    }

    fileprivate static func read(from json: inout JSONReader) throws(JSONFault) -> LargeIntegers? {
        // Not recursive: a value may be nested deeper than the stack allows.
        var open: [OpenContainer] = []
        while true {
            if json.next == UInt8(ascii: "{") || json.next == UInt8(ascii: "[") {
                open.append(OpenContainer(isObject: json.next == UInt8(ascii: "{")))
                try json.takeOpeningBracket()
            } else {
                let start = json.position
                _ = try json.readScalar()
                let tree = json.largeInteger(from: start).map { SettingValue.string($0) }
                guard let container = open.indices.last else { return tree.map(LargeIntegers.init) }
                open[container].endItem(with: tree)
            }
            while let container = open.indices.last, try !open[container].beginItem(in: &json) {
                let items = open.removeLast().items
                let tree: SettingValue? = items.isEmpty ? .none : .object(items)
                guard let outer = open.indices.last else { return tree.map(LargeIntegers.init) }
                open[outer].endItem(with: tree)
            }
        }
    }
}
