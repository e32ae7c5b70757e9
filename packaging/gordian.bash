# SPDX-License-Identifier: Apache-2.0
# Completion for gordian. Verbs and options are what gordian itself says it has, so they are never out of date.

_gordian_options() {
  gordian "$@" --help 2>/dev/null | grep -oE '^  (-[a-z],)?--[a-z-]+' | grep -oE -- '--[a-z-]+'
}

_gordian_takes_file() { # VERB OPTION
  gordian "$1" --help 2>/dev/null | grep -qE -- "^  (-[a-z],)?$2 FILE"
}

_gordian_sessions() { # VERB that shows a table of them
  gordian "$1" 2>/dev/null | awk 'NR > 1 { print $1 }'
}

# Names of units that run, without the usual ending.
_gordian_units() {
  systemctl list-units --no-legend --plain --state=running --type=service,scope,slice 2>/dev/null |
    awk '{ sub(/\.service$/, "", $1); print $1 }'
}

_gordian_pods() {
  ls /var/log/pods 2>/dev/null | awk -F_ 'NF == 3 { print $1 "/" $2 }' | sort -u
}

_gordian_models() {
  gordian model list 2>/dev/null | awk 'NR > 1 { print $1 }'
}

_gordian() {
  local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} verb=${COMP_WORDS[1]:-}
  COMPREPLY=()
  if [ "$COMP_CWORD" = 1 ]; then
    local verbs
    verbs=$(gordian --help 2>/dev/null | awk '/^Subcommands:/ { on = 1; next } on && NF { print $1 }  on && !NF { exit }')
    mapfile -t COMPREPLY < <(compgen -W "$verbs --help --version" -- "$word")
    return
  fi
  case $previous in
    --attach) mapfile -t COMPREPLY < <(compgen -W "auto tracepoint kprobe fentry" -- "$word"); return ;;
    --model) mapfile -t COMPREPLY < <(compgen -W "$(_gordian_models)" -- "$word"; compgen -f -- "$word"); return ;;
    --color) mapfile -t COMPREPLY < <(compgen -W "auto always never" -- "$word"); return ;;
    --by) mapfile -t COMPREPLY < <(compgen -W "process container host rack" -- "$word"); return ;;
    --format) mapfile -t COMPREPLY < <(compgen -W "csv" -- "$word"); return ;;
    --unit) mapfile -t COMPREPLY < <(compgen -W "$(_gordian_units)" -- "$word"); return ;;
    --pod) mapfile -t COMPREPLY < <(compgen -W "$(_gordian_pods)" -- "$word"); return ;;
    --pid) mapfile -t COMPREPLY < <(compgen -W "$(cd /proc && echo [0-9]*)" -- "$word"); return ;;
    -o | --output | --before | --after | --verify | --socket | --nodes-file | --cgroup | --resources | --log | --keep) mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;;
  esac
  if [[ $previous == --* ]] && _gordian_takes_file "$verb" "$previous"; then
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
    return
  fi
  if [[ $word == -* ]]; then
    local words=("$verb")
    [[ $verb = ca || ($verb =~ ^(model|store)$ && $COMP_CWORD -gt 2) ]] && words+=("${COMP_WORDS[2]:-}")
    mapfile -t COMPREPLY < <(compgen -W "$(_gordian_options "${words[@]}")" -- "$word")
    return
  fi
  if [ "$verb" = ca ]; then
    if [ "$COMP_CWORD" = 2 ]; then
      mapfile -t COMPREPLY < <(compgen -W "init issue" -- "$word")
    else
      mapfile -t COMPREPLY < <(compgen -d -- "$word")
    fi
    return
  fi
  case $verb in
    store)
      if [ "$COMP_CWORD" = 2 ]; then
        mapfile -t COMPREPLY < <(compgen -W "clear" -- "$word")
      else
        mapfile -t COMPREPLY < <(compgen -d -- "$word")
      fi ;;
    rm) mapfile -t COMPREPLY < <(compgen -W "$(_gordian_sessions list)" -- "$word") ;;
    dump | explain-log | import | analyze | cut | top | graph | timeline | diff | export | participation | phases | requests | serve | traffic | whatif) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
    # A folder, or a session that nodes are asked about.
    slice | query) mapfile -t COMPREPLY < <(compgen -W "$(_gordian_sessions list)" -- "$word"; compgen -f -- "$word") ;;
    stop | status | snapshot | follow) mapfile -t COMPREPLY < <(compgen -W "$(_gordian_sessions status)" -- "$word") ;;
    model)
      case $previous in
        model) mapfile -t COMPREPLY < <(compgen -W "check list show tune" -- "$word") ;;
        check | tune) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
        show) mapfile -t COMPREPLY < <(compgen -W "$(_gordian_models)" -- "$word") ;;
      esac ;;
    record | profile) mapfile -t COMPREPLY < <(compgen -c -- "$word") ;;
  esac
}

# All verbs of gordian-mpi take folders; their options are what it says it has.
_gordian_mpi() {
  local word=${COMP_WORDS[COMP_CWORD]} verb=${COMP_WORDS[1]:-}
  COMPREPLY=()
  if [ "$COMP_CWORD" = 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W "analyze participation phases query slice traffic --help --version" -- "$word")
  elif [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$(gordian-mpi "$verb" --help 2>/dev/null | grep -oE '^  (-[a-z],)?--[a-z-]+' | grep -oE -- '--[a-z-]+')" -- "$word")
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
  fi
}

complete -o filenames -F _gordian gordian
complete -o filenames -F _gordian_mpi gordian-mpi
