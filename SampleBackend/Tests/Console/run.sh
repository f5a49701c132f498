#!/usr/bin/env bash
# Starts the backend and uses its console in headless browsers.
set -euo pipefail

usage() {
    cat <<TEXT
USAGE: SampleBackend/Tests/Console/run.sh [--gate] [--nginx] [NAME …]

Runs all tests of the console, or the named ones, with names as for Python's unittest: test_forms,
test_forms.FormTests.test_asks_at_every_escape.

  --gate  Runs only the tests marked by @gate. They must open every page, dialog and menu, and cover
          every path on which users could be locked out or lose their work; a run without names fails
          if a page, dialog or menu is missing.
  --nginx Runs the tests through nginx with SampleBackend/Operations/nginx.conf, without TLS.

The last lines are "failed: FILE:LINE: TEST: MESSAGE" for each test that failed, the number of tests
with their time, and "N passed, N failed".

  SAMPLE_BACKEND                       absolute path of a built backend; otherwise it is built
  CONSOLE_TEST_PAGES                   absolute path of a folder from which the pages are served, in
                                       place of those in the sources
  CONSOLE_TEST_PROCESSES               tests at a time; by default one more than the processors
  ACTIVECONFIG_CONSOLE_TAKES_PICTURES  1 takes screenshots of all checks, not only of failed ones;
                                       both are in SampleBackend/.build/console-pictures

Exit codes: 0 all passed, 1 a test failed, 64 wrong usage, 69 a required program is not available.
TEXT
}

gate=""
proxy=""
while [[ "${1:-}" == -* ]]; do
    case $1 in
    -h | --help)
        usage
        exit 0
        ;;
    --gate)
        gate=--gate
        ;;
    --nginx) proxy=1 ;;
    *)
        echo "$0: unknown option \"$1\"; see --help" >&2
        exit 64
        ;;
    esac
    shift
done

cd "$(dirname "$0")/../../.."
# Bundles have neither the modules that tests import nor the lines of the record of opened dialogs;
# test_bundles starts a backend with them.
export CONSOLE_TEST_PAGES=${CONSOLE_TEST_PAGES:-$PWD/SampleBackend/Sources/Console/Pages}
[ -z "$gate" ] || export ACTIVECONFIG_CONSOLE_RECORDS=1
# shellcheck source=Tests/setup.sh
. Tests/setup.sh
# shellcheck source=SampleBackend/Tests/backend.sh
. SampleBackend/Tests/backend.sh

setup swift sqlite chromium ${proxy:+nginx curl}
setup_python_environment selenium==4.51.0 axe-core-python==0.1.0 jsonpatch==1.33 Authlib==1.9.10 \
    Flask==3.1.3
build_backend
start_backend --store "sqlite:$work/backend.sqlite" --dev \
    --console-pages "$CONSOLE_TEST_PAGES"
if [ -n "$proxy" ]; then
    # shellcheck source=SampleBackend/Tests/nginx.sh
    . SampleBackend/Tests/nginx.sh
    start_nginx
fi
export ACTIVECONFIG_CONSOLE_URL=$url
export ACTIVECONFIG_BACKEND=$backend
export ACTIVECONFIG_CONSOLE_WORK=$work
export ACTIVECONFIG_CONSOLE_PICTURES=$PWD/SampleBackend/.build/console-pictures

cd SampleBackend/Tests/Console
export PYTHONDONTWRITEBYTECODE=1
# Tests mostly wait, so more of them than processors can run at a time.
"$python_environment/bin/python" run_tests.py \
    "${CONSOLE_TEST_PROCESSES:-$(($(getconf _NPROCESSORS_ONLN) + 1))}" $gate "$@"
