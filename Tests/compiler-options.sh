# The language options of Package.swift, for scripts that run the compiler themselves; source it.
# shellcheck disable=SC2034
compiler_options="-swift-version 6 -parse-as-library
    -enable-upcoming-feature ExistentialAny -enable-upcoming-feature InternalImportsByDefault
    -enable-upcoming-feature MemberImportVisibility
    -enable-upcoming-feature NonisolatedNonsendingByDefault
    -enable-upcoming-feature InferIsolatedConformances -enable-upcoming-feature ImmutableWeakCaptures"
