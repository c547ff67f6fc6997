# Completion of media for bash. Put this into ~/.bashrc: eval "$(media completion bash)"
_media() {
  local line=${COMP_LINE:0:COMP_POINT} candidate kept
  # Bash cuts words at these signs, too, and replaces only what comes after the last of them.
  kept=${line##*[[:space:]]}
  kept=${kept%"${kept##*[:=<>]}"}
  COMPREPLY=()
  while IFS=$'\t' read -r candidate _; do
    COMPREPLY+=("${candidate#"$kept"}")
  done < <("${COMP_WORDS[0]}" __complete --line "$line" 2>/dev/null)
  # What ends so goes on with a value.
  if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[:=\<\>~] ]]; then compopt -o nospace 2>/dev/null; fi
}
complete -F _media media
