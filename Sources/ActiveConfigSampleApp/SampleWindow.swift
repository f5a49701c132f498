#if canImport(SwiftUI)
    import ActiveConfig
    import Foundation
    import SwiftUI

    /// The sample app in a window: the users, the live view, the explanation of its settings, and
    /// the screen of an app that may not run.
    struct SampleWindow: App {
        private let config: ActiveConfig

        init() {
            let arguments = Array(CommandLine.arguments.dropFirst())
            // Started only after the arguments were parsed without an error.
            config =
                (try? SampleOptions(arguments: arguments)).map(SampleModel.configuration)
                ?? ActiveConfig(configStore: InMemoryStore())
        }

        var body: some Scene {
            WindowGroup {
                LaunchView(gate: LaunchGate(config, appVersion: SampleModel.appVersion)) {
                    UserList(config: config)
                }
                .activeConfig(config)
            }
        }
    }

    /// Shows its content when the app may run.
    private struct LaunchView<Content: View>: View {
        @State var gate: LaunchGate
        @ViewBuilder let content: () -> Content

        var body: some View {
            VStack {
                switch gate.state {
                case .loading: ProgressView()
                case .ready: content()
                case .maintenance(let message, let end):
                    Text(message ?? "We are back soon.")
                    if let end { Text("Until \(end.formatted())") }
                case .updateRequired(let version): Text("Version \(version) is needed.")
                @unknown default: content()
                }
            }
            .task { await gate.check() }
        }
    }

    private struct UserList: View {
        let config: ActiveConfig
        @State private var userID: String?

        var body: some View {
            NavigationStack {
                VStack {
                    List {
                        ForEach(["1", "2", "3"], id: \.self) { id in
                            Button("User \(id)") { choose(id) }
                        }
                        Button("Generic user") { choose(nil) }
                    }
                    LiveView(config: config, settings: ObservableActiveConfig(config))
                    Button("Download") { config.startDownload() }
                }
                .navigationTitle(userID.map { "User \($0)" } ?? "Generic user")
            }
        }

        private func choose(_ id: String?) {
            config.currentUserID = id
            userID = id
            config.startDownload()
        }
    }

    /// Follows only its section.
    private struct LiveView: View {
        let config: ActiveConfig
        let settings: ObservableActiveConfig
        @State private var isExplained = false

        var body: some View {
            let view = SampleViewConfiguration(settings)
            VStack {
                Text(view.label)
                Button("Button") {}.disabled(!view.isButtonEnabled)
                Button("Why?") { isExplained = true }
            }
            .background(Color(red: view.red, green: view.green, blue: view.blue))
            .sheet(isPresented: $isExplained) {
                Text(config.diagnostics.report().description)
            }
        }
    }
#endif
