# Builds an earlier commit, to measure it in comparison with this one. Source it from the project's
# folder, after setup.sh.

# check_out_earlier COMMIT: checks out the commit in a separate folder; sets earlier_folder and
# earlier_commit. The folder is kept in ACTIVECONFIG_BUILD_CACHE (default: activeconfig in the user's
# cache folder) with its builds, so that another commit only builds the differences.
check_out_earlier() {
    local cache=${ACTIVECONFIG_BUILD_CACHE:-${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/activeconfig} commit
    commit=$(git rev-parse --verify -q "$1^{commit}") || fail "there is no commit $1"
    earlier_folder=$cache/earlier
    # shellcheck disable=SC2034
    earlier_commit=$(git rev-parse --short "$commit")
    mkdir -p "$earlier_folder" || fail "$earlier_folder cannot be created"
    # Keep the checkout locked until the script ends.
    ! command -v flock >/dev/null 2>&1 ||
        { exec 9>>"$cache/earlier.lock" && flock -n 9; } || fail "another run uses $earlier_folder"
    [ -e "$earlier_folder/.git" ] || git init -q "$earlier_folder"
    git -C "$earlier_folder" fetch -q "$PWD" "$commit" &&
        git -C "$earlier_folder" checkout -q --force --detach "$commit" ||
        fail "$commit cannot be checked out in $earlier_folder"
}

# use_versions PACKAGE: lets the earlier package have the dependency versions of this commit's.
use_versions() { [ ! -e "$1/Package.resolved" ] || cp "$1/Package.resolved" "$earlier_folder/$1/"; }

# build_earlier_backend PRODUCT …: builds the backend's products that exist for release, as this commit does,
# and prints the folder of the programs.
build_earlier_backend() {
    use_versions SampleBackend
    SampleBackend/build-release.sh --package "$earlier_folder/SampleBackend" "$@" 9>&- || fail "$earlier_commit cannot be built"
}

# build_earlier_benchmarks: builds the framework's benchmarks for release, and prints the folder of the program.
build_earlier_benchmarks() {
    local package=$earlier_folder/Tests/Benchmarks
    use_versions Tests/Benchmarks
    swift build -c release --package-path "$package" --product activeconfig-benchmarks >&2 9>&- ||
        fail "the benchmarks of $earlier_commit cannot be built"
    swift build -c release --package-path "$package" --show-bin-path 9>&-
}
