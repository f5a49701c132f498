#!/usr/bin/env bash
# Gives the backend the same versions of its dependencies in every build: see usage.
set -euo pipefail
cd "$(dirname "$0")"

usage() {
    cat <<TEXT
USAGE: SampleBackend/pin-versions.sh [--check | --update]

Writes Package.resolved, from which SwiftPM takes the commits of dependencies, for the versions in
Package.versions: on each line a URL and a version. Package.resolved itself is not committed, because a
mirror may have the same versions as other commits.

  --check   fails if Package.resolved has other versions
  --update  writes the newest versions that Package.swift allows to both files

Exit codes: 0 success, 1 other versions, or a version cannot be found, 64 wrong usage.
TEXT
}

refuse() {
    echo "pin-versions.sh: $*" >&2
    exit 1
}
# The versions in Package.resolved, as in Package.versions.
resolved() {
    [ ! -e Package.resolved ] ||
        awk -F'"' '$2 == "location" { url = $4 } $2 == "version" && $4 { print url, $4 }' Package.resolved | LC_ALL=C sort
}
# Package.resolved for the lines of Package.versions.
pins() {
    local url version commit name separator=""
    printf '{\n  "pins" : [\n'
    while read -r url version; do
        # The second line is the commit of a tag with a message.
        commit=$(git ls-remote "$url" "refs/tags/$version" "refs/tags/$version^{}" | tail -n 1 | cut -f 1)
        [ -n "$commit" ] || refuse "$url has no version $version"
        name=$(basename "$url" .git | tr '[:upper:]' '[:lower:]')
        printf '%s    {\n      "identity" : "%s",\n      "kind" : "remoteSourceControl",\n' "$separator" "$name"
        printf '      "location" : "%s",\n      "state" : {\n' "$url"
        printf '        "revision" : "%s",\n        "version" : "%s"\n      }\n    }' "$commit" "$version"
        separator=$',\n'
    done <Package.versions
    printf '\n  ],\n  "version" : 3\n}\n'
}

case "$*" in
"")
    [ "$(resolved)" != "$(cat Package.versions)" ] || exit 0
    written=$(pins)
    echo "$written" >Package.resolved
    ;;
--check)
    [ "$(resolved)" = "$(cat Package.versions)" ] ||
        refuse "the build has other versions than Package.versions: run SampleBackend/pin-versions.sh --update"
    ;;
--update)
    swift package update
    resolved >Package.versions
    ;;
-h | --help) usage ;;
*)
    usage >&2
    exit 64
    ;;
esac
