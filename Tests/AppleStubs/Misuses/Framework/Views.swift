#if canImport(SwiftUI)
    import Observation
    import SwiftUI

    @Observable @MainActor
    final class Settings {
        var title = ""
        var isOn = false

        func reload() async {}
    }

    struct SettingsView: View {
        @Environment(\.scenePhase) private var scenePhase
        @Bindable var settings: Settings

        var body: some View {
            NavigationStack {
                List {
                    Section("Settings") { Toggle("On", isOn: $settings.isOn) }
                    Button("Clear") { settings.title = "" }
                }
                .navigationTitle("Settings")
                .task { await settings.reload() }
            }
        }

        private var title: some View {
            Text(settings.title)
                .padding()
                .navigationCaption("Settings")  // misuse
        }

        private var toggle: some View {
            Toggle("On", isOn: settings.isOn)  // misuse
        }

        private var isShown: Bool {
            switch scenePhase {  // misuse
            case .active, .inactive: true
            case .background: false
            }
        }
    }

    func title(of settings: Settings) -> String {
        settings.title  // misuse
    }
#endif
