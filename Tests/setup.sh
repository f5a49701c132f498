# Sets up tools by name; sourced by the project's scripts: `setup git swift`.
# On Debian and Ubuntu it installs missing tools, as root or with sudo; elsewhere it prints how to.

# Prints an error and ends the script.
fail() {
    echo "${0#./}: $*" >&2
    exit 69
}

# Installs Debian packages, or prints what to install: install_packages BREW-NAME PACKAGE …
install_packages() {
    local brew=$1
    shift
    command -v apt-get >/dev/null 2>&1 ||
        fail "$brew is missing; install it with: brew install $brew"
    local sudo=""
    [ "$(id -u)" -eq 0 ] || sudo=sudo
    echo "Installing $* …" >&2
    $sudo apt-get update -qq >&2 && $sudo apt-get install -y -qq "$@" >&2 ||
        fail "$* could not be installed; install them and run this again."
}

# Like install_packages, without starting the packages' services.
install_without_services() {
    local policy=/usr/sbin/policy-rc.d sudo=""
    [ "$(id -u)" -eq 0 ] || sudo=sudo
    (
        # Packages run this program before they start a service; exit code 101 forbids it.
        if command -v apt-get >/dev/null 2>&1 && [ ! -e "$policy" ]; then
            trap '$sudo rm -f "$policy"' EXIT
            printf '#!/bin/sh\nexit 101\n' | $sudo install -m 755 /dev/stdin "$policy"
        fi
        install_packages "$@"
    ) || exit
}

# Swift 6.3 or later.
setup_swift() {
    command -v swift >/dev/null 2>&1 ||
        fail "Swift is missing; install Swift 6.3 or later from https://www.swift.org/install"
    local version
    version=$({ swift --version || fail "swift --version fails: see above"; } | sed -n 's/.*Swift version \([0-9]*\)\.\([0-9]*\).*/\1 \2/p' | head -n 1)
    set -- ${version:-0 0}
    [ "$1" -gt 6 ] || { [ "$1" -eq 6 ] && [ "$2" -ge 3 ]; } ||
        fail "this is Swift $1.$2; install Swift 6.3 or later from https://www.swift.org/install"
}

# The documentation compiler, which comes with Swift.
setup_docc() {
    command -v docc >/dev/null 2>&1 || xcrun --find docc >/dev/null 2>&1 ||
        fail "docc is missing; it comes with Swift's toolchain: add its usr/bin to PATH"
}

# The SQLite headers, which the backend needs; on macOS they are part of the SDK.
setup_sqlite() {
    [ "$(uname -s)" = Darwin ] || [ -e /usr/include/sqlite3.h ] ||
        install_packages sqlite libsqlite3-dev
}

# The library with which Foundation's URL sessions are linked statically; on macOS they are never.
setup_libcurl() {
    [ "$(uname -s)" = Darwin ] || compgen -G '/usr/lib*/libcurl.so' >/dev/null ||
        compgen -G '/usr/lib/*/libcurl.so' >/dev/null || install_packages curl libcurl4-openssl-dev
}

setup_git() { command -v git >/dev/null 2>&1 || install_packages git git; }

setup_openssl() { command -v openssl >/dev/null 2>&1 || install_packages openssl openssl; }
setup_node() { command -v node >/dev/null 2>&1 || install_packages node nodejs; }
setup_typescript() { command -v tsc >/dev/null 2>&1 || install_packages typescript node-typescript; }
setup_curl() { command -v curl >/dev/null 2>&1 || install_packages curl curl; }
setup_python() { command -v python3 >/dev/null 2>&1 || install_packages python python3; }

# A Python virtual environment with pinned package versions, which is kept between runs:
# setup_python_environment openfeature-sdk==0.10.0 … sets python_environment to its folder.
setup_python_environment() {
    setup_python
    python3 -c 'import ensurepip' 2>/dev/null || install_packages python python3-venv
    python_environment=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)/SampleBackend/.build/python
    [ -x "$python_environment/bin/python" ] && "$python_environment/bin/python" -c '' 2>/dev/null ||
        python3 -m venv --clear "$python_environment" >&2 ||
        fail "$python_environment could not be created; see above."
    local package missing=()
    for package in "$@"; do
        "$python_environment/bin/python" - "$package" 2>/dev/null <<'PYTHON' || missing+=("$package")
import importlib.metadata, sys
name, version = sys.argv[1].split("==")
sys.exit(importlib.metadata.version(name) != version)
PYTHON
    done
    [ ${#missing[@]} -eq 0 ] && return
    echo "Installing ${missing[*]} …" >&2
    "$python_environment/bin/python" -m pip install --quiet --disable-pip-version-check \
        "${missing[@]}" >&2 ||
        fail "${missing[*]} could not be installed; see above."
}

# A headless browser and its driver.
setup_chromium() {
    if command -v apt-get >/dev/null 2>&1; then
        command -v chromium >/dev/null 2>&1 && command -v chromedriver >/dev/null 2>&1 ||
            install_packages chromium chromium chromium-driver
        # Uses less processor time; not available on Ubuntu.
        command -v chromium-headless-shell >/dev/null 2>&1 ||
            ! apt-cache show chromium-headless-shell >/dev/null 2>&1 ||
            (install_packages chromium chromium-headless-shell) ||
            echo "The tests use chromium instead." >&2
    else
        # Selenium downloads the matching driver.
        [ -d "/Applications/Google Chrome.app" ] || command -v chromium >/dev/null 2>&1 ||
            fail "a browser is missing; install it with: brew install --cask google-chrome"
    fi
}

setup_wrk() { command -v wrk >/dev/null 2>&1 || install_packages wrk wrk; }

# Debian installs nginx in /usr/sbin, which is often only in root's PATH.
setup_nginx() {
    PATH=$PATH:/usr/sbin command -v nginx >/dev/null 2>&1 || install_without_services nginx nginx-light
}

# The etcd server and its command-line client.
setup_etcd() {
    command -v etcd >/dev/null 2>&1 && command -v etcdctl >/dev/null 2>&1 ||
        install_without_services etcd etcd-server etcd-client
}

# promtool comes with Prometheus.
setup_prometheus() {
    command -v promtool >/dev/null 2>&1 && command -v prometheus >/dev/null 2>&1 ||
        install_without_services prometheus --no-install-recommends prometheus
}

# Sets up the named tools.
setup() {
    local thing
    for thing in "$@"; do "setup_$thing"; done
}
