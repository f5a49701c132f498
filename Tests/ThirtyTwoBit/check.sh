#!/usr/bin/env bash
# Compiles and runs the framework's arithmetic with a 32-bit Int, as on arm64_32 watches.
# Embedded Swift has a standard library for wasm32, and Node runs the result.
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=Tests/setup.sh
. Tests/setup.sh
setup swift node

build=.build/thirty-two-bit
target=wasm32-unknown-none-wasm
# All files that compute with integers and need neither Foundation nor a dynamic cast.
sources=$(echo Sources/ActiveConfig/Tables/{ByteHash,NameOrder,NameTable}.swift \
    Sources/ActiveConfig/Model/NumberText.swift \
    Sources/ActiveConfig/Format/Reading/SettingValueReader.swift \
    Sources/ActiveConfig/Tables/SHA256.swift)

toolchain=$(dirname "$(dirname "$(readlink -f "$(command -v swiftc)")")")
linker=$(command -v wasm-ld || echo "$toolchain/bin/wasm-ld")
tables=$toolchain/lib/swift/embedded/$target/libswiftUnicodeDataTables.a
[ -x "$linker" ] && [ -e "$tables" ] ||
    fail "this toolchain has no Embedded Swift for $target; use one of https://www.swift.org/install"

mkdir -p "$build"
options="-enable-experimental-feature Embedded -target $target -wmo -parse-as-library
    -swift-version 6 -enable-upcoming-feature MemberImportVisibility -package-name ActiveConfig"
# shellcheck disable=SC2086
swiftc $options -module-name ActiveConfigJSON Sources/ActiveConfigJSON/*.swift \
    -emit-module-path "$build/ActiveConfigJSON.swiftmodule" -c -o "$build/json.o"
# shellcheck disable=SC2086
swiftc $options -module-name ActiveConfig -I "$build" $sources Tests/ThirtyTwoBit/*.swift \
    -c -o "$build/check.o"
"$linker" --no-entry --export=__main_argc_argv --export=__heap_base --allow-undefined \
    "$build/check.o" "$build/json.o" "$tables" -o "$build/check.wasm"
node Tests/ThirtyTwoBit/run.mjs "$build/check.wasm"
