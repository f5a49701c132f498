# Measurements of load.sh by programs that write JSON into the folder of a side; source it after servers.sh.

# link_programs SIDE FOLDER: links the programs of a side, with the load clients of this commit for all sides.
link_programs() {
    local folder=$work/$1/programs program
    mkdir -p "$folder"
    ln -s "$bin"/* "$folder/"
    for program in sample-backend TargetingBenchmark; do
        rm -f "$folder/$program"
        [ ! -x "$2/$program" ] || ln -s "$2/$program" "$folder/$program"
    done
}

measure_conditions() {
    local side round
    for round in 1 2 3; do
        for side in $sides; do
            [ ! -x "$work/$side/programs/TargetingBenchmark" ] ||
                "$work/$side/programs/TargetingBenchmark" --json >"$work/$side/conditions-$round.json"
        done
    done
}

# measure_by SCRIPT [ARGUMENT …]: runs a script of this folder on each side's programs, in a folder of
# the side.
measure_by() {
    local script=$1 side
    shift
    for side in $sides; do
        measure_into "$side" "$script" python3 "SampleBackend/Tests/Load/$script.py" \
            "$work/$side/programs" "$work/$side" "$@"
    done
}

# measure_into SIDE NAME COMMAND…: writes its output to a file. An earlier commit may lack the measured feature.
measure_into() {
    local side=$1 file=$work/$1/$2.json
    shift 2
    "$@" >"$file" && return
    [ "$side" = earlier ] || exit 1
    echo "load.sh: the earlier commit cannot be measured so: $(basename "$file" .json)" >&2
    rm -f "$file"
}

measure_allocations() {
    local side
    counts_allocations || return 0
    build_allocation_count "$work/AllocationCount.so"
    for side in $sides; do
        measure_into "$side" allocations python3 SampleBackend/Tests/Allocations/allocations.py \
            "$work/$side/programs/sample-backend" "$work/AllocationCount.so" --json
    done
}
