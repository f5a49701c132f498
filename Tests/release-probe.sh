#!/usr/bin/env bash
# Builds DownloadProbe with optimization into a folder: Tests/release-probe.sh FOLDER
#
# `swift build -c release` would also build the tool of the package's plug-in, and the framework
# again for it, which takes twice as long.
set -euo pipefail
build=$(mkdir -p "$1" && cd "$1" && pwd)
cd "$(dirname "$0")/.."
[ ! -e "$build/DownloadProbe" ] ||
    [ -n "$(find Sources Tests/DownloadProbe Tests/*.sh -newer "$build/DownloadProbe")" ] || exit 0
# shellcheck source=Tests/compiler-options.sh
. Tests/compiler-options.sh
options="$compiler_options -O -wmo -num-threads 2 -package-name ActiveConfig -I $build"
libraries=""
for module in ActiveConfigEventStream ActiveConfigJSON ActiveConfig ActiveConfigRealtime; do
    # shellcheck disable=SC2046,SC2086
    swiftc $options -module-name $module -emit-library -static -o "$build/lib$module.a" \
        -emit-module -emit-module-path "$build/$module.swiftmodule" \
        $(find "Sources/$module" -name '*.swift')
    libraries="$build/lib$module.a $libraries"
done
# shellcheck disable=SC2086
swiftc $options -module-name DownloadProbe Tests/DownloadProbe/*.swift $libraries \
    -o "$build/DownloadProbe"
