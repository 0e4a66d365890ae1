# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2154
# Which scenarios there are, and running them on the host's side. Sourced by run.sh.
#
# A scenario file says on which fabrics it runs and how long one run may take:
#   # fabrics: pair; ring 4 rails 2
#   # limit: 60
# Each fabric gives one case, named FILE@FABRIC with dashes for spaces.

# all_cases: one line a case: NAME FILE LIMIT FABRIC...
all_cases() {
  local file fabrics limit one name
  for file in "$lab"/scenarios/*.sh; do
    fabrics=$(sed -n 's/^# fabrics: //p' "$file")
    limit=$(sed -n 's/^# limit: //p' "$file")
    [[ -n $fabrics && $limit =~ ^[0-9]+$ ]] || {
      echo "$file: needs lines '# fabrics: F; F' and '# limit: SECONDS'" >&2
      return 2
    }
    while IFS= read -r one; do
      read -r -a one <<<"$one"
      name=$(basename "$file" .sh)@$(IFS=-; echo "${one[*]}")
      echo "$name $file $limit ${one[*]}"
    done < <(tr ';' '\n' <<<"$fabrics")
  done
}

# select_cases NAME...: the lines of all_cases for these names, all of them without names.
select_cases() {
  local cases name found
  cases=$(all_cases) || return
  [[ $# -gt 0 ]] || { echo "$cases"; return; }
  for name in "$@"; do
    found=$(awk -v name="$name" '{split($1, part, "@")} $1 == name || part[1] == name' \
      <<<"$cases")
    [[ -n $found ]] || usage_error "no scenario $name (--list names them)"
    echo "$found"
  done
}

# run_scenarios: runs the cases in $work/cases and returns 1 when one failed. One machine takes
# them all; when it dies or cannot be cleaned, another takes what is left.
run_scenarios() {
  local share=$work/share begin=$SECONDS
  : >"$work/results"
  cp "$work/cases" "$work/left"
  qemu_command "$share"
  while [[ -s $work/left ]]; do
    rm -rf "${share:?}"/*
    mkdir "$share/logs"
    : >"$share/events"
    cp "$work/left" "$share/plan"
    write_job scenarios "LAB_KEEP_GOING=$keep_going"
    boot_machine "$(machine_limit)"
    follow_machine
    if [[ $keep_going == 0 ]] && grep -q '^FAIL' "$work/results"; then break; fi
  done
  summarize "$((SECONDS - begin))"
}

# The limit of all that is left, and of starting a machine; less when --timeout says so.
machine_limit() {
  awk -v limit="$timeout" -v used="$SECONDS" '{sum += $3 + 40}
    END {sum += 120; if (limit != "" && limit - used < sum) sum = limit - used
         print (sum < 1 ? 1 : sum)}' "$work/left"
}

# Reads what the machine says ("start NAME", "PASS NAME S", "FAIL NAME S", "end") until it ends.
follow_machine() {
  local word name seconds running='' orderly=0
  while read -r word name seconds; do
    case $word in
      start) running=$name ;;
      PASS | FAIL)
        record "$word" "$name" "$seconds"
        running=''
        ;;
      end) orderly=1 ;;
    esac
  done < <(follow "$work/share/events")
  wait "$machine" || true
  machine=
  [[ $orderly == 0 ]] || return 0
  [[ -n $running ]] || running=$(awk 'NR == 1 {print $1}' "$work/left")
  {
    echo "The machine ended in the middle, or ran out of time. Its console said last:"
    tail -n 70 "$work/console" | tr -d '\r'
    cat "$work/qemu"
  } >>"$work/share/logs/$running"
  record FAIL "$running" 0
  [[ -z $timeout ]] || ((SECONDS < timeout)) || : >"$work/left"
}

# record RESULT NAME SECONDS: prints it, with the log when it failed.
record() {
  printf '%s %s %s\n' "$1" "$2" "$3" >>"$work/results"
  printf '%s %7.1f s  %s\n' "$1" "$3" "$2"
  cp "$work/share/logs/$2" "$work/log.$2"
  awk -v name="$2" '$1 != name' "$work/left" >"$work/left.new"
  mv "$work/left.new" "$work/left"
  [[ $1 == PASS ]] || tail -n 200 "$work/log.$2" | sed 's/^/    /'
}

summarize() {
  local passed failed all
  passed=$(grep -c '^PASS' "$work/results" || true)
  failed=$(grep -c '^FAIL' "$work/results" || true)
  all=$(wc -l <"$work/cases")
  [[ -z $junit ]] || "$lab/junit.py" "$work" "$junit"
  echo "$passed passed, $failed failed, $((all - passed - failed)) not run, $1 s"
  [[ $passed == "$all" ]]
}
