# Completion of rhc for bash. The program itself says what may follow, so this never goes stale.
_rhc() {
  # Bash cuts words at '=' and ':', which rhc takes as parts of a word: what had no blank before it is put back.
  local rest=${COMP_LINE:0:COMP_POINT} stripped word i
  local -a words=() lines=()
  for ((i = 0; i <= COMP_CWORD; ++i)); do
    stripped=${rest#"${rest%%[![:space:]]*}"}
    word=${COMP_WORDS[i]}
    ((i == COMP_CWORD)) && word=$stripped
    if ((i > 0)) && [[ $rest == "$stripped" ]]; then
      words[${#words[@]} - 1]+=$word
    else
      words+=("$word")
    fi
    rest=${stripped:${#word}}
  done

  local current=${words[${#words[@]} - 1]} line also=":nothing"
  mapfile -t lines < <("${words[0]/#\~/$HOME}" complete "${words[@]:1}" 2>/dev/null)
  COMPREPLY=()
  for line in "${lines[@]}"; do
    if [[ $line == :* ]]; then also=$line; else COMPREPLY+=("${line%%$'\t'*}"); fi
  done
  # What stands before the last '=' or ':' is no part of the word that bash replaces.
  local before=${current%"${current##*[=:]}"}
  [[ $COMP_WORDBREAKS == *=* ]] && COMPREPLY=("${COMPREPLY[@]#"$before"}")
  [[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null

  local part=$current
  [[ $current == --*=* ]] && part=${current#*=}
  case $also in
    :files) mapfile -t lines < <(compgen -f -- "$part") ;;
    :directories) mapfile -t lines < <(compgen -d -- "$part") ;;
    *) return ;;
  esac
  compopt -o filenames 2>/dev/null
  COMPREPLY+=("${lines[@]}")
}
complete -F _rhc rhc
