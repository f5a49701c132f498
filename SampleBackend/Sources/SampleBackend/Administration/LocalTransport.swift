import ConfigServer
import Foundation
import HTTPTypes
import Logging
import NIOCore
import NIOFoundationEssentialsCompat
import TemplateStore

/// Handles requests with a store that this process opens.
struct LocalTransport: AdministrationTransport {
    let store: any TemplateStore
    private let administration: LocalAdministration

    /// Opens the store.
    ///
    /// - Throws: A ``CommandFailure`` when it cannot be opened.
    init(_ location: StoreLocation) async throws {
        store = try await location.openExisting()
        var logger = Logger(label: "sample-backend") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = .error
        do {
            administration = try await LocalAdministration(
                store: store, administratorName: LocalAdministration.namePrefix + NSUserName(),
                logger: logger)
        } catch {
            await store.close()
            throw CommandFailure("\(error)", code: Exit.unavailable)
        }
    }

    func send(_ request: AdministrationRequest) async throws -> AdministrationAnswer {
        var fields = HTTPFields()
        if let ifMatch = request.ifMatch { fields[.ifMatch] = ifMatch }
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
