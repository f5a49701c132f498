import ConfigServer
import Foundation
import HTTPTypes
import Logging
import NIOCore
import NIOFoundationEssentialsCompat
import TemplateStore

/// Handles requests with a store that this process opens.
///
/// Requests that only read leave a backup as it is: they are answered from a private copy.
actor LocalTransport: AdministrationTransport {
    private let location: StoreLocation
    private var store: any TemplateStore
    private var administration: LocalAdministration

    /// True until a request changes a backup.
    private var isCopyOfBackup: Bool

    /// Opens the store.
    ///
    /// - Throws: A ``CommandFailure`` when it cannot be opened.
    init(_ location: StoreLocation) async throws {
        self.location = location
        isCopyOfBackup = location.isBackup
        (store, administration) = try await Self.open(location, isForReading: isCopyOfBackup)
    }

    private static func open(
        _ location: StoreLocation, isForReading: Bool
    ) async throws -> (any TemplateStore, LocalAdministration) {
        let store = try await location.openExisting(isForReading: isForReading)
        var logger = Logger(label: "sample-backend") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = .error
        do {
            let administration = try await LocalAdministration(
                store: store, administratorName: LocalAdministration.namePrefix + NSUserName(),
                logger: logger)
            return (store, administration)
        } catch {
            await store.close()
            throw CommandFailure("\(error)", code: Exit.unavailable)
        }
    }

    func send(_ request: AdministrationRequest) async throws -> AdministrationAnswer {
        if isCopyOfBackup, request.changesStore {
            isCopyOfBackup = false
            await store.close()
            (store, administration) = try await Self.open(location, isForReading: false)
        }
        var fields = HTTPFields()
        if let ifMatch = request.ifMatch { fields[.ifMatch] = ifMatch }
        if request.isNew { fields[.ifNoneMatch] = "*" }
        let answer = await administration.answer(
            method: HTTPRequest.Method(request.method) ?? .get, path: request.path,
            headerFields: fields, body: ByteBuffer(bytes: request.body ?? Data()))
        let warnings = answer.headerFields.filter { $0.name.canonicalName == "warning" }
        return AdministrationAnswer(
            status: answer.status.code, entityTag: answer.headerFields[.eTag],
            warnings: warnings.flatMap { WarningField.texts($0.value) },
            body: Data(buffer: answer.body))
    }

    func close() async {
        await store.close()
    }
}
