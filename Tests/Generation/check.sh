#!/usr/bin/env bash
# Builds a package that uses the plug-in GenerateSettings. The generated keys must match the file, and a
# planted fault in the file, in its schema or in its use must be an error with its place.
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=Tests/setup.sh
. Tests/setup.sh
setup swift python
root=$PWD
# A fixed path, so that only the first run builds the framework.
scratch=$root/.build/generation
package=$scratch/package
log=$scratch/log
rm -rf "$package"
mkdir -p "$package/Sources/Keys" "$package/Sources/App"
package=$(cd "$package" && pwd -P)
document=$package/Sources/Keys/AppActiveConfig.json
schema=$package/Sources/Keys/AppActiveConfig.schema.json
main=$package/Sources/App/Main.swift

cat >"$package/Package.swift" <<SWIFT
// swift-tools-version: 6.3
import PackageDescription

let package = Package(
    name: "GenerationCheck",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "ActiveConfig", path: "$root")],
    targets: [
        .target(
            name: "Keys", dependencies: [.product(name: "ActiveConfig", package: "ActiveConfig")],
            resources: [.copy("AppActiveConfig.json")],
            swiftSettings: [.defaultIsolation(MainActor.self), .treatAllWarnings(as: .error)],
            plugins: [.plugin(name: "GenerateSettings", package: "ActiveConfig")]),
        .executableTarget(
            name: "App",
            dependencies: ["Keys", .product(name: "ActiveConfig", package: "ActiveConfig")],
            swiftSettings: [.treatAllWarnings(as: .error)]),
    ])
SWIFT
# SwiftPM does not build a target that contains only generated files.
cat >"$package/Sources/Keys/Keys.swift" <<'SWIFT'
import ActiveConfig

/// Keys are nonisolated, whatever the module's default isolation is.
public nonisolated func isCheckoutOn() -> Bool { CheckoutKeys.isOn.defaultValue }
SWIFT
cat >"$main" <<'SWIFT'
import ActiveConfig
import Foundation
import Keys

@main
enum Main {
    static func main() throws {
        let document = URL(filePath: CommandLine.arguments[1])
        let state = try ConfigurationState(jsonData: Data(contentsOf: document))
        let settings = state.sections["Numbers"]
        let numbers = settings?["doubles"]?.arrayValue?.compactMap(\.doubleValue) ?? []
        let floats = settings?["floats"]?.arrayValue?.compactMap(\.floatValue) ?? []
        precondition(
            NumbersKeys.doubles.defaultValue.map(\.bitPattern) == numbers.map(\.bitPattern))
        precondition(
            NumbersKeys.floats.defaultValue.map(\.bitPattern) == floats.map(\.bitPattern))
        // Too many for a literal.
        precondition(NumbersKeys.many.defaultValue == Array(0..<20_000))
        print(numbers.count, floats.count, isCheckoutOn(), CheckoutKeys.isOn.defaultValue)
    }
}
SWIFT

# document VALUE: writes the document, with the value of Checkout.isOn and random numbers.
document() {
    python3 - "$1" >"$document" <<'PYTHON'
import json, random, struct, sys
random.seed(1)
def double():
    number = struct.unpack("<d", random.randbytes(8))[0]
    return number if number - number == 0 and random.random() < 0.3 else random.uniform(-9e6, 9e6)
def single():
    number = struct.unpack("<f", random.randbytes(4))[0]
    return number if number - number == 0 and random.random() < 0.3 else random.uniform(-1, 1)
print(json.dumps({"meta": {}, "config_sections": {
    "Checkout": {"settings": {"isOn": {"value": json.loads(sys.argv[1])}}},
    "Numbers": {"settings": {
        "doubles": {"value": [double() for _ in range(5000)]},
        "many": {"value": list(range(20000))},
        "floats": {"value": [single() for _ in range(5000)]}}},
}}, indent=4))
PYTHON
}
schema() {
    cat >"$schema" <<JSON
{
    "access_level": "public",
    "config_sections": {
        "Checkout": { "settings": { "isOn": { "type": "$1" } } },
        "Numbers": { "settings": { "floats": { "type": "[float]" } } }
    }
}
JSON
}
build() { swift build --package-path "$package" --scratch-path "$scratch/build" >"$log" 2>&1; }
fail_with_log() {
    cat "$log" >&2
    fail "$@"
}
builds() {
    build || fail_with_log "the package does not build: $1"
    echo "builds: $1"
}
# fails_with TEXT WHAT: expects that the build fails with an error at the place.
fails_with() {
    ! build || fail "the package builds despite $2"
    grep -qF -- "$1" "$log" || fail_with_log "$2 is not reported as $1"
    echo "planted: $2"
    grep -m 1 -F -- "$1" "$log" | sed "s|$root/||; s/^/    /"
}
# place FILE TEXT: the file, line and column of the text.
place() { awk -v text="$2" 'column = index($0, text) { print FILENAME ":" NR ":" column; exit }' "$1"; }
prints() {
    local printed
    printed=$("$scratch/build/debug/App" "$document")
    [ "$printed" = "$1" ] || fail "the package prints \"$printed\" instead of \"$1\""
}

# exits CODE ARGUMENT…: expects that the program ends with an exit code.
exits() {
    local code=0 expected=$1
    shift
    "$generator" "$@" >"$log" 2>&1 || code=$?
    [ "$code" -eq "$expected" ] || fail_with_log "ActiveConfigGenerator $* exits with $code"
}
# ACTIVECONFIG_BUILD is the folder of a finished build.
if [ -z "${ACTIVECONFIG_BUILD:-}" ]; then
    swift build --product ActiveConfigGenerator >"$log" 2>&1 ||
        fail_with_log "the program does not build"
    ACTIVECONFIG_BUILD=$(swift build --show-bin-path)
fi
generator=$ACTIVECONFIG_BUILD/ActiveConfigGenerator
unset ACTIVECONFIG_WITHOUT_PLUGIN
document true
exits 0 --help
exits 0 "$document" --output "$scratch/output.swift"
exits 0 "$document"
cmp "$log" "$scratch/output.swift"
exits 1 "$main"
exits 64
exits 64 --other
exits 64 "$document" --schema
exits 66 "$package/none.json"
exits 66 "$document" --schema "$package/none.json"
exits 73 "$document" --output "$package/none/output.swift"
echo "runs: the program, with its exit codes"

# As a dependency, the framework is built as its users build it.
unset STRICT
schema bool
builds "keys of a document and a schema, including 10,000 random numbers"
prints "5000 5000 true true"

builds "nothing changed"
# On a busy machine SwiftPM may link the tool again after a clean build.
! grep -q Linking "$log" || builds "nothing changed, again"
! grep -q Generating "$log" || fail_with_log "keys are generated though nothing changed"

document false
builds "the document changed"
prints "5000 5000 false false"

# replace FILE OLD NEW: replaces all of a text.
replace() {
    awk -v old="$2" -v new="$3" '{ gsub(old, new); print }' "$1" >"$log"
    cp "$log" "$1"
}
replace "$main" CheckoutKeys.isOn CheckoutKeys.isOff
fails_with "$(place "$main" isOff): error: type 'CheckoutKeys' has no member 'isOff'" \
    "a use of a key that is not in the document"
replace "$main" CheckoutKeys.isOff CheckoutKeys.isOn

schema "string?"
fails_with "$(place "$document" false): error: in config_sections.Checkout.settings.isOn.value: " \
    "a default of another type than the schema's"

schema boolean
fails_with "$(place "$schema" '"boolean"'): error: in config_sections.Checkout.settings.isOn.type: " \
    "an unknown type"

schema bool
replace "$document" false fasle
fails_with "$(place "$document" sle): error: in config_sections.Checkout.settings.isOn.value: " \
    "a document that is not valid JSON"

document true
replace "$document" '"isOn": {' '"title": "Hello", "isOn": {'
exits 0 "$document"
warning="$(place "$document" '"Hello"'): warning: in config_sections.Checkout.settings.title: "
grep -qF -- "$warning" "$log" || fail_with_log "a setting without a value is not named"
builds "a setting without a value, with a warning"
grep -qF -- "$warning" "$log" || fail_with_log "the build does not show the warning"
echo "planted: a setting without a value"

document false
rm "$schema"
fails_with "$(place "$main" "CheckoutKeys.isOn"): error: cannot find 'CheckoutKeys' in scope" \
    "a deleted schema, and with it the access level"

schema bool
builds "all faults fixed"
prints "5000 5000 false false"

swiftbuild() {
    swift build --build-system swiftbuild --package-path "$package" \
        --scratch-path "$scratch/swiftbuild" >"$log" 2>&1
}
if swift build --help | grep -q swiftbuild; then
    # SwiftPM 6.3.1 sometimes crashes with signal 11 before it has planned the build.
    code=139
    for _ in 1 2 3 4 5; do
        [ "$code" -ne 139 ] || { code=0 && swiftbuild || code=$?; }
    done
    [ "$code" -eq 0 ] || fail_with_log "the package does not build with the build system swiftbuild"
    echo "builds: the same with the build system swiftbuild"
fi
