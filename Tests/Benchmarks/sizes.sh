#!/usr/bin/env bash
# Shows how much each library adds to the size of a program that reads one setting.
set -euo pipefail

here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
build=${BENCHMARKS_SCRATCH:-$here/.build}/sizes
# shellcheck source=Tests/setup.sh
. "$root/Tests/setup.sh"

usage() {
    cat <<TEXT
USAGE: Tests/Benchmarks/sizes.sh [--json]

Builds stripped release programs with a statically linked standard library: a baseline that uses URLSession
and JSONDecoder, and for each library of this package, and for swift-configuration, a program that reads one
setting. Prints the size of each and its growth in KiB. Takes two minutes; on Linux it installs the headers
of libcurl.

Exit codes: 0 success, 1 a program does not build, 64 wrong arguments, 69 a tool cannot be installed.
TEXT
}

json=""
case "${1:-}" in
"") ;;
--json) json=1 ;;
-h | --help) usage; exit 0 ;;
*) usage >&2; exit 64 ;;
esac

names=(Foundation Core Realtime Trust Reporting All Configuration)
# A target must not have the name of a dependency's target.
target() { echo "Program$1"; }

# program NAME IMPORTS CODE
program() {
    local folder
    folder=$build/package/Sources/$(target "$1")
    mkdir -p "$folder"
    {
        echo 'import Foundation'
        printf '#if canImport(FoundationNetworking)\nimport FoundationNetworking\n#endif\n'
        for module in $2; do echo "import $module"; done
        echo "$3"
    } >"$folder/main.swift"
}

base='let url = URL(string: "http://127.0.0.1:1/")!'
core="$base
let backend = ActiveConfigBackend(url: url)
var options = ActiveConfigOptions()
func makeConfig() -> ActiveConfig {
    ActiveConfig(
        configDownloader: JSONURLDownloader(backend: backend),
        configStore: FileDefaultsStore(directory: FileManager.default.temporaryDirectory),
        options: options)
}"
read='print(config["Home"]?.bool(forKey: "isOn") ?? false)'
realtime='let updater = ActiveConfigUpdater(config, backend: backend)
updater.start()'
trust='struct Keys: SignatureVerifier {
    func isValidSignature(_ signature: Data, of message: Data, keyID: String) -> Bool { false }
}
options.vetting = [SignatureVetting(verifier: Keys()), CrashGuard()]'
reporting='let recorder = ExposureRecorder(config) { print($0.count) }
let acknowledger = ConfigurationAcknowledger(config, backend: backend)'

rm -rf "$build/package"
program Foundation "" "$base
let (data, _) = try await URLSession.shared.data(from: url)
print((try JSONDecoder().decode([String: [String: Bool]].self, from: data))[\"Home\"]?[\"isOn\"] ?? false)"
program Core "ActiveConfig" "$core
let config = makeConfig()
$read"
program Realtime "ActiveConfig ActiveConfigRealtime" "$core
let config = makeConfig()
$realtime
$read"
program Trust "ActiveConfig ActiveConfigTrust" "$core
$trust
let config = makeConfig()
$read"
program Reporting "ActiveConfig ActiveConfigReporting" "$core
let config = makeConfig()
$reporting
$read"
program All "ActiveConfig ActiveConfigRealtime ActiveConfigTrust ActiveConfigReporting" "$core
$trust
let config = makeConfig()
$realtime
$reporting
$read"
program Configuration "Configuration" "let provider = InMemoryProvider(values: [\"home.isOn\": true])
print(ConfigReader(provider: provider).bool(forKey: \"home.isOn\", default: false))"

{
    cat <<TEXT
// swift-tools-version: 6.3
import PackageDescription

let package = Package(
    name: "Sizes", platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "ActiveConfig", path: "$root"),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0"),
    ],
    targets: [
TEXT
    for name in "${names[@]}"; do
        products=""
        for module in $(sed -n 's/^import \(ActiveConfig[A-Za-z]*\|Configuration\)$/\1/p' "$build/package/Sources/$(target "$name")/main.swift"); do
            package=ActiveConfig
            [ "$module" != Configuration ] || package=swift-configuration
            products+=".product(name: \"$module\", package: \"$package\"), "
        done
        echo "        .executableTarget(name: \"$(target "$name")\", dependencies: [${products%, }]),"
    done
    printf '    ], swiftLanguageModes: [.v5])\n'
} >"$build/package/Package.swift"

options=(-c release --package-path "$build/package" --scratch-path "$build/build")
setup libcurl
[ "$(uname -s)" = Darwin ] || options+=(--static-swift-stdlib)
for name in "${names[@]}"; do
    [ ! -t 2 ] || echo "building $name" >&2
    # Builds only this product and its dependencies.
    swift build "${options[@]}" --product "$(target "$name")" >"$build/log" 2>&1 || {
        cat "$build/log" >&2
        exit 1
    }
done
binaries=$(swift build "${options[@]}" --show-bin-path)
size_of() {
    cp "$binaries/$(target "$1")" "$build/stripped"
    strip "$build/stripped"
    wc -c <"$build/stripped"
}
foundation=$(size_of Foundation)
core=0
[ -z "$json" ] || printf '['
separator=""
for name in "${names[@]}"; do
    size=$(size_of "$name")
    [ "$name" != Core ] || core=$size
    case $name in
    Foundation) from=$size than="" ;;
    Core | Configuration) from=$foundation than=Foundation ;;
    *) from=$core than=Core ;;
    esac
    if [ -n "$json" ]; then
        printf '%s{"program":"%s","bytes":%d,"grows_by":%d,"than":"%s"}' \
            "$separator" "$name" "$size" "$((size - from))" "$than"
        separator=,
    else
        printf '%-14s %8d KiB   %s\n' "$name" "$((size / 1024))" \
            "${than:++$(((size - from) / 1024)) KiB to $than}"
    fi
done
[ -z "$json" ] || printf ']\n'
