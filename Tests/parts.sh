# The parts of the checks, one function each; sourced by run.sh.

# Parts of the gate.

run_format() {
    step "structure" check_structure
    step "formatter" check_format
    step "deadlines" check_deadlines
    step "names in data" check_names
    step "planted faults" Tests/PlantedFaults/check.py --anchors
    step "checker of histories" SampleBackend/Tests/Scale/linearizability.py --self-test
}

check_structure() {
    Tests/Structure/check.py --self-test >/dev/null ||
        refuse "Tests/Structure/check.py no longer finds planted faults"
    Tests/Structure/check.py Sources SampleBackend/Sources
    swift package show-dependencies | grep -q "No external dependencies found" ||
        refuse "the root package has a dependency; it must have none"
    local folders
    folders=$(git ls-files -co --exclude-standard | sed -n 's|/.*||p' | sort -u |
        sed -E '/^(Sources|Tests|SampleBackend|Bootstrap|\..*)$/d')
    [ -z "$folders" ] || refuse "these top-level folders do not belong here: $folders"
}
check_names() {
    Tests/Structure/names.py --self-test >/dev/null ||
        refuse "Tests/Structure/names.py no longer finds planted faults"
    Tests/Structure/names.py
}
check_deadlines() {
    Tests/Structure/deadlines.py --self-test >/dev/null ||
        refuse "Tests/Structure/deadlines.py no longer finds planted deadlines"
    Tests/Structure/deadlines.py
}
check_format() {
    # Skips deleted files that are not staged yet.
    git ls-files -z -co --exclude-standard '*.swift' |
        { while IFS= read -r -d '' file; do [ ! -e "$file" ] || printf '%s\0' "$file"; done; } |
        xargs -0 swift format lint --strict --parallel
}

run_framework() {
    step "build" build_package .
    step "tests" test_package .
    step "32 bits" Tests/ThirtyTwoBit/check.sh
    step "sources of a fuzzer" Tests/Fuzzing/fuzz.sh --check
    if conditions_have_changed; then
        run_apple
    else
        step "iOS and macOS" Tests/AppleStubs/check.sh iOS macOS
    fi
}
# True if the check for Apple's platforms, their versions, or a compilation condition has changed
# recently, or if this is unknown.
conditions_have_changed() {
    local base
    base=$(recent_commit) || return 0
    git diff --no-ext-diff --no-color "$base" -- Sources Tests Package.swift >"$run_folder/diff"
    git ls-files -z -o --exclude-standard -- Sources Tests | xargs -0r sed 's/^/+/' >>"$run_folder/diff"
    grep -qE '^[+-]{3} ([ab]/)?Tests/AppleStubs/|^[+-] *#(if|elseif|else|endif)\b|^[+-].*\.(macOS|iOS|tvOS|watchOS|visionOS)\(' \
        "$run_folder/diff" ||
        [ -n "$(git ls-files -o --exclude-standard -- Tests/AppleStubs)" ]
}

run_backend() {
    setup sqlite openssl curl etcd
    step "build" build_package SampleBackend
    step "tests" test_package SampleBackend
    step "allocations" SampleBackend/Tests/Allocations/run.sh
    step "README" SampleBackend/Tests/Readme/run.sh
    step "OpenFeature" SampleBackend/Tests/OpenFeature/run.sh
    step "firebase-admin" SampleBackend/Tests/FirebaseAdmin/run.sh
    step "event streams" SampleBackend/Tests/EventStreams/run.sh
    step "OpenID Connect" SampleBackend/Tests/OpenIDConnect/run.sh
    step "operations" SampleBackend/Tests/Operations/run.sh
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
    step "examples" check_examples
    step "misuses" check_misuses
    step "articles" check_documentation
    step "public API" Tests/PublicAPI/check.py .build/docs/graphs
}
check_examples() {
    Tests/Examples/check.py --self-test >/dev/null ||
        refuse "Tests/Examples/check.py no longer finds planted faults"
    Tests/Examples/check.py
}
check_misuses() {
    Tests/Misuses/check.sh --self-test >/dev/null ||
        refuse "Tests/Misuses/check.sh no longer finds planted differences"
    Tests/Misuses/check.sh
}
check_documentation() {
    local docc triple graphs=.build/docs/graphs module linked archives=""
    Tests/Structure/links.py --self-test >/dev/null ||
        refuse "Tests/Structure/links.py does not find planted faults any more"
    Tests/Structure/links.py
    docc=$(command -v docc || xcrun --find docc)
    triple=$(swiftc -print-target-info | sed -n 's/^ *"triple": "\(.*\)",/\1/p' | head -n 1)
    rm -rf .build/docs
    # First the module into whose catalog the others link.
    for module in ActiveConfig ActiveConfigJSON ActiveConfigEventStream ActiveConfigRealtime \
        ActiveConfigTrust ActiveConfigReporting ActiveConfigTesting ActiveConfigGeneration; do
        mkdir -p "$graphs/$module"
        swift symbolgraph-extract -module-name "$module" -I "$ACTIVECONFIG_BUILD/Modules" \
            -target "$triple" -output-dir "$graphs/$module" \
            -minimum-access-level public -skip-synthesized-members
        # This module extends ActiveConfig, so DocC looks for pages of that name in the module itself.
        [ "$module" = ActiveConfigTesting ] && linked="" || linked=${archives:+ActiveConfig}
        # shellcheck disable=SC2086
        Tests/Structure/links.py --copy "$module" ".build/docs/catalogs/$module.docc" $linked
        # shellcheck disable=SC2086
        "$docc" convert ".build/docs/catalogs/$module.docc" \
            --additional-symbol-graph-dir "$graphs/$module" \
            --fallback-display-name "$module" --fallback-bundle-identifier "activeconfig.$module" \
            --output-dir ".build/docs/$module.doccarchive" \
            --enable-experimental-external-link-support \
            ${archives:+--dependency .build/docs/ActiveConfig.doccarchive} \
            --warnings-as-errors --experimental-documentation-coverage
        archives+=" .build/docs/$module.doccarchive"
    done
    # shellcheck disable=SC2086
    "$docc" merge $archives --synthesized-landing-page-name ActiveConfig \
        --output-path .build/docs/All.doccarchive
    echo "Documentation: .build/docs/*.doccarchive; Tests/run.sh docs --open shows it"
}

# Parts of the nightly run.

run_checks() {
    step "failures in logs" Tests/failures.py --self-test
    step "tests of a change" Tests/changed.py --self-test
    step "builds kept between clones" Tests/builds-test.sh
    step "continued nightly run" Tests/run-test.sh
}

# The optimizer must not remove code that keeps a process alive against a hostile server.
run_release() {
    step "build" build_package .
    step "probe for release" Tests/release-probe.sh .build/probes
    ACTIVECONFIG_PROBES=$PWD/.build/probes step "tests" test_package . \
        --filter 'DownloadFaultTests|OverridePolicyTests'
}

run_generation() {
    step "build" build_package .
    step "build and tests with the plug-in" test_with_plugin
    step "package that uses the plug-in" Tests/Generation/check.sh
}
test_with_plugin() (
    unset ACTIVECONFIG_WITHOUT_PLUGIN
    swift build --build-tests --scratch-path .build/with-plugin "${build_options[@]}"
    swift test --skip-build --scratch-path .build/with-plugin --filter ActiveConfigGenerationTests |
        passing_tests
)

run_apple() {
    step "build" build_package .
    step "Apple platforms" Tests/AppleStubs/check.sh
    step "planted misuses" Tests/AppleStubs/check.sh --self-test
}

run_openapi() {
    step "build" build_backend_package
    local seed
    for seed in 20261121 "$(date +%Y%m%d)"; do
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
    step "build for swift-configuration" build_package Tests/SwiftConfiguration
    step "tests of swift-configuration" test_package Tests/SwiftConfiguration
    step "build of the backend's peers" build_package SampleBackend/Tests/Peers
}

# More rounds in the tests, and the seconds after which a test begins no further round.
use_nightly_rounds() { export ACTIVECONFIG_NIGHTLY=1 ACTIVECONFIG_NIGHTLY_SECONDS=60; }

run_faults() {
    use_nightly_rounds
    step "build" build_package .
    step "tests" test_package .
    step "planted faults" env -u ACTIVECONFIG_NIGHTLY Tests/PlantedFaults/check.py --minutes 10
}
run_faults-backend() {
    setup sqlite openssl curl etcd
    use_nightly_rounds
    step "build" build_package SampleBackend
    step "tests" test_package SampleBackend
    step "cluster" SampleBackend/Tests/Operations/cluster.py
    local updater_load
    updater_load=$(dirname "$SAMPLE_BACKEND")/UpdaterLoad
    step "broken servers" "$updater_load" faults --backend "$SAMPLE_BACKEND" --users 4
    step "changing users" "$updater_load" users --backend "$SAMPLE_BACKEND" --users 4 --minutes 1
    step "killed and paused backend" "$updater_load" soak --backend "$SAMPLE_BACKEND" --users 50 \
        --minutes 2
}

run_address() { run_sanitizer address .; }
run_address-backend() { run_sanitizer address SampleBackend; }
run_thread() { run_sanitizer thread .; }
run_thread-backend() { run_sanitizer thread SampleBackend; }
run_sanitizer() {
    setup sqlite openssl curl etcd
    step "targets" check_unsanitized "$1" "$2"
    pin_versions "$2"
    step "build" build_sanitized "$1" "$2"
    step "tests" sanitized_tests "$1" "$2"
}
build_sanitized() {
    local folder
    folder=$(build_folder "$2")/$1-all
    remove_remains "$folder"
    sanitized "$1" "$2" swift build --build-tests || return
    touch "$folder/finished"
}
sanitized_tests() {
    local targets
    targets=$(unsanitized "$1" "$2")
    # shellcheck disable=SC2086
    sanitized "$1" "$2" swift test --skip-build ${targets:+--skip "^(${targets// /|})\\."} | passing_tests
}
# Test targets that a sanitizer skips, since it can find nothing in them.
unsanitized() {
    case "$*" in
    "address .") echo ActiveConfigGenerationTests ;;
    "address SampleBackend")
        echo EtcdTemplateStoreTests PageBundlingTests PrometheusMetricsTests RenderingTests TemplatesTests
        ;;
    "thread .") echo ActiveConfigEventStreamTests ActiveConfigGenerationTests ;;
    "thread SampleBackend")
        echo JSONTreeTests LinearRegexTests StreamLoadTests TargetingTests TemplatesTests
        ;;
    esac
}
# Fails if one of these targets has something to find: for the address sanitizer the module of its name
# unsafe code, for the thread sanitizer its tests concurrency.
check_unsanitized() {
    local target found pattern='\bunsafe '
    [ "$1" = address ] || pattern='\basync\b|\bTask\b|DispatchQueue|\bThread\b|concurrentPerform|Process\('
    for target in $(unsanitized "$1" "$2"); do
        found=$2/Tests/$target
        [ "$1" = thread ] || found=$2/Sources/${target%Tests}
        [ -d "$found" ] || refuse "there is no folder $found"
        ! grep -rlE --include='*.swift' "$pattern" "$found" ||
            refuse "run $target with the $1 sanitizer: see above; unsanitized() in Tests/parts.sh skips it"
    done
}

# Each fuzzer uses one processor, so that two run at a time.
run_fuzz() {
    local seconds=${FUZZ_SECONDS:-180} backend=SampleBackend/Tests/Fuzzing/fuzz.sh
    # The backend's fuzzers link modules of its debug build.
    step "build" build_backend_package
    step "documents, event streams" at_once \
        "Tests/Fuzzing/fuzz.sh $seconds" "Tests/Fuzzing/EventStreams/fuzz.sh $seconds"
    step "conditions, patterns" at_once "$backend conditions $seconds" "$backend patterns $seconds"
    step "requests" "$backend" requests "$seconds"
}
# Runs commands, each a text of words, at the same time, and prints their output one after the other.
at_once() {
    local command output place outputs=() processes=() failed=0
    for command in "$@"; do
        output=$(mktemp "$run_folder/output-XXXXXX")
        outputs+=("$output")
        # shellcheck disable=SC2086
        { $command; } >"$output" 2>&1 </dev/null &
        processes+=($!)
    done
    for place in "${!processes[@]}"; do
        wait "${processes[place]}" || failed=1
        cat "${outputs[place]}"
    done
    return "$failed"
}

# Parts that run only on request.

run_scale() {
    step "build" build_backend_package
    step "faults" SampleBackend/Tests/Scale/run.sh
    local store
    for store in sqlite etcd; do
        step "change requests, $store" env PYTHONDONTWRITEBYTECODE=1 \
            SampleBackend/Tests/Scale/changerequests.py --binary "$SAMPLE_BACKEND" --store "$store"
        step "scheduled publishes, $store" env PYTHONDONTWRITEBYTECODE=1 \
            SampleBackend/Tests/Scale/scheduledpublishes.py --binary "$SAMPLE_BACKEND" --store "$store"
        step "rollouts, $store" env PYTHONDONTWRITEBYTECODE=1 \
            SampleBackend/Tests/Scale/rollouts.py --binary "$SAMPLE_BACKEND" --store "$store"
        step "promotions, $store" env PYTHONDONTWRITEBYTECODE=1 \
            SampleBackend/Tests/Scale/promotions.py --binary "$SAMPLE_BACKEND" --store "$store"
    done
    step "simulation" SampleBackend/Tests/Simulation/simulate.py --check \
        SampleBackend/Tests/Simulation/points.json
    step "capacity" SampleBackend/Tests/Simulation/simulate.py --page SampleBackend/Operations/Capacity.md
}

run_changed() {
    local base kind what filter
    base=$(branch_commit) || refuse "there is no branch to compare with: origin/main and main are missing"
    Tests/changed.py "$base" >"$run_folder/changed"
    [ -s "$run_folder/changed" ] || { echo "No tests are known for the differences from $base."; return; }
    # The commands must not read the list.
    while read -r kind what filter <&3; do
        case $kind in
        build) step "build of $what" build_package "$what" ;;
        tests)
            step "build of $what" build_package "$what"
            step "tests of $what" test_package "$what" --filter "$filter"
            ;;
        backend)
            step "build of SampleBackend" build_backend_package
            # shellcheck disable=SC2086
            step "$what $filter" "$what" $filter
            ;;
        script) step "$what" "$what" ;;
        part) "run_$what" ;;
        esac
    done 3<"$run_folder/changed"
}
