import ActiveConfig
import Foundation
import NIOCore

/// A rendered document that many users share: whole, or with gaps for the user's ID.
struct RenderedPieces: Sendable {
    /// The bytes between the gaps; one piece when there are none.
    private let pieces: [ByteBuffer]

    /// The document as it is sent, when there are no gaps.
    private let whole: RenderedConfiguration?

    /// The bytes of all pieces.
    let byteCount: Int

    /// Takes a document that is the same for all users.
    init(_ state: ConfigurationState) {
        let whole = RenderedConfiguration(state)
        self.whole = whole
        pieces = []
        byteCount = whole.jsonBytes.readableBytes
    }

    /// Takes a document in which a text stands for the user's ID.
    ///
    /// - Parameters:
    ///   - state: The configuration.
    ///   - placeholder: The text; ASCII without anything that JSON escapes, and in no other place.
    init(_ state: ConfigurationState, placeholder: String) {
        var rest = state.jsonData()[...]
        let placeholder = Data(placeholder.utf8)
        var pieces: [ByteBuffer] = []
        while let gap = rest.range(of: placeholder) {
            pieces.append(ByteBuffer(bytes: rest[..<gap.lowerBound]))
            rest = rest[gap.upperBound...]
        }
        pieces.append(ByteBuffer(bytes: rest))
        self.pieces = pieces
        whole = nil
        byteCount = pieces.reduce(0) { $0 + $1.readableBytes }
    }

    /// The document of a user.
    func configuration(forUserID userID: String?) -> RenderedConfiguration {
        if let whole { return whole }
        // The text of a JSON string, without its quotation marks.
        let text = SettingValue.string(userID ?? "").jsonData().dropFirst().dropLast()
        var bytes = ByteBuffer()
        bytes.reserveCapacity(byteCount + text.count * (pieces.count - 1))
        for (index, piece) in pieces.enumerated() {
            if index > 0 { bytes.writeBytes(text) }
            bytes.writeImmutableBuffer(piece)
        }
        return RenderedConfiguration(jsonBytes: bytes)
    }
}
