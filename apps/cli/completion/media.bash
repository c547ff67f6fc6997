# Completion of media for bash. Put this into ~/.bashrc: eval "$(media completion bash)"
_media() {
  local candidate
  COMPREPLY=()
  while IFS= read -r candidate; do
    COMPREPLY+=("$candidate")
  done < <("${COMP_WORDS[0]}" __complete --bash "$COMP_WORDBREAKS" "${COMP_LINE:0:COMP_POINT}" 2>/dev/null)
  # No space after a candidate that needs a value.
  if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[:=\<\>~] ]]; then compopt -o nospace 2>/dev/null; fi
}
complete -F _media media
