# The parts of the checks, a function each; sourced by run.sh.

# Parts of the gate.

run_format() {
    step "structure" check_structure
    step "formatter" check_format
    step "deadlines" check_deadlines
}

check_structure() {
    setup python
    Tests/Structure/check.py --self-test >/dev/null ||
        refuse "Tests/Structure/check.py does not find planted circles any more"
    Tests/Structure/check.py Sources SampleBackend/Sources
    swift package show-dependencies | grep -q "No external dependencies found" ||
        refuse "the root package has a dependency; it must have none"
    local folders
    folders=$(git ls-files -co --exclude-standard | grep / | cut -d/ -f1 | sort -u |
        grep -vxE 'Sources|Tests|SampleBackend|Bootstrap|\.ci' || true)
    [ -z "$folders" ] || refuse "these top-level folders do not belong here: $folders"
}
check_deadlines() {
    Tests/Structure/deadlines.py --self-test >/dev/null ||
        refuse "Tests/Structure/deadlines.py does not find planted deadlines any more"
    Tests/Structure/deadlines.py
}
check_format() {
    git ls-files -z -co --exclude-standard '*.swift' |
        xargs -0 swift format lint --strict --parallel
}

run_framework() {
    step "build" build_package .
    step "tests" test_package .
    step "32 bits" Tests/ThirtyTwoBit/check.sh
    if conditions_have_changed; then
        run_apple
    else
        step "iOS and macOS" Tests/AppleStubs/check.sh iOS macOS
    fi
}
# Whether the check for Apple's platforms, or a condition of compilation, has changed lately.
conditions_have_changed() {
    local base
    base=$(base_commit) || return 1
    ! git diff --quiet "$base" -- Tests/AppleStubs ||
        git diff "$base" -- Sources Tests | grep -qE '^[+-] *#(if|elseif|else|endif)\b'
}

run_backend() {
    setup sqlite openssl curl
    step "build" build_package SampleBackend
    step "tests" test_package SampleBackend
    step "OpenFeature" SampleBackend/Tests/OpenFeature/run.sh
}

run_console() {
    step "logic" SampleBackend/Tests/ConsoleLogic/run.sh
    step "build" build_backend_package
    step "browser" SampleBackend/Tests/Console/run.sh --gate
}
build_backend_package() {
    setup sqlite
    build_package SampleBackend
}

run_docs() {
    setup docc
    step "build" build_package .
    step "examples" Tests/Examples/compile.sh
    step "articles" check_documentation
}
check_documentation() {
    local docc triple graphs=.build/docs/graphs module
    docc=$(command -v docc || xcrun --find docc)
    triple=$(swiftc -print-target-info | sed -n 's/^ *"triple": "\(.*\)",/\1/p' | head -n 1)
    rm -rf .build/docs
    for module in ActiveConfigJSON ActiveConfigEventStream ActiveConfig ActiveConfigTesting \
        ActiveConfigGeneration; do
        mkdir -p "$graphs/$module"
        swift symbolgraph-extract -module-name "$module" -I "$ACTIVECONFIG_BUILD/Modules" \
            -target "$triple" -output-dir "$graphs/$module" \
            -minimum-access-level public -skip-synthesized-members
        "$docc" convert "Sources/$module/$module.docc" \
            --additional-symbol-graph-dir "$graphs/$module" \
            --fallback-display-name "$module" --fallback-bundle-identifier "activeconfig.$module" \
            --output-dir ".build/docs/$module.doccarchive" \
            --warnings-as-errors --experimental-documentation-coverage
    done
    echo "Documentation: .build/docs/*.doccarchive"
}

# Parts of the nightly run.

run_checks() {
    step "failures in logs" Tests/failures.py --self-test
    step "builds kept between clones" Tests/builds-test.sh
}

# The optimizer must not remove code that keeps a process alive against a hostile server.
run_release() {
    step "build" build_package .
    step "probe for release" Tests/release-probe.sh .build/probes
    ACTIVECONFIG_PROBES=$PWD/.build/probes step "tests" test_package . --filter DownloadFaultTests
}

run_generation() {
    step "build" build_package .
    step "build and tests with the plug-in" test_with_plugin
    step "package that uses the plug-in" Tests/Generation/check.sh
}
test_with_plugin() (
    unset ACTIVECONFIG_WITHOUT_PLUGIN
    swift build --build-tests --scratch-path .build/with-plugin "${build_options[@]}"
    swift test --skip-build --scratch-path .build/with-plugin --filter ActiveConfigGenerationTests
)

run_apple() {
    step "build" build_package .
    step "Apple platforms" Tests/AppleStubs/check.sh
    step "planted misuses" Tests/AppleStubs/check.sh --self-test
}

run_openapi() {
    step "build" build_backend_package
    local seed
    for seed in 20261121 1 "$(date +%Y%m%d)"; do
        step "seed $seed" SampleBackend/Tests/Schema/run.sh "$seed"
    done
}

run_console-all() {
    step "build" build_backend_package
    step "browser" SampleBackend/Tests/Console/run.sh
    step "browser behind nginx" SampleBackend/Tests/Console/run.sh --gate --nginx
}

run_benchmarks() {
    step "build" build_package Tests/Benchmarks
    step "tests" test_package Tests/Benchmarks
}

run_faults() {
    setup sqlite openssl curl
    export ACTIVECONFIG_NIGHTLY=1
    step "build of the framework" build_package .
    step "tests of the framework" test_package .
    step "build of the backend" build_package SampleBackend
    step "tests of the backend" test_package SampleBackend
    local updater_load
    updater_load=$(dirname "$SAMPLE_BACKEND")/UpdaterLoad
    step "broken servers" "$updater_load" faults --backend "$SAMPLE_BACKEND" --users 4
    step "changing users" "$updater_load" users --backend "$SAMPLE_BACKEND" --users 4 --minutes 1
    step "killed and paused backend" "$updater_load" soak --backend "$SAMPLE_BACKEND" --users 50 \
        --minutes 2
}

run_address() { run_sanitizer address; }
run_thread() { run_sanitizer thread; }
run_sanitizer() {
    setup sqlite openssl curl
    local package
    for package in . SampleBackend; do
        step "build of $package" sanitized "$1" "$package" swift build --build-tests
        step "tests of $package" sanitized "$1" "$package" swift test --skip-build
    done
}

run_fuzz() {
    local seconds=${FUZZ_SECONDS:-300} target
    step "documents" Tests/Fuzzing/fuzz.sh "$seconds"
    step "event streams" Tests/Fuzzing/EventStreams/fuzz.sh "$seconds"
    # The fuzzers of the backend link modules of its debug build.
    step "build" build_backend_package
    for target in conditions patterns requests; do
        step "$target" SampleBackend/Tests/Fuzzing/fuzz.sh "$target" "$seconds"
    done
}

# On request.

run_changed() {
    local base package filter
    base=$(base_commit) || refuse "there is no commit to compare with: neither main nor origin/main"
    Tests/changed.py "$base" >"$run_folder/changed"
    [ -s "$run_folder/changed" ] || { echo "No tests for what differs from $base."; return; }
    # The commands must not read the list.
    while read -r package filter <&3; do
        case $package in
        logic) step "the console's logic" SampleBackend/Tests/ConsoleLogic/run.sh ;;
        browser)
            step "build" build_backend_package
            # shellcheck disable=SC2086
            step "browser" SampleBackend/Tests/Console/run.sh $filter
            ;;
        *)
            step "build of $package" build_package "$package"
            step "tests of $package" test_package "$package" --filter "$filter"
            ;;
        esac
    done 3<"$run_folder/changed"
}
